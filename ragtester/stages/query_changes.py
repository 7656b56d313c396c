"""The same queries under two searches: metric by metric with tests, and query by query. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from statistics import NormalDist

from ragtester.records import Direction, Flip, MeanValue, MetricComparison, Step
from ragtester.searching.reading import LEVEL
from ragtester.stages.means import mean_record
from ragtester.stages.query_steps import found_by, step_counts, step_of
from ragtester.stages.query_values import METRICS, Pair
from ragtester.statistics import holm, mcnemar, paired_cases_needed
from ragtester.statistics.means import PairedMeans, paired_means

POWER = 0.8


def compare_metrics(pairs: Sequence[Pair], seed: int, *, filtered: bool = False) -> tuple[MetricComparison, ...]:
    """Every metric that some query has on both sides; p-values are not corrected yet: see `corrected`.

    `filtered`: nothing but filters was changed.
    """
    found = (_metric(metric, pairs, seed, filtered) for metric in METRICS)
    return tuple(one for one in found if one is not None)


def corrected(families: Sequence[Sequence[MetricComparison]], others: Sequence[float] = ()) -> tuple[list[float], int]:
    """Holm's correction of all p-values together, in order, those of `others` last; and how many there are."""
    ps = [one.p for metrics in families for one in metrics] + list(others)
    found = holm({str(at): p for at, p in enumerate(ps)})
    return [round(found[str(at)], 6) for at in range(len(ps))], len(ps)


def _metric(metric: str, pairs: Sequence[Pair], seed: int, filtered: bool) -> MetricComparison | None:
    documents = [one.document_id for one, _ in pairs]
    found = paired_means([one.of(metric) for one, _ in pairs], [two.of(metric) for _, two in pairs], documents, seed)
    if found is None:
        return None
    p, name, more = found.test.p, found.test.name, _more(found)
    if metric == "hit":
        won = sum(two.metrics.hit and not one.metrics.hit for one, two in pairs)
        lost = sum(one.metrics.hit and not two.metrics.hit for one, two in pairs)
        p, name = mcnemar(lost, won).p, "McNemar exact"
        needed = paired_cases_needed(lost, won, len(pairs))
        more = None if needed is None else max(0, needed - len(pairs))
    difference = mean_record(found.difference)
    towards = direction(difference, found.higher + found.lower, p)
    return MetricComparison(
        metric=metric,
        before=round(found.before, 6),
        after=round(found.after, 6),
        difference=difference,
        test=name,
        p=round(p, 6),
        holm=round(p, 6),
        direction=towards,
        more=more if towards == "unclear" and p >= LEVEL else None,
        steps=step_counts(metric, pairs, rose=found.difference.value > 0, filtered=filtered),
    )


def direction(difference: MeanValue, differing: int, p: float) -> Direction:
    """Where a difference points to, if its interval over documents excludes 0 and its test speaks against chance.

    Both are asked for: the interval is too narrow where documents are few, and the test takes queries for independent.
    Where every document changed by the same there is no interval, and the test alone decides.
    """
    value = difference.value or 0.0
    low, high = (value if end is None else end for end in (difference.low, difference.high))
    if not differing:
        return "same"
    if p >= LEVEL or low <= 0 <= high:
        return "unclear"
    return "rose" if low > 0 else "fell"


def _more(found: PairedMeans) -> int | None:
    """About how many more queries would tell the difference from 0 with a power of 80 %, if it stays what it is.

    The interval's half width shrinks with the root of their number, so that n (1 + z_power / z)^2 (half / d)^2 do.
    """
    interval, d = found.difference.interval, found.difference.value
    if interval is None or not d:
        return None
    z = NormalDist().inv_cdf(0.975)
    half = (interval.high - interval.low) / 2
    needed = found.difference.n * ((1 + NormalDist().inv_cdf(POWER) / z) * half / d) ** 2
    return max(0, ceil(round(needed, 6)) - found.difference.n)


def flips(pairs: Sequence[Pair], same_gold: bool, *, filtered: bool = False) -> tuple[Flip, ...]:
    """The queries that flipped between hit and miss, or whose recall changed.

    Where other chunks are gold it is the share of the evidence: the recall of other chunks is another thing.
    """
    return tuple(_flips(pairs, "recall" if same_gold else "evidence", found_by(pairs, filtered=filtered)))


def _flips(pairs: Sequence[Pair], metric: str, first: Step) -> Iterator[Flip]:
    for one, two in pairs:
        was, now = one.of(metric), two.of(metric)
        flipped = one.metrics.hit != two.metrics.hit
        if not flipped and was == now:
            continue
        # Where what is found is the same, or is not known, the hit alone tells.
        won = two.metrics.hit if flipped or was is None or now is None else now > was
        yield Flip(
            query_id=one.query_id,
            document_id=one.document_id,
            question=one.question,
            won=won,
            hit_before=one.metrics.hit,
            hit_after=two.metrics.hit,
            recall_before=one.metrics.recall,
            recall_after=two.metrics.recall,
            evidence_before=one.metrics.evidence,
            evidence_after=two.metrics.evidence,
            step=step_of(metric, one, two, first, rose=won),
            gold_before=one.gold,
            gold_after=two.gold,
            rank_before=one.rank,
            rank_after=two.rank,
        )
