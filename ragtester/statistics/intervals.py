"""Intervals of rates."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist


@dataclass(frozen=True)
class Interval:
    """A confidence interval, `low <= high`: of a share within 0 and 1, of a difference of shares within -1 and 1."""

    low: float
    high: float


@dataclass(frozen=True)
class Quantity:
    """A number with its interval and the count it rests on."""

    value: float
    n: int
    interval: Interval | None = None


def quantile(confidence: float) -> float:
    """The two-sided standard normal quantile: 1.96 for 0.95."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence} is not between 0 and 1")
    upper = (1 + confidence) / 2
    # Next to 1 the upper end is rounded to 1 itself; the lower one is not.
    return NormalDist().inv_cdf(upper) if upper < 1 else -NormalDist().inv_cdf((1 - confidence) / 2)


def wilson(successes: int, n: int, confidence: float = 0.95) -> Interval | None:
    """Wilson's score interval of a share (Wilson 1927, without continuity correction); None for an empty denominator.

    Raises ValueError where `successes` is not within 0 and `n`.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    return score_interval(successes / n, n, quantile(confidence)) if n else None


def score_interval(share: float, n: float, z: float) -> Interval:
    """Wilson's formula; `n` need not be whole."""
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At 0 and n the formula gives exactly 0 and 1; rounding of floats must not step over them.
    return Interval(0.0 if share == 0 else middle - half, 1.0 if share == 1 else middle + half)


def format_rate(successes: int, n: int) -> str:
    """A rate with its count and 95 % interval: "12/40 = 30.0 % [18.1, 45.4]"; "0/0 = n/a" for nothing."""
    interval = wilson(successes, n)
    if interval is None:
        return "0/0 = n/a"
    return f"{successes}/{n} = {100 * successes / n:.1f} % [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"
