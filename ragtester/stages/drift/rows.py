"""What is kept of a run to compare it: one small object an answer and a query, and the manifests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ragtester.records import CaseType, Manifest, Mark, RankingMetrics

System = tuple[str, str]
"""LLM and embedding model."""
Place = tuple[str, str, str, str]
"""LLM, embedding model, technique, case id."""
QueryPlace = tuple[str, str, str]
"""Embedding model, technique, case id."""


@dataclass(frozen=True, slots=True)
class Said:
    """What an answer saw and said, as hashes of this process: they tell whether two answers are the same.

    `context` is that of the chunks in their order, `chunks` that of their set; None without a trace.
    """

    question: str | None
    context: int | None
    chunks: int | None
    text: int
    index: str
    served: str | None


@dataclass(frozen=True, slots=True)
class Row:
    """One answer with its verdict."""

    document_id: str
    type: CaseType
    status: Mark
    said: Said | None
    seconds: float | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class AnswerClaimCounts:
    """Claims of one answer that were sent to be checked, and how many of them failed."""

    sent: int
    unsupported: int
    contradicted: int


@dataclass(frozen=True, slots=True)
class AnswerCover:
    """Coverage of one answer; None where it has none. `mentioned` of `contradictions` are told of."""

    coverage: float | None
    supported: float | None
    contradictions: int
    mentioned: int


@dataclass(frozen=True, slots=True)
class Query:
    """One measured query."""

    document_id: str
    type: CaseType
    metrics: RankingMetrics


@dataclass
class RunData:
    """One run. A layer that was not made is None.

    `manifests` are by layer: execute, judge, retrieval, claims, coverage.
    """

    name: str
    suite: str
    started: str = ""
    manifests: dict[str, Manifest] = field(default_factory=dict)
    rows: dict[Place, Row] = field(default_factory=dict)
    claims: dict[Place, AnswerClaimCounts] | None = None
    queries: dict[QueryPlace, Query] | None = None
    coverage: dict[Place, AnswerCover] | None = None
    chunk_files: dict[str, tuple[str, int]] = field(default_factory=dict)
    """By document: hash of its file of chunks, and how many it holds."""
    questions: dict[str, str] = field(default_factory=dict)
    """Question by case id, where the suite or a trace tells it."""
    notes: list[str] = field(default_factory=list)

    @property
    def systems(self) -> list[System]:
        """In the order they were met."""
        return list(dict.fromkeys((llm, embedding) for llm, embedding, _, _ in self.rows))

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Of the execution; empty without a manifest."""
        made = self.manifests.get("execute")
        return made.parameters if made else {}

    @property
    def inputs(self) -> Mapping[str, str]:
        """Of the execution; empty without a manifest."""
        made = self.manifests.get("execute")
        return made.inputs if made else {}
