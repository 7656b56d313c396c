"""The figures of a retrieval audit: `verdicts/<run>/retrieval/result.json`."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from ragtester.records.base import Proportion, Record
from ragtester.records.retrieval import FailureStage

AuditSource = Literal["answers", "search", "traces"]


class MeanValue(Record):
    """A mean over `n` queries with its 95 % interval; None where there is nothing, or no spread to tell of."""

    value: float | None = None
    n: int = 0
    low: float | None = None
    high: float | None = None


class QueryLedger(Record):
    """Every query of an embedding model: `planned = measured + no_gold + hidden_gold + unfinished`."""

    embedding: str
    planned: int
    measured: int = 0
    no_gold: int = 0
    hidden_gold: int = 0
    unfinished: int = 0

    @model_validator(mode="after")
    def _adds_up(self) -> QueryLedger:
        total = self.measured + self.no_gold + self.hidden_gold + self.unfinished
        if total != self.planned:
            raise ValueError(f"planned {self.planned} but {total} accounted for")
        return self


class RetrievalFigures(Record):
    """Of one group of measured queries under one embedding model.

    `by` names what the group is a part of ("" for all, "curve" for all at another K), `name` the part. `evidence` is
    the share of the evidence's characters in the context and counts queries with spans only. `missed` counts queries
    whose evidence did not wholly reach the context.
    """

    by: str
    name: str
    embedding: str
    k: int | None = None
    queries: int
    hit: Proportion
    recall: MeanValue
    precision: MeanValue
    reciprocal_rank: MeanValue
    ndcg: MeanValue
    average_precision: MeanValue
    evidence: MeanValue
    missed: Proportion | None = None


class ClaimFigures(Record):
    """Context recall and precision by claims, means over the queries that were measured so."""

    embedding: str
    by: str
    queries: int
    recall: MeanValue
    precision: MeanValue


class ArmFigures(Record):
    """One arm by itself: queries of which it found some gold within K, and anywhere among its hits.

    `alone` counts chunks of the final contexts that no other arm found, of all whose arms are known.
    """

    embedding: str
    arm: str
    at_k: Proportion
    found: Proportion
    alone: Proportion


class TellingCase(Record):
    """One query that shows a stage at work."""

    query_id: str
    document_id: str
    embedding: str
    question: str
    cause: str
    seen: str
    fix: str


class StageFigures(Record):
    """Queries whose primary stage it is: how many failed (a wrong answer), missed (lost evidence), or both."""

    stage: FailureStage
    queries: Proportion
    failed: int
    missed: int
    cases: tuple[TellingCase, ...] = ()


class AccessTag(Record):
    """A tag of documents, and how many queries lost gold because their user has no tag of that kind."""

    tag: str
    documents: int
    queries: int


class AccessAccount(Record):
    """What access rules took out of the denominator. `documents` maps a document with tags to them."""

    documents: dict[str, tuple[str, ...]]
    users: tuple[tuple[str, ...], ...] = ()
    hidden_queries: int = 0
    partly_hidden: int = 0
    hidden_chunks: int = 0
    tags: tuple[AccessTag, ...] = ()


class MetricChange(Record):
    """A metric before and after over the same queries; `difference` is after minus before, with its interval."""

    metric: str
    before: float | None
    after: float | None
    difference: MeanValue


class BeforeAfter(Record):
    """Two audits of the same queries with the same K and the same access rules.

    `found` counts queries whose evidence was missed before and is not now, `lost` the reverse.
    """

    run: str
    embedding_before: str
    embedding_after: str
    queries: int
    changes: tuple[MetricChange, ...]
    found: int
    lost: int
    reading: str = ""


class RetrievalResult(Record):
    """`result.json`. `source` says where the traces came from; `reading` puts the figures in sentences.

    `arms` is empty where a single arm was asked. `diagnosed` counts queries with a stage.
    """

    run: str
    suite: str
    source: AuditSource
    k: tuple[int, ...]
    embeddings: tuple[str, ...]
    ledgers: tuple[QueryLedger, ...]
    overall: tuple[RetrievalFigures, ...]
    curve: tuple[RetrievalFigures, ...] = ()
    slices: tuple[RetrievalFigures, ...] = ()
    arms: tuple[ArmFigures, ...] = ()
    diagnosed: int = 0
    stages: tuple[StageFigures, ...] = ()
    claims: tuple[ClaimFigures, ...] = ()
    access: AccessAccount
    before: tuple[BeforeAfter, ...] = ()
    reading: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
