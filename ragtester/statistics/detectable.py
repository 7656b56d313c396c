"""The smallest change that a comparison of the same cases can see at its size."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

from ragtester.statistics.intervals import Interval, quantile


def smallest_paired_change(discordant: int, n: int, power: float = 0.8, confidence: float = 0.95) -> float | None:
    """The smallest difference of two shares that McNemar's test of `n` cases sees with `power`; None for no cases.

    `discordant` of the cases differed; as many are taken to differ again, or all in one direction where the change
    takes more. The inverse of `paired_cases_needed` (Connor, Biometrics 43 (1987) 207-211): the least d with
    ((z_a sqrt(psi) + z_b sqrt(psi - d^2)) / d)^2 <= n and psi = max(discordant / n, d). None where not even a change of
    all cases would be seen.
    """
    if not 0 <= discordant <= n:
        raise ValueError(f"{discordant} discordant cases of {n}")
    if n == 0:
        return None
    alpha, beta = quantile(confidence), NormalDist().inv_cdf(power)

    def seen(d: float) -> bool:
        psi = max(discordant / n, d)
        return alpha * sqrt(psi) + beta * sqrt(max(0.0, psi - d * d)) <= d * sqrt(n)

    if not seen(1.0):
        return None
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if seen(middle) else (middle, high)
    return high


def smallest_mean_change(interval: Interval | None, power: float = 0.8, confidence: float = 0.95) -> float | None:
    """The smallest difference of means that is seen with `power`, from the interval of the one that was found.

    (z_a + z_b) standard errors, with half the interval's width as z_a of them; None without an interval.
    """
    if interval is None:
        return None
    z = quantile(confidence)
    return (z + NormalDist().inv_cdf(power)) * (interval.high - interval.low) / (2 * z)
