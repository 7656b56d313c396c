"""All queries of one point: their values, their account, their means. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ragtester.records import ExperimentQuery, MeanValue, Proportion, QueryLedger
from ragtester.stages.means import mean_record
from ragtester.stages.proportions import proportion
from ragtester.stages.query_values import METRICS, Value, value_of
from ragtester.statistics.means import mean


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
