"""Fisher's randomisation test of paired differences: are their signs those of chance?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import fsum, lgamma, log, prod
from typing import Any

from ragtester.statistics.packages import load

FLIPS = 9999
"""Random flips of all signs; where no more sums than these are possible, all are counted instead."""
BLOCK = 500
"""Flips that are drawn at a time."""
# Sums of the same terms in another order are equal.
SLACK = 1e-9


def sign_flips(differences: Sequence[float], seed: int) -> float:
    """Two-sided p: how often random signs bring the sum at least as far from 0 as it is.

    Fisher (1935); for means of ranking metrics Smucker, Allan and Carterette (CIKM 2007, 623-632). Equal pairs cannot
    change a sum and need no rule; 1 where all are equal. Where few different sums are possible, all are counted: for
    differences of one size that is the exact sign test. Otherwise the counted flips include what was found, so that p
    is never 0 (Davison and Hinkley 1997, section 4.3).
    """
    sizes = Counter(sorted(abs(one) for one in differences if one))
    found = abs(fsum(differences)) - SLACK
    if prod(count + 1 for count in sizes.values()) <= FLIPS:
        sums, chances = _all_sums(sizes)
        return min(1.0, float(chances[abs(sums) >= found].sum()))
    return float(1 + (abs(_random_sums(list(sizes.elements()), seed)) >= found).sum()) / (1 + FLIPS)


def _random_sums(sizes: Sequence[float], seed: int) -> Any:
    """The sums under random signs, a bit each; in blocks, so that memory does not grow with the flips."""
    np = load("numpy")
    rng, values = np.random.default_rng(seed), np.array(sizes)
    width = (len(values) + 7) // 8
    made = []
    for start in range(0, FLIPS, BLOCK):
        rows = min(BLOCK, FLIPS - start)
        bits = np.unpackbits(rng.integers(0, 256, (rows, width), dtype=np.uint8), axis=1, count=len(values))
        # Kept less flipped: twice what is kept, less all.
        made.append(2 * (bits @ values) - values.sum())
    return np.concatenate(made)


def _all_sums(sizes: Counter[float]) -> tuple[Any, Any]:
    """Every sum that signs can give, and its chance."""
    np = load("numpy")
    sums, chances = np.zeros(1), np.ones(1)
    for size, count in sizes.items():
        kept = range(count + 1)
        sums = np.add.outer(sums, [size * (2 * k - count) for k in kept]).ravel()
        logs = [lgamma(count + 1) - lgamma(k + 1) - lgamma(count - k + 1) - count * log(2) for k in kept]
        chances = np.multiply.outer(chances, np.exp(logs)).ravel()
    return sums, chances


Counted = tuple[float, float]
"""What was counted, and of how many: 2 contradicted claims of 5."""


def swapped_rates(pairs: Sequence[tuple[Counted, Counted]], seed: int) -> float:
    """Two-sided p of two rates, each a sum of counts over a sum of sizes, by swapping the sides of pairs at random.

    A pair is one answer before and after, with (contradicted, sent) claims on each side, say: the claims of an answer
    stay together, for they are not independent. Fisher's randomisation test as in `sign_flips`, of the difference of
    the two rates itself; few swaps are counted in full. 1 where no pair differs. Raises ValueError where all pairs
    together have nothing on one side: there is no rate then.
    """
    first = sum(one[0] for one, _ in pairs), sum(one[1] for one, _ in pairs)
    second = sum(two[0] for _, two in pairs), sum(two[1] for _, two in pairs)
    if not first[1] or not second[1]:
        raise ValueError("no rate: one side counts nothing")
    groups = Counter((two[0] - one[0], two[1] - one[1]) for one, two in pairs if one != two)
    if not groups:
        return 1.0
    np = load("numpy")
    steps, counts = np.array(sorted(groups), dtype=float), [groups[step] for step in sorted(groups)]
    exact = prod(count + 1 for count in counts) <= FLIPS
    swapped, chances = _all_swaps(counts) if exact else _random_swaps(counts, seed)
    moved = swapped @ steps
    ours = np.array(first) + moved
    theirs = np.array(first) + np.array(second) - ours
    sound = (ours[:, 1] > 0) & (theirs[:, 1] > 0)
    ours, theirs = np.where(sound[:, None], ours, 1.0), np.where(sound[:, None], theirs, 1.0)
    found = abs(second[0] / second[1] - first[0] / first[1]) - SLACK
    # A swap that leaves one side with nothing has no rate; to count it as far away can only make p larger.
    far = ~sound | (abs(theirs[:, 0] / theirs[:, 1] - ours[:, 0] / ours[:, 1]) >= found)
    return min(1.0, float(chances[far].sum())) if exact else float(1 + far.sum()) / (1 + FLIPS)


def _all_swaps(counts: Sequence[int]) -> tuple[Any, Any]:
    """Every number of swapped pairs in each group of alike pairs, a row each, and its chance."""
    np = load("numpy")
    rows, chances = np.zeros((1, 0)), np.ones(1)
    for count in counts:
        logs = [lgamma(count + 1) - lgamma(k + 1) - lgamma(count - k + 1) - count * log(2) for k in range(count + 1)]
        column = np.tile(np.arange(count + 1.0), len(rows))[:, None]
        rows = np.hstack([np.repeat(rows, count + 1, axis=0), column])
        chances = np.multiply.outer(chances, np.exp(logs)).ravel()
    return rows, chances


def _random_swaps(counts: Sequence[int], seed: int) -> tuple[Any, Any]:
    """Numbers of swapped pairs drawn at random, a row each."""
    np = load("numpy")
    drawn = np.random.default_rng(seed).binomial(np.array(counts), 0.5, (FLIPS, len(counts))).astype(float)
    return drawn, np.full(FLIPS, 1 / FLIPS)
