"""Whether a few groups hold more of the bad items than chance would put there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import comb

LEVEL = 0.05
MOST = 3
"""Groups that a cluster names at most."""
LEAST = 2
"""Bad items that each of them must hold."""


@dataclass(frozen=True)
class Cluster:
    """The groups `names`, most bad items first, hold `bad` of the `total` bad ones among `inside` of `of` items.

    An item in several of them counts once. `candidates` is how many groups there are, `p` the corrected p-value.
    """

    names: tuple[str, ...]
    bad: int
    total: int
    inside: int
    of: int
    candidates: int
    p: float


def find_cluster(items: Sequence[tuple[Collection[str], bool]]) -> Cluster | None:
    """The choice of one, two or three groups with the smallest p-value; None where none is below `LEVEL`.

    An item has the names of its groups (none, one or several) and whether it is bad. Of n items, b of them bad, s stand
    in the chosen groups: p = 3 · C(groups, chosen) · P(X >= bad ones there), X hypergeometric(n, b, s). The factors are
    Bonferroni's, for every choice of groups and of their number. Items should be independent of one another.
    """
    sent: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for names, is_bad in items:
        sent.update(set(names))
        held.update(set(names) if is_bad else ())
    ranked = sorted(sent, key=lambda name: (-held[name], sent[name], name))
    total = sum(is_bad for _, is_bad in items)
    best, smallest = None, LEVEL
    for size in range(1, min(MOST, len(ranked) - 1) + 1):
        if held[ranked[size - 1]] < LEAST:
            break
        chosen = ranked[:size]
        inside = [is_bad for names, is_bad in items if not set(chosen).isdisjoint(names)]
        p = MOST * comb(len(ranked), size) * _tail(sum(inside), len(items), total, len(inside))
        if p < smallest:
            best = Cluster(tuple(chosen), sum(inside), total, len(inside), len(items), len(ranked), p)
            smallest = p
    return best


def _tail(held: int, population: int, bad: int, drawn: int) -> float:
    """P(X >= held) where `drawn` of `population` are drawn, of which `bad` are bad."""
    from scipy.stats import hypergeom

    return float(hypergeom.sf(held - 1, population, bad, drawn))
