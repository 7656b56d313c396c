"""Tests of two systems or techniques, each with an effect size and its interval; Holm's correction; needed sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, exp, log, sqrt
from statistics import NormalDist

from ragtester.statistics.intervals import Interval, quantile
from ragtester.statistics.packages import load


@dataclass(frozen=True)
class Test:
    """A two-sided test. `n` is what it rests on; `effect` and `interval` are None where the effect is undefined.

    Where there is nothing to compare, `p` is 1: such data speak against nothing.
    """

    __test__ = False  # no test case, whatever pytest makes of the name

    p: float
    name: str
    n: int
    effect: float | None
    effect_name: str
    interval: Interval | None


def mcnemar(b: int, c: int, confidence: float = 0.95) -> Test:
    """McNemar's exact test for the same cases with two systems: `b` only the first passed, `c` only the second.

    The two-sided binomial test of b among b + c at one half; `n` counts these discordant cases. The effect is the
    conditional odds ratio b/c with the interval of Clopper and Pearson for b / (b + c), as odds. Where b or c is 0 that
    interval is open: one half is added to both, the interval is Woolf's, and `effect_name` says so.
    """
    _counts(b, c)
    name = "McNemar exact"
    if b + c == 0:
        return Test(1.0, name, 0, None, "odds ratio", None)
    special = load(
        "scipy.special"
    )  # a hundred times as fast as scipy.stats.binomtest, and loaded in a tenth of its time
    p = min(1.0, 2 * float(special.bdtr(min(b, c), b + c, 0.5)))
    if b == 0 or c == 0:
        ratio, interval = _woolf([b + 0.5], [c + 0.5], confidence)
        return Test(p, name, b + c, ratio, "odds ratio, 0.5 added", interval)
    tail = (1 - confidence) / 2
    low, high = float(special.betaincinv(b, c + 1, tail)), float(special.betaincinv(b + 1, c, 1 - tail))
    return Test(p, name, b + c, b / c, "odds ratio", Interval(low / (1 - low), high / (1 - high)))


def fisher(a: int, b: int, c: int, d: int, confidence: float = 0.95) -> Test:
    """Fisher's exact test of two groups of different cases.

    `a` passed and `b` failed in the first, `c` and `d` in the second. The effect is the odds ratio ad / bc with Woolf's
    interval on the logarithm; where a cell is 0, one half is added to each (Haldane 1956, Anscombe 1956) and
    `effect_name` says so. None where a group is empty.
    """
    _counts(a, b, c, d)
    name = "Fisher exact"
    if a + b == 0 or c + d == 0:
        return Test(1.0, name, a + b + c + d, None, "odds ratio", None)
    p = min(1.0, float(load("scipy.stats").fisher_exact([[a, b], [c, d]]).pvalue))
    shift = 0.0 if min(a, b, c, d) else 0.5
    ratio, interval = _woolf([a + shift, d + shift], [b + shift, c + shift], confidence)
    return Test(p, name, a + b + c + d, ratio, "odds ratio, 0.5 added" if shift else "odds ratio", interval)


def _woolf(above: Sequence[float], below: Sequence[float], confidence: float) -> tuple[float, Interval]:
    """A ratio of products of counts and Woolf's (1955) interval: its logarithm's variance is the sum of 1 / count."""
    logarithm = sum(map(log, above)) - sum(map(log, below))
    half = quantile(confidence) * sqrt(sum(1 / count for count in (*above, *below)))
    return exp(logarithm), Interval(exp(logarithm - half), exp(logarithm + half))


def _counts(*counts: int) -> None:
    if min(counts) < 0:
        raise ValueError(f"negative counts: {counts}")


def vargha_delaney(x: Sequence[float], y: Sequence[float], confidence: float = 0.95) -> Test:
    """The chance that a value of `x` is above one of `y`, ties counting half (A12; Vargha and Delaney 2000).

    `p` is the Mann-Whitney test's. The interval is Newcombe's (Statistics in Medicine 25 (2006) 559-573, method 5): it
    stays within 0 and 1 and does not close at its ends; with many ties it is rather wide.
    """
    name, n = "Mann-Whitney", len(x) + len(y)
    if not x or not y:
        return Test(1.0, name, n, None, "A12", None)
    if len(set(x).union(y)) == 1:  # no ranks to speak of
        return Test(1.0, name, n, 0.5, "A12", _area_interval(0.5, len(x), len(y), confidence))
    found = load("scipy.stats").mannwhitneyu(x, y, alternative="two-sided")
    area = float(found.statistic) / (len(x) * len(y))
    return Test(min(1.0, float(found.pvalue)), name, n, area, "A12", _area_interval(area, len(x), len(y), confidence))


def _area_interval(area: float, m: int, n: int, confidence: float) -> Interval:
    """All areas t with |t - area| <= z * sd(t), where sd is Hanley and McNeil's with (m + n) / 2 for both sizes."""
    z, half = quantile(confidence), (m + n) / 2 - 1

    def inside(t: float) -> bool:
        spread = 1 + half * ((1 - t) / (2 - t) + t / (1 + t))
        return (t - area) ** 2 <= z * z * t * (1 - t) * spread / (m * n)

    return Interval(_edge(inside, area, 0.0), _edge(inside, area, 1.0))


