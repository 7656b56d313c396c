"""How far voters agree beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ragtester.statistics.packages import load


def krippendorff_alpha(votes: Sequence[Sequence[str | None]]) -> float | None:
    """Krippendorff's nominal alpha; rows are voters, columns units, None is no vote.

    Krippendorff, Content Analysis (2004), chapter 11. Only units with two votes or more can be paired; the others are
    left out. None where no unit is left, and where all paired votes are the same word: chance then expects no
    disagreement either, and alpha is 0 / 0 (say that all agree).
    Raises ValueError for rows of unequal length.
    """
    units = [unit for unit in zip(*votes, strict=True) if sum(vote is not None for vote in unit) > 1]
    words = sorted({vote for unit in units for vote in unit if vote is not None})
    if len(words) < 2:
        return None
    counts = [[sum(vote == word for vote in unit) for word in words] for unit in units]
    return float(load("krippendorff").alpha(value_counts=counts, level_of_measurement="nominal"))


def cohen_kappa(first: Sequence[str | None], second: Sequence[str | None]) -> float | None:
    """Cohen's kappa of two voters over the units that both voted on (Cohen 1960).

    None where there is no such unit, and where both gave the same one word throughout (0 / 0). Raises ValueError for
    votes of unequal number.
    """
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if not pairs:
        return None
    n = len(pairs)
    ours, theirs = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    by_chance = sum(ours[word] * theirs[word] for word in ours) / n**2
    if by_chance == 1:
        return None
    return (sum(a == b for a, b in pairs) / n - by_chance) / (1 - by_chance)
