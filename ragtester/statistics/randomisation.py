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