def _edge(inside: Callable[[float], bool], near: float, far: float) -> float:
    """Where a condition that holds at `near` ends on the way to `far`, by bisection; `far` where it never does."""
    if near == far:
        return far
    for _ in range(60):
        middle = (near + far) / 2
        near, far = (middle, far) if inside(middle) else (near, middle)
    return near


def holm(ps: dict[str, float]) -> dict[str, float]:
    """P-values corrected for their number, step down (Holm 1979): valid however the tests depend on one another."""
    corrected: dict[str, float] = {}
    highest = 0.0
    for rank, (name, p) in enumerate(sorted(ps.items(), key=lambda item: item[1])):
        highest = max(highest, min(1.0, (len(ps) - rank) * p))
        corrected[name] = highest
    return {name: corrected[name] for name in ps}


def paired_cases_needed(b: int, c: int, n: int, power: float = 0.8, confidence: float = 0.95) -> int | None:
    """Cases in all that McNemar's test needs to see the observed difference with `power`; None where there is none.

    `b` and `c` are the discordant cases of `n`; what is still missing is the result less `n`. Connor, Biometrics 43
    (1987) 207-211: ((z_a sqrt(psi) + z_b sqrt(psi - d^2)) / d)^2 with psi = (b + c) / n and d = (b - c) / n.
    """
    _counts(b, c, n)
    if b + c > n:
        raise ValueError(f"{b + c} discordant cases of {n}")
    if b == c:
        return None
    psi, d = (b + c) / n, (b - c) / n
    reach = quantile(confidence) * sqrt(psi) + NormalDist().inv_cdf(power) * sqrt(psi - d * d)
    return _up((reach / d) ** 2)


def unpaired_cases_needed(p1: float, p2: float, power: float = 0.8, confidence: float = 0.95) -> int | None:
    """Cases of each of two equal groups to see shares `p1` and `p2` differ with `power`; None where they do not differ.

    The normal formula with pooled variance under the null hypothesis, without continuity correction (Fleiss, Levin and
    Paik, Statistical Methods for Rates and Proportions, 2003, section 4.2).
    """
    if not (0 <= p1 <= 1 and 0 <= p2 <= 1):
        raise ValueError(f"shares {p1} and {p2}")
    if p1 == p2:
        return None
    pooled = (p1 + p2) / 2
    null, other = sqrt(2 * pooled * (1 - pooled)), sqrt(p1 * (1 - p1) + p2 * (1 - p2))
    reach = quantile(confidence) * null + NormalDist().inv_cdf(power) * other
    return _up((reach / (p1 - p2)) ** 2)


def _up(cases: float) -> int:
    return ceil(round(cases, 9))


def format_p(p: float) -> str:
    """ "p = 0.012"; "p < 0.001" below that."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
