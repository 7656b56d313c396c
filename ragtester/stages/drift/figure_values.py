"""The figures of a run, and what each counts of an answer or a query. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from ragtester.stages.drift.rows import Place, QueryPlace, RunData

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


def total(values: Sequence[Counted]) -> Counted:
    """All that was counted, and of how many."""
    return fsum(one for one, _ in values), fsum(of for _, of in values)


def bits(counted: Counted) -> Iterator[float]:
    """A 1 for each that was counted, a 0 for each of the others."""
    count, of = int(counted[0]), int(counted[1])
    return (float(place < count) for place in range(of))
