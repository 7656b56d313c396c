"""The figures of a retrieval audit: `verdicts/<run>/retrieval/result.json`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from ragtester.records.base import MeanValue, Proportion, Record
from ragtester.records.changes import QueryChanges
from ragtester.records.retrieval import FailureStage

AuditSource = Literal["answers", "search", "traces"]


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
    """One arm by itself: of the queries that it was asked, those of which it found some gold within K, or at all.

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
    """Queries whose primary stage it is: how many failed (a wrong answer), missed (lost evidence), or both.

    All three are None where no query could be looked at there; `unchecked` counts those that could not. `embeddings`
    holds the share under each embedding model, and is empty where there is one.
    """

    stage: FailureStage
    queries: Proportion | None
    failed: int | None
    missed: int | None
    unchecked: int = 0
    embeddings: dict[str, Proportion | None] = Field(default_factory=dict)
    cases: tuple[TellingCase, ...] = ()


class Unlabelled(Record):
    """Wrong answers to answerable questions without gold: their stage cannot be known.

    Of `failed` queries the claims of `traced` were looked for in the context, and those of `supported` all found.
    """

    failed: int = 0
    traced: int = 0
    supported: int = 0


class AccessTag(Record):
    """A tag of documents, and how many queries lost gold because their user has no tag of that kind."""

    tag: str
    documents: int
    queries: int


class AccessAccount(Record):
    """What access rules took out of the denominator. `documents` maps a document with tags to them.

    `leaking_queries` had chunks in their context that the user may not see; `leaks` are the first of their ids.
    """

    documents: dict[str, tuple[str, ...]]
    users: tuple[tuple[str, ...], ...] = ()
    hidden_queries: int = 0
    partly_hidden: int = 0
    hidden_chunks: int = 0
    leaking_queries: int = 0
    leaked_chunks: int = 0
    leaks: tuple[str, ...] = ()
    tags: tuple[AccessTag, ...] = ()


class BeforeAfter(QueryChanges):
    """Two audits of the same queries with the same K and the same access rules.

    `found` counts queries whose evidence was missed before and is not now, `lost` the reverse. `changed` names the
    settings that differ, with both values; None where the earlier audit does not tell them.
    """

    run: str
    embedding_before: str
    embedding_after: str
    found: int
    lost: int
    changed: tuple[str, ...] | None = None
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
    unlabelled: Unlabelled = Unlabelled()
    claims: tuple[ClaimFigures, ...] = ()
    access: AccessAccount
    before: tuple[BeforeAfter, ...] = ()
    reading: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
