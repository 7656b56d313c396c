"""From audited queries to means, shares and slices. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ragtester.records import (
    ArmFigures,
    AuditedQuery,
    ClaimFigures,
    MeanValue,
    QueryLedger,
    RankingMetrics,
    RetrievalFigures,
)
from ragtester.stages.proportions import proportion
from ragtester.stages.retrieval.averages import mean_value

FEW = 10
"""Groups of fewer queries say little: they are put together, or marked."""


@dataclass(frozen=True)
class Audited:
    """A row with its metrics at other K, which the row itself does not keep."""

    row: AuditedQuery
    curve: Mapping[int, RankingMetrics] = field(default_factory=dict)


def ledger(embedding: str, rows: Iterable[AuditedQuery]) -> QueryLedger:
    """Every query of an embedding model, by what became of it."""
    count = Counter[str](row.status for row in rows)
    return QueryLedger(embedding=embedding, planned=count.total(), **count)


def figures(by: str, name: str, embedding: str, rows: Sequence[AuditedQuery], k: int | None = None) -> RetrievalFigures:
    """Figures of measured rows at their own K."""
    missed = [bool(row.missed) for row in rows if row.missed is not None]
    found = _figures(by, name, embedding, [(row.document_id, row.metrics) for row in rows if row.metrics], k)
    return found.model_copy(update={"missed": proportion(sum(missed), len(missed))})


def curve(embedding: str, audited: Sequence[Audited]) -> tuple[RetrievalFigures, ...]:
    """Figures at every K of the curve, over the queries whose ranks are known down to it."""
    depths = sorted({k for one in audited for k in one.curve})
    return tuple(
        _figures("curve", str(k), embedding, [(a.row.document_id, a.curve[k]) for a in audited if k in a.curve], k)
        for k in depths
    )


def whole_curve(overall: RetrievalFigures, points: Iterable[RetrievalFigures]) -> list[RetrievalFigures]:
    """The K down to which the ranks of every query are known: with fewer queries a row could not be compared."""
    return [one for one in points if (one.embedding, one.queries) == (overall.embedding, overall.queries)]


def _figures(
    by: str, name: str, embedding: str, measured: Sequence[tuple[str, RankingMetrics]], k: int | None
) -> RetrievalFigures:
    def mean(value: Callable[[RankingMetrics], float | None]) -> MeanValue:
        return mean_value([(document, value(metrics)) for document, metrics in measured])

    return RetrievalFigures(
        by=by,
        name=name,
        embedding=embedding,
        k=k,
        queries=len(measured),
        hit=proportion(sum(metrics.hit for _, metrics in measured), len(measured)),
        recall=mean(lambda one: one.recall),
        precision=mean(lambda one: one.precision),
        reciprocal_rank=mean(lambda one: one.reciprocal_rank),
        ndcg=mean(lambda one: one.ndcg),
        average_precision=mean(lambda one: one.average_precision),
        evidence=mean(lambda one: one.evidence),
    )


def claim_figures(embedding: str, rows: Iterable[AuditedQuery]) -> list[ClaimFigures]:
    """Means of the metrics by claims, for each way they were found."""
    ways: dict[str, list[AuditedQuery]] = {}
    for row in rows:
        if row.claims:
            ways.setdefault(row.claims.by, []).append(row)
    return [
        ClaimFigures(
            embedding=embedding,
            by=by,
            queries=len(own),
            recall=mean_value([(row.document_id, row.claims.recall) for row in own if row.claims]),
            precision=mean_value([(row.document_id, row.claims.precision) for row in own if row.claims]),
        )
        for by, own in sorted(ways.items())
    ]


def found_by(arms: Iterable[str]) -> str:
    """The arms that found a chunk, in words: "bm25", "bm25 + dense"."""
    return " + ".join(sorted(arms)) or "not known"


def arm_figures(embedding: str, rows: Sequence[AuditedQuery]) -> list[ArmFigures]:
    """Every arm by itself, over the measured rows that it was asked for; nothing where a single arm was asked."""
    arms = sorted({arm for row in rows for gold in row.gold for arm in gold.arms})
    chunks = Counter(arms for row in rows for arms in row.arms_of_context if arms)
    return [_arm(embedding, arm, rows, chunks) for arm in arms] if len(arms) > 1 else []


def _arm(embedding: str, arm: str, rows: Sequence[AuditedQuery], chunks: Counter[tuple[str, ...]]) -> ArmFigures:
    rows = [row for row in rows if any(arm in gold.arms for gold in row.gold)]
    best = [min((r for gold in row.gold if (r := gold.arms.get(arm)) is not None), default=None) for row in rows]
    return ArmFigures(
        embedding=embedding,
        arm=arm,
        at_k=proportion(sum(r is not None and r <= row.k for r, row in zip(best, rows, strict=True)), len(rows)),
        found=proportion(sum(r is not None for r in best), len(rows)),
        alone=proportion(chunks[arm,], chunks.total()),
    )
