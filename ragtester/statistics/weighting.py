"""Rates of a stratified sample, weighted back to the population."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragtester.statistics.intervals import Interval, quantile, score_interval


@dataclass(frozen=True)
class Stratum:
    """What a sample found in one stratum.

    `sampled` items stand for `population`, which need not be whole: a stratum may stand for others of which nothing is
    known. `counted` of those belong to the denominator and `successes` to the numerator.
    """

    successes: int
    counted: int
    sampled: int
    population: float

    def __post_init__(self) -> None:
        if not 0 <= self.successes <= self.counted <= self.sampled <= self.population:
            raise ValueError(f"not successes <= counted <= sampled <= population: {self}")


@dataclass(frozen=True)
class Weighted:
    """A rate weighted back to its population.

    `n` items were counted; `effective_n` is the size of the simple random sample that would know as much. `covered` of
    the `population` lies in strata that were sampled; nothing is known of the rest, and it is in no figure.
    """

    value: float
    n: int
    interval: Interval
    effective_n: float
    covered: float
    population: float


def weighted_rate(strata: Iterable[tuple[int, int, int]], confidence: float = 0.95) -> Weighted | None:
    """A rate from (successes, n, population) of each stratum; see `weighted_ratio`."""
    return weighted_ratio((Stratum(k, n, n, population) for k, n, population in strata), confidence)


def weighted_ratio(strata: Iterable[Stratum], confidence: float = 0.95) -> Weighted | None:
    """A rate over a stratified sample, every stratum weighted back to its population; None where nothing was counted.

    The ratio estimator, also for rates whose denominator is itself only known from the sample (recall: TP come from the
    failures, FN from the passes). Its variance is linearised, with residuals around 0 and without finite population
    correction, so that strata of a single item count at their worst (Cochran, Sampling Techniques, 1977, sections 6.11
    and 5A.12). The interval is Wilson's with the effective sample size, never above the true one (Korn and Graubard,
    Survey Methodology 24 (1998) 193-201).
    """
    known = list(strata)
    sampled = [stratum for stratum in known if stratum.sampled]
    weights = [stratum.population / stratum.sampled for stratum in sampled]
    n = sum(stratum.counted for stratum in sampled)
    if n == 0:
        return None
    total = sum(weight * stratum.counted for weight, stratum in zip(weights, sampled, strict=True))
    share = sum(weight * stratum.successes for weight, stratum in zip(weights, sampled, strict=True)) / total
    share = min(1.0, share)
    squares = sum(weight**2 * stratum.counted for weight, stratum in zip(weights, sampled, strict=True))
    variance = sum(
        weight**2 * (stratum.successes * (1 - share) ** 2 + (stratum.counted - stratum.successes) * share**2)
        for weight, stratum in zip(weights, sampled, strict=True)
    )
    # With all or nothing the variance says 0; what is left is how unequal the weights are (Kish 1965).
    effective = share * (1 - share) * total**2 / variance if variance and 0 < share < 1 else total**2 / squares
    effective = min(effective, n)
    return Weighted(
        value=share,
        n=n,
        interval=score_interval(share, effective, quantile(confidence)),
        effective_n=effective,
        covered=sum(stratum.population for stratum in sampled),
        population=sum(stratum.population for stratum in known),
    )
