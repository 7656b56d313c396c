"""Intervals for rates."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist


@dataclass(frozen=True)
class Interval:
    """A confidence interval of a share, both ends within 0 and 1."""

    low: float
    high: float


def wilson(successes: int, n: int, confidence: float = 0.95) -> Interval | None:
    """Wilson's score interval of a share (Wilson 1927, without continuity correction); None for an empty denominator.

    Raises ValueError where `successes` is not within 0 and `n`.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    if n == 0:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At 0 and n the formula gives exactly 0 and 1; rounding of floats must not step over them.
    return Interval(0.0 if successes == 0 else middle - half, 1.0 if successes == n else middle + half)


def format_rate(successes: int, n: int) -> str:
    """A rate with its count and 95 % interval: "12/40 = 30.0 % [18.1, 45.4]"; "0/0 = n/a" for nothing."""
    interval = wilson(successes, n)
    if interval is None:
        return "0/0 = n/a"
    return f"{successes}/{n} = {100 * successes / n:.1f} % [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"
