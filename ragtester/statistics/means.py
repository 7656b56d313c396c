"""Means of one value a query, and of the same queries before and after a change, with intervals over documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from ragtester.statistics.bootstrap import REPEATS, cluster_bootstrap, percentiles
from ragtester.statistics.comparison import Test
from ragtester.statistics.intervals import Interval, Quantity
from ragtester.statistics.packages import load
from ragtester.statistics.randomisation import sign_flips

SEED = 1
# Differences of sums of the same terms in another order are none.
DIGITS = 12


def mean(
    values: Sequence[float | None], clusters: Sequence[str], seed: int = SEED, confidence: float = 0.95
) -> Quantity | None:
    """Mean of the values that are there, `n` of them, with its bootstrap interval; None where there is none.

    `clusters` names the document of each value: documents are resampled (`cluster_bootstrap`). Where all values are of
    one document, values are resampled: that interval knows of other queries to this document, not of other documents.
    The interval is None where nothing differs, which is no certainty. Raises ValueError for unequal lengths.
    """
    groups: dict[str, list[float]] = {}
    for value, name in zip(values, clusters, strict=True):
        if value is not None:
            groups.setdefault(name, []).append(value)
    there = [value for group in groups.values() for value in group]
    if not there:
        return None
    if len(groups) > 1:
        interval = cluster_bootstrap(groups, seed, confidence=confidence)
    else:
        interval = _bootstrap(there, seed, confidence)
    return Quantity(fmean(there), len(there), interval)


def _bootstrap(values: Sequence[float], seed: int, confidence: float) -> Interval | None:
    """Interval of the mean, values resampled with replacement; equal values are drawn together."""
    np = load("numpy")
    counts = Counter(sorted(values))
    drawn = np.random.default_rng(seed).multinomial(
        len(values), np.array(list(counts.values())) / len(values), size=REPEATS
    )
    return percentiles(drawn @ np.array(list(counts)) / len(values), confidence)


@dataclass(frozen=True)
class PairedMeans:
    """The same queries before and after a change.

    `before` and `after` are the means over the `difference.n` queries that have a value on both sides, `difference` is
    after minus before. `higher`, `lower` and `same` count the queries whose value rose, fell, and did not change.
    """

    before: float
    after: float
    difference: Quantity
    test: Test
    higher: int
    lower: int
    same: int


def paired_means(
    before: Sequence[float | None], after: Sequence[float | None], clusters: Sequence[str], seed: int = SEED
) -> PairedMeans | None:
    """Compare one value a query before and after; None where no query has both. For hits there is `mcnemar`.

    The interval is that of `mean` for the differences. The test is `sign_flips`: it tests the mean itself, unlike
    Wilcoxon's. It takes queries for independent, the interval does not: where they disagree, believe the interval.
    Raises ValueError for unequal lengths.
    """
    pairs = [
        (one, two, name)
        for one, two, name in zip(before, after, clusters, strict=True)
        if one is not None and two is not None
    ]
    differences = [round(two - one, DIGITS) for one, two, _ in pairs]
    difference = mean(differences, [name for _, _, name in pairs], seed)
    if difference is None:
        return None
    higher, lower = sum(one > 0 for one in differences), sum(one < 0 for one in differences)
    return PairedMeans(
        before=fmean(one for one, _, _ in pairs),
        after=fmean(two for _, two, _ in pairs),
        difference=difference,
        test=Test(
            p=sign_flips(differences, seed),
            name="randomisation of signs",
            n=len(pairs),
            effect=difference.value,
            effect_name="mean difference",
            interval=difference.interval,
        ),
        higher=higher,
        lower=lower,
        same=len(pairs) - higher - lower,
    )
