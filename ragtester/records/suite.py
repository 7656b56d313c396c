"""The test suite: sections, and the cases that were made from them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ragtester.records.base import Failure, Record, Span

CaseType = Literal["complexity", "rejection", "coverage", "baseline"]
SectionKind = Literal["prose", "list", "table", "code", "contents", "references", "garbled"]


class Section(Record):
    """A contiguous piece of a document. `flesch` is the raw score; None means no formula or no prose."""

    document_id: str
    ordinal: int
    start: int
    end: int
    kind: SectionKind
    tokens: int
    flesch: float | None = None


class Evidence(Span):
    """A span that a case was made from, with the pages it lies on (empty for formats without pages)."""

    pages: tuple[int, ...] = ()


class Origin(Record):
    """Where a cross-document rejection question came from: another document's text."""

    document_id: str
    start: int
    end: int


class Case(Record):
    """A test case. `key` holds everything its content depends on; `evidence` gives gold chunks for any chunker."""

    status: Literal["ok"] = "ok"
    id: str
    key: str
    document_id: str
    document_sha256: str
    technique: str
    type: CaseType
    subtype: str = ""
    style: str = ""
    language: str
    question: str
    expected_answer: str
    keywords: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    sections: tuple[int, ...] = ()
    origin: Origin | None = None
    user_tags: tuple[str, ...] = ()
    flesch: float | None = None
    lexical_overlap: float | None = None
    model: str
    served_model: str | None = None
    prompt_sha256: str
    attempts: int = 1
    rejected: tuple[str, ...] = ()
    tried: tuple[int, ...] = ()


class UnfilledCase(Record):
    """A case that was asked for and could not be made; it keeps its place in every count."""

    status: Literal["unfilled"] = "unfilled"
    id: str
    key: str
    document_id: str
    technique: str
    type: CaseType
    subtype: str = ""
    attempts: int = 0
    rejected: tuple[str, ...] = ()
    tried: tuple[int, ...] = ()
    failure: Failure


CaseRow = Annotated[Case | UnfilledCase, Field(discriminator="status")]
