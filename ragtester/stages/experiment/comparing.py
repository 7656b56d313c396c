"""A variant against the baseline: the same queries, metric by metric, with tests corrected for their number. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import NormalDist

from ragtester.records import (
    Comparison,
    Direction,
    Flip,
    GenerationChange,
    MeanValue,
    MetricComparison,
)
from ragtester.stages.experiment.points import Pair
from ragtester.stages.experiment.reading import reading
from ragtester.stages.experiment.values import METRICS, Measurement, Value, paired, share_lost
from ragtester.stages.means import mean_record
from ragtester.stages.proportions import proportion
from ragtester.statistics import holm, mcnemar, paired_cases_needed
from ragtester.statistics.means import PairedMeans, paired_means

POWER = 0.8
LEVEL = 0.05


@dataclass(frozen=True)
class Graded:
    """One graded answer of a variant's run: whether it failed."""

    document_id: str
    failed: bool


Grades = dict[tuple[str, str, str], Graded]
"""By LLM, technique and case id."""


@dataclass(frozen=True)
class Generated:
    """The graded answers of both runs under one embedding model each."""

    run_before: str
    run_after: str
    before: Grades
    after: Grades


def compare(
    pair: Pair, before: Measurement, after: Measurement, seed: int, generated: Generated | None = None
) -> Comparison:
    """One variant's comparison; p-values are not corrected yet: see `correct`."""
    pairs = paired(before, after)
    same_gold = all(one.gold == two.gold for one, two in pairs)
    metrics = tuple(found for metric in METRICS if (found := _metric(metric, pairs, seed)) is not None)
    generation = _generation(generated, seed) if generated else None
    return Comparison(
        variant=pair.after.name,
        embedding_before=pair.before.embedding,
        embedding_after=pair.after.embedding,
        combination=pair.combination,
        changes=pair.after.changes,
        queries=len(pairs),
        apart=len(before.values.keys() ^ after.values.keys()),
        same_gold=same_gold,
        metrics=metrics,
        flips=tuple(_flip(one, two) for one, two in pairs if one.metrics.hit != two.metrics.hit),
        generation=generation,
        reading=reading({one.metric: one for one in metrics}, same_gold, generation),
    )


def correct(comparisons: Sequence[Comparison]) -> tuple[tuple[Comparison, ...], int]:
    """Holm's correction over all tests of the experiment, one family; gives its size too."""
    ps = {(at, one.metric): one.p for at, each in enumerate(comparisons) for one in each.metrics}
    ps |= {(at, ""): each.generation.p for at, each in enumerate(comparisons) if each.generation}
    names = {repr(place): place for place in ps}
    corrected = holm({name: ps[place] for name, place in names.items()})
    by_place = {names[name]: round(p, 6) for name, p in corrected.items()}
    made = []
    for at, each in enumerate(comparisons):
        metrics = tuple(one.model_copy(update={"holm": by_place[at, one.metric]}) for one in each.metrics)
        generation = each.generation and each.generation.model_copy(update={"holm": by_place[at, ""]})
        made.append(each.model_copy(update={"metrics": metrics, "generation": generation}))
    return tuple(made), len(ps)


def _metric(metric: str, pairs: Sequence[tuple[Value, Value]], seed: int) -> MetricComparison | None:
    """None where no query has the metric on both sides."""
    documents = [one.document_id for one, _ in pairs]
    found = paired_means([one.of(metric) for one, _ in pairs], [two.of(metric) for _, two in pairs], documents, seed)
    if found is None:
        return None
    p, name, more = found.test.p, found.test.name, _more(found)
    if metric == "hit":
        won, lost = share_lost(pairs)
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
        more=more if towards == "unclear" else None,
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


def _flip(one: Value, two: Value) -> Flip:
    return Flip(
        query_id=one.query_id,
        document_id=one.document_id,
        question=one.question,
        won=two.metrics.hit,
        gold_before=one.gold,
        gold_after=two.gold,
        rank_before=one.rank,
        rank_after=two.rank,
    )


def _generation(generated: Generated, seed: int) -> GenerationChange | None:
    """Failure rates of the answers that both runs have a grade for; None where there is none."""
    places = [place for place in generated.before if place in generated.after]
    pairs = [(generated.before[place], generated.after[place]) for place in places]
    found = paired_means(
        [float(one.failed) for one, _ in pairs],
        [float(two.failed) for _, two in pairs],
        [one.document_id for one, _ in pairs],
        seed,
    )
    if found is None:
        return None
    won = sum(one.failed and not two.failed for one, two in pairs)
    lost = sum(two.failed and not one.failed for one, two in pairs)
    difference = mean_record(found.difference)
    needed = paired_cases_needed(lost, won, len(pairs))
    p = round(mcnemar(lost, won).p, 6)
    towards = direction(difference, won + lost, p)
    return GenerationChange(
        run_before=generated.run_before,
        run_after=generated.run_after,
        before=proportion(sum(one.failed for one, _ in pairs), len(pairs)),
        after=proportion(sum(two.failed for _, two in pairs), len(pairs)),
        difference=difference,
        won=won,
        lost=lost,
        p=p,
        holm=p,
        direction=towards,
        more=None if needed is None or towards != "unclear" else max(0, needed - len(pairs)),
    )
