"""Every record that crosses a file boundary, and nothing else.

One JSON object a line, keys in the order of the fields below. Identity stands in the record and is never
read from a file name. A failure is a record with a type and a message, never a number and never a missing row.
Offsets are characters of the document's cleaned text, half-open `[start, end)`; pages count from 1.
"""

from __future__ import annotations

from ragtester.records.answers import (
    CLOSED_BOOK_SUFFIX,
    NO_RETRIEVAL,
    Answer,
    Chunk,
    Dropped,
    Outcome,
    Ranked,
    Retrieved,
    Trace,
)
from ragtester.records.base import Call, Failure, Proportion, Record, Span
from ragtester.records.calibration import (
    AnnotatorPair,
    CalibrationResult,
    Confusion,
    LabelledAnswer,
    ThresholdCandidate,
    ThresholdFindings,
    ThresholdFold,
)
from ragtester.records.documents import (
    Document,
    DocumentRow,
    GeneratedDocument,
    GeneratedRow,
    ParseWarning,
    UngeneratedDocument,
    UnreadableDocument,
)
from ragtester.records.manifest import Ledger, Manifest
from ragtester.records.precision import (
    PanelDecision,
    PanelMember,
    PanelPair,
    PanelVote,
    PrecisionFigures,
    PrecisionResult,
    SampledCase,
    Share,
    Vote,
)
from ragtester.records.retrieval import (
    FAILURE_STAGES,
    NOT_RETRIEVAL,
    AuditedQuery,
    ClaimMetrics,
    Diagnosis,
    FailureStage,
    GoldRank,
    QueryStatus,
    RankingMetrics,
)
from ragtester.records.stability import FlipRate, Repeat, StabilityResult, Straddler
from ragtester.records.suite import Case, CaseRow, CaseType, Evidence, Origin, Section, SectionKind, UnfilledCase
from ragtester.records.verdicts import CRITERIA, Rating, Ratings, Verdict, Votes

__all__ = [
    "CLOSED_BOOK_SUFFIX",
    "CRITERIA",
    "FAILURE_STAGES",
    "NOT_RETRIEVAL",
    "NO_RETRIEVAL",
    "AnnotatorPair",
    "Answer",
    "AuditedQuery",
    "CalibrationResult",
    "Call",
    "Case",
    "CaseRow",
    "CaseType",
    "Chunk",
    "ClaimMetrics",
    "Confusion",
    "Diagnosis",
    "Document",
    "DocumentRow",
    "Dropped",
    "Evidence",
    "Failure",
    "FailureStage",
    "FlipRate",
    "GeneratedDocument",
    "GeneratedRow",
    "GoldRank",
    "LabelledAnswer",
    "Ledger",
    "Manifest",
    "Origin",
    "Outcome",
    "PanelDecision",
    "PanelMember",
    "PanelPair",
    "PanelVote",
    "ParseWarning",
    "PrecisionFigures",
    "PrecisionResult",
    "Proportion",
    "QueryStatus",
    "Ranked",
    "RankingMetrics",
    "Rating",
    "Ratings",
    "Record",
    "Repeat",
    "Retrieved",
    "SampledCase",
    "Section",
    "SectionKind",
    "Share",
    "Span",
    "StabilityResult",
    "Straddler",
    "ThresholdCandidate",
    "ThresholdFindings",
    "ThresholdFold",
    "Trace",
    "UnfilledCase",
    "UngeneratedDocument",
    "UnreadableDocument",
    "Verdict",
    "Vote",
    "Votes",
]
