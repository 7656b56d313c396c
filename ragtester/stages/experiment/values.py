"""What of the measured rows is compared: one value a query and metric. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragtester.records import ExperimentQuery, MeanValue, Proportion, QueryLedger, RankingMetrics
from ragtester.stages.means import mean_record
from ragtester.stages.proportions import proportion
from ragtester.statistics.means import mean

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
    """One query as it is compared; `gold` are the chunks that count, `rank` that of the first of them."""

    query_id: str
    document_id: str
    question: str
    metrics: RankingMetrics
    gold: tuple[str, ...]
    rank: int | None

    def of(self, metric: str) -> float | None:
        """The value of a metric; 1 or 0 for a hit."""
        value = getattr(self.metrics, metric)
        return None if value is None else float(value)


@dataclass
class Measurement:
    """All queries of one point: the measured ones by id with the characters of their contexts; the account of all."""

    values: dict[str, Value]
    ledger: QueryLedger
    characters: dict[str, int]

    @classmethod
    def of(cls, embedding: str, rows: Iterable[ExperimentQuery]) -> Measurement:
        """Take what is compared out of the rows."""
        values: dict[str, Value] = {}
        statuses: Counter[str] = Counter()
        characters: dict[str, int] = {}
        for row in rows:
            statuses[row.status] += 1
            if row.metrics is not None:
                values[row.query_id] = value_of(row, row.metrics)
                characters[row.query_id] = row.context_characters
        return cls(values, QueryLedger(embedding=embedding, planned=statuses.total(), **statuses), characters)

    def hits(self) -> Proportion:
        """The share of measured queries with a gold chunk in the context."""
        return proportion(sum(one.metrics.hit for one in self.values.values()), len(self.values))

    def means(self, seed: int) -> dict[str, MeanValue]:
        """Mean of every metric, with its interval over documents."""
        own = list(self.values.values())
        documents = [one.document_id for one in own]
        return {metric: mean_record(mean([one.of(metric) for one in own], documents, seed)) for metric in METRICS}

    def context(self, seed: int) -> MeanValue:
        """Mean number of characters in a context."""
        documents = [one.document_id for one in self.values.values()]
        return mean_record(mean([float(self.characters[name]) for name in self.values], documents, seed))


def value_of(row: ExperimentQuery, metrics: RankingMetrics) -> Value:
    """What is compared of a measured row."""
    ranks = [one.context for one in row.gold if one.context is not None]
    gold = tuple(one.id for one in row.gold)
    return Value(row.query_id, row.document_id, row.question, metrics, gold, min(ranks, default=None))


def paired(before: Measurement, after: Measurement) -> list[tuple[Value, Value]]:
    """The queries that both measured, in the order of the first."""
    return [(one, after.values[name]) for name, one in before.values.items() if name in after.values]


def share_lost(pairs: Sequence[tuple[Value, Value]]) -> tuple[int, int]:
    """Hits won and hits lost."""
    won = sum(two.metrics.hit and not one.metrics.hit for one, two in pairs)
    return won, sum(one.metrics.hit and not two.metrics.hit for one, two in pairs)
