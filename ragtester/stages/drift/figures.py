"""The figures of a run, and each of them in two runs over the same questions, with interval and paired test. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from ragtester.records import Moved
from ragtester.stages.drift.pairing import Pairing
from ragtester.stages.drift.rows import Place, QueryPlace, RunData
from ragtester.statistics import (
    Interval,
    PairedMeans,
    cluster_bootstrap_difference,
    mcnemar,
    paired_difference,
    paired_means,
    smallest_mean_change,
    smallest_paired_change,
    swapped_rates,
)

DIGITS = 9  # an answer costs a few millionths of a dollar
Counted = tuple[float, float]
"""What was counted, and of how many: 1 of 1 for a pass, 2 of 5 claims; a mean is its value of 1."""
Kind = Literal["share", "mean", "rate"]
Unit = Literal["share", "mean", "seconds", "usd"]


@dataclass(frozen=True)
class Figure:
    """One figure. `kind`: a "share" of answers, a "mean" of one value each, a "rate" of sums (claims of all answers).

    `worse` is 1 where more is worse, -1 where less is. `of` gives the value of one answer (or query), None without one.
    """

    name: str
    label: str
    layer: str
    unit: Unit
    kind: Kind
    worse: int
    of: Callable[[RunData, tuple[str, ...]], Counted | None]


def _passed(run: RunData, place: tuple[str, ...]) -> Counted | None:
    row = run.rows.get(_answer(place))
    return (float(row.status == "pass"), 1.0) if row and row.status in ("pass", "fail") else None


def _claims(name: str) -> Callable[[RunData, tuple[str, ...]], Counted | None]:
    def value(run: RunData, place: tuple[str, ...]) -> Counted | None:
        own = run.claims.get(_answer(place)) if run.claims is not None else None
        return (getattr(own, name), own.sent) if own else None

    return value


def _metric(name: str) -> Callable[[RunData, tuple[str, ...]], Counted | None]:
    def value(run: RunData, place: tuple[str, ...]) -> Counted | None:
        own = run.queries.get(_query(place)) if run.queries is not None else None
        return (float(getattr(own.metrics, name)), 1.0) if own else None

    return value


def _cover(name: str) -> Callable[[RunData, tuple[str, ...]], Counted | None]:
    def value(run: RunData, place: tuple[str, ...]) -> Counted | None:
        own = run.coverage.get(_answer(place)) if run.coverage is not None else None
        found = getattr(own, name) if own else None
        return None if found is None else (found, 1.0)

    return value


def _mentioned(run: RunData, place: tuple[str, ...]) -> Counted | None:
    own = run.coverage.get(_answer(place)) if run.coverage is not None else None
    return (own.mentioned, own.contradictions) if own else None


def _spent(name: str) -> Callable[[RunData, tuple[str, ...]], Counted | None]:
    def value(run: RunData, place: tuple[str, ...]) -> Counted | None:
        row = run.rows.get(_answer(place))
        found = getattr(row, name) if row else None
        return None if found is None else (found, 1.0)

    return value


def _answer(place: tuple[str, ...]) -> Place:
    llm, embedding, technique, case_id = place
    return llm, embedding, technique, case_id


def _query(place: tuple[str, ...]) -> QueryPlace:
    embedding, technique, case_id = place
    return embedding, technique, case_id


FIGURES = (
    Figure("unsupported", "unsupported claims", "claims", "share", "rate", 1, _claims("unsupported")),
    Figure("contradicted", "contradicted claims", "claims", "share", "rate", 1, _claims("contradicted")),
    Figure("pass_rate", "pass rate", "verdicts", "share", "share", -1, _passed),
    Figure("hit", "hit rate", "retrieval", "share", "share", -1, _metric("hit")),
    Figure("recall", "recall", "retrieval", "mean", "mean", -1, _metric("recall")),
    Figure("reciprocal_rank", "MRR", "retrieval", "mean", "mean", -1, _metric("reciprocal_rank")),
    Figure("ndcg", "nDCG", "retrieval", "mean", "mean", -1, _metric("ndcg")),
    Figure("coverage", "coverage", "coverage", "mean", "mean", -1, _cover("coverage")),
    Figure("supported_coverage", "supported coverage", "coverage", "mean", "mean", -1, _cover("supported")),
    Figure("mentioned", "mentioned contradictions", "coverage", "share", "rate", -1, _mentioned),
    Figure("latency", "latency", "calls", "seconds", "mean", 1, _spent("seconds")),
    Figure("cost", "cost", "calls", "usd", "mean", 1, _spent("cost")),
)
LABELS = {figure.name: figure.label for figure in FIGURES}
LAYER_FIGURES: Mapping[str, tuple[str, ...]] = {
    layer: tuple(figure.name for figure in FIGURES if figure.layer == layer)
    for layer in dict.fromkeys(figure.layer for figure in FIGURES)
}


@dataclass(frozen=True, slots=True)
class Valued:
    """A figure of one question on both sides; `cluster` is what is drawn anew in an interval."""

    one: Counted
    two: Counted
    cluster: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def valued(figure: Figure, pairing: Pairing, before: RunData, after: RunData) -> list[Valued]:
    """The pairs that have a value on both sides.

    Answers of one document share its text, so documents are drawn; where there is but one, questions are.
    """
    found = [
        (one, two, document, old, new)
        for document, old, new in _places(figure, pairing)
        if (one := figure.of(before, old)) is not None and (two := figure.of(after, new)) is not None
    ]
    several = len({document for _, _, document, _, _ in found}) > 1
    return [Valued(one, two, document if several else old[-1], old, new) for one, two, document, old, new in found]


def _places(figure: Figure, pairing: Pairing) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    if figure.layer == "retrieval":
        return ((query.document_id, query.before, query.after) for query in pairing.queries)
    return ((pair.one.document_id, pair.before, pair.after) for pair in pairing.pairs)


def moved(figure: Figure, values: Sequence[Valued], seed: int) -> Moved | None:
    """The figure before and after; None where no pair has a value, or nothing was counted on one side."""
    if not values or not all(total(side)[1] for side in ([v.one for v in values], [v.two for v in values])):
        return None
    if figure.kind == "rate":
        return _rate(figure, values, seed)
    found = paired_means([v.one[0] for v in values], [v.two[0] for v in values], [v.cluster for v in values], seed)
    if found is None:
        return None
    return _share(figure, values, found) if figure.kind == "share" else _mean(figure, found)


def total(values: Sequence[Counted]) -> Counted:
    """All that was counted, and of how many."""
    return fsum(one for one, _ in values), fsum(of for _, of in values)


def _share(figure: Figure, values: Sequence[Valued], found: PairedMeans) -> Moved:
    """McNemar's exact test; Newcombe's paired interval where documents show no spread."""
    lost, won = found.lower, found.higher
    both = sum(v.one[0] > 0 and v.two[0] > 0 for v in values)
    interval = found.difference.interval
    if interval is None:
        newcombe = paired_difference(both, won, lost, len(values) - both - won - lost)
        interval = newcombe.interval if newcombe else None
    smallest = smallest_paired_change(lost + won, len(values))
    return _record(figure, (found.before, found.after), (len(values),) * 3, interval, mcnemar(lost, won).p).model_copy(
        update={"test": "McNemar exact", "smallest": _rounded(smallest)}
    )


def _mean(figure: Figure, found: PairedMeans) -> Moved:
    interval, n = found.difference.interval, found.difference.n
    smallest = smallest_mean_change(interval)
    if smallest is None and figure.unit == "mean":
        # No query differs: what a change of whole queries from 0 to 1 would have to be.
        smallest = smallest_paired_change(found.higher + found.lower, n)
    return _record(figure, (found.before, found.after), (n,) * 3, interval, found.test.p).model_copy(
        update={"test": found.test.name, "smallest": _rounded(smallest)}
    )


def _rate(figure: Figure, values: Sequence[Valued], seed: int) -> Moved:
    """A rate over all claims: claims of an answer stay together in the test, those of a document in the interval."""
    groups: dict[str, list[tuple[float | None, float | None]]] = {}
    for v in values:
        own = groups.setdefault(v.cluster, [])
        own += [(bit, None) for bit in bits(v.two)]
        own += [(None, bit) for bit in bits(v.one)]
    one, two = total([v.one for v in values]), total([v.two for v in values])
    counts = int(one[1]), int(two[1]), len(values)
    interval = cluster_bootstrap_difference(groups, seed)
    smallest = smallest_mean_change(interval)
    if smallest is None:
        smallest = smallest_paired_change(0, sum(v.one[1] > 0 and v.two[1] > 0 for v in values))
    p = swapped_rates([(v.one, v.two) for v in values], seed)
    return _record(figure, (one[0] / one[1], two[0] / two[1]), counts, interval, p).model_copy(
        update={"test": "randomisation, answers swapped", "smallest": _rounded(smallest)}
    )


def bits(counted: Counted) -> Iterator[float]:
    """A 1 for each that was counted, a 0 for each of the others."""
    count, of = int(counted[0]), int(counted[1])
    return (float(place < count) for place in range(of))


def _record(
    figure: Figure, values: tuple[float, float], counts: tuple[int, int, int], interval: Interval | None, p: float
) -> Moved:
    return Moved(
        name=figure.name,
        layer=figure.layer,
        unit=figure.unit,
        before=_rounded(values[0]),
        before_n=counts[0],
        after=_rounded(values[1]),
        after_n=counts[1],
        pairs=counts[2],
        difference=_rounded(values[1] - values[0]),
        low=_rounded(interval.low) if interval else None,
        high=_rounded(interval.high) if interval else None,
        p=_rounded(p),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
