"""What of a measured query is compared: its metrics, its gold, and what of that each step of its path had. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ragtester.records import AuditedQuery, ExperimentQuery, RankingMetrics, StepMetrics

METRICS = {
    "hit": "hit rate",
    "recall": "recall",
    "precision": "precision",
    "reciprocal_rank": "MRR",
    "ndcg": "nDCG",
    "average_precision": "average precision",
    "evidence": "evidence",
}
"""Fields of `RankingMetrics` with the name of their mean."""


@dataclass(frozen=True, slots=True)
class Value:
    """One query as it is compared.

    `gold` are the chunks that count, `arms` the rank of each in every arm, `rank` that of the first in the context.
    """

    query_id: str
    document_id: str
    question: str
    metrics: RankingMetrics
    candidates: StepMetrics | None
    ranked: StepMetrics | None
    gold: tuple[str, ...]
    arms: tuple[Mapping[str, int | None], ...]
    rank: int | None

    def of(self, metric: str) -> float | None:
        """The value of a metric; 1 or 0 for a hit."""
        value = getattr(self.metrics, metric)
        return None if value is None else float(value)


Pair = tuple[Value, Value]


def value_of(row: ExperimentQuery | AuditedQuery, metrics: RankingMetrics) -> Value:
    """What is compared of a measured row."""
    ranks = [one.context for one in row.gold if one.context is not None]
    return Value(
        query_id=row.query_id,
        document_id=row.document_id,
        question=row.question,
        metrics=metrics,
        candidates=row.candidates,
        ranked=row.ranked,
        gold=tuple(one.id for one in row.gold),
        arms=tuple(one.arms for one in row.gold),
        rank=min(ranks, default=None),
    )


def paired(before: Mapping[str, Value], after: Mapping[str, Value]) -> tuple[list[Pair], int]:
    """The queries that both measured, by id, in the order of the first; and how many only one did."""
    return [(one, after[name]) for name, one in before.items() if name in after], len(before.keys() ^ after.keys())


def is_same_gold(pairs: Iterable[Pair]) -> bool:
    """Whether the same chunks count on both sides of every query."""
    return all(set(one.gold) == set(two.gold) for one, two in pairs)
