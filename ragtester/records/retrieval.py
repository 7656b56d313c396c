"""The retrieval audit: what each query lost, where, and what came of it."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from ragtester.records.base import Call, Failure, Record
from ragtester.records.suite import CaseType

FailureStage = Literal[
    "ingestion",
    "parse",
    "chunk",
    "embed/index",
    "retrieve",
    "fuse/threshold",
    "filter/ACL",
    "rerank/pack",
    "generate",
    "label",
]
FAILURE_STAGES: tuple[FailureStage, ...] = get_args(FailureStage)
# Failures that no change of the retrieval path would mend.
NOT_RETRIEVAL: frozenset[FailureStage] = frozenset({"generate", "label"})
QueryStatus = Literal["measured", "no_gold", "hidden_gold", "unfinished"]


class GoldRank(Record):
    """Where one gold chunk stood: ranks from 1, None where it was not there. `grade` is its relevance, 1 to 100."""

    id: str
    grade: int
    arms: dict[str, int | None] = Field(default_factory=dict)
    fused: int | None = None
    reranked: int | None = None
    context: int | None = None


class RankingMetrics(Record):
    """Of one query at one K: `ragtester.statistics.ranking` says how each is defined.

    `precision` is the share of the chunks that were given, None where none was. `evidence` is the share of the
    evidence's characters (whitespace aside) that the chunks hold, None without spans.
    """

    hit: bool
    recall: float
    precision: float | None
    reciprocal_rank: float
    ndcg: float
    average_precision: float
    evidence: float | None = None


class StepMetrics(Record):
    """Gold at one step of a query's path: the share of the gold chunks, and of the evidence's characters, there.

    `reciprocal_rank` is 1 / the rank of the first gold chunk, 0 where there is none; None where the step has no order.
    """

    recall: float
    evidence: float | None = None
    reciprocal_rank: float | None = None


class ClaimMetrics(Record):
    """Context recall and precision by claims, for a query without gold chunks or beside them.

    `recall` is the share of the reference's claims that the context supports; `precision` the mean of the precisions at
    the ranks of supporting chunks, 0 where no chunk supports a claim. `by` names the model, or "words"; `key` is a hash
    of what a model was asked, empty for words.
    """

    claims: int
    supported: int
    recall: float
    precision: float
    by: str
    key: str = ""
    call: Call | None = None


class Diagnosis(Record):
    """The primary stage of one failed or missed query: what was seen, and what to try first.

    `unchecked` names the stages at which nothing could be looked at: the query may have been lost there as well.
    """

    stage: FailureStage
    cause: str
    seen: str
    fix: str
    unchecked: tuple[FailureStage, ...] = ()


class AuditedQuery(Record):
    """One case under one embedding model (all LLMs share its retrieval): a row of `queries.jsonl`.

    `status`: "measured"; "no_gold" (must be refused, or no labels), "hidden_gold" (the user may see none of it: it
    leaves the denominators), "unfinished" (nothing was retrieved; `failure` says why). `metrics` are those at K over
    the final context in rank order, None unless measured; `candidates` and `ranked` tell of the gold among all that any
    arm found, and within K before the budget. `missed` says that the evidence did not wholly reach the context.
    `failed` and `passed` name the LLMs by verdict. `arms_of_context` lists for each chunk of the context the arms that
    found it. `hidden` counts gold chunks that the user may not see; `filtered` says that a filter of the settings keeps
    the gold out. `leaked` are chunks of the context that the user may not see.
    """

    query_id: str
    document_id: str
    family: str = ""
    embedding: str
    technique: str
    type: CaseType
    subtype: str = ""
    language: str
    section_kind: str = ""
    question: str
    user_tags: tuple[str, ...] = ()
    k: int
    status: QueryStatus
    failure: Failure | None = None
    gold: tuple[GoldRank, ...] = ()
    hidden: int = 0
    filtered: bool = False
    context_ids: tuple[str, ...] = ()
    arms_of_context: tuple[tuple[str, ...], ...] = ()
    leaked: tuple[str, ...] = Field(default=(), exclude_if=lambda leaked: not leaked)
    metrics: RankingMetrics | None = None
    claims: ClaimMetrics | None = None
    candidates: StepMetrics | None = None
    ranked: StepMetrics | None = None
    missed: bool | None = None
    crosses_boundary: bool | None = None
    failed: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    diagnosis: Diagnosis | None = None
    notes: tuple[str, ...] = ()
