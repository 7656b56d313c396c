"""What systems under test said, with what their query path saw."""

from __future__ import annotations

from typing import Literal

from ragtester.records.base import Call, Failure, Record
from ragtester.records.suite import CaseType

Outcome = Literal["answered", "abstained", "refused", "failed"]
# Answers of the closed-book control: the embedding model's name in their rows, and the ending of their run's name.
NO_RETRIEVAL = "none"
CLOSED_BOOK_SUFFIX = ".closed-book"


class Chunk(Record):
    """What the index stores; id = document id + content hash + ordinal."""

    id: str
    document_id: str
    ordinal: int
    start: int
    end: int
    pages: tuple[int, ...] = ()
    text: str


class Retrieved(Record):
    """One hit of one arm. `score` is a similarity: higher is nearer; never compared across embedding models."""

    id: str
    rank: int
    score: float
    arm: str = "dense"


class Trace(Record):
    """What the query path saw; `context_ids` is what the model really got, in order, after every drop."""

    query: str
    index: str
    embedding: str
    k: int
    retrieved: tuple[Retrieved, ...] = ()
    gold_ids: tuple[str, ...] = ()
    context_ids: tuple[str, ...] = ()
    context_characters: int = 0
    notes: tuple[str, ...] = ()


class Answer(Record):
    """What one system under test said to one case: exactly one row a case and system."""

    case_id: str
    document_id: str
    key: str
    run: str
    llm: str
    embedding: str
    technique: str
    type: CaseType
    subtype: str = ""
    outcome: Outcome
    answer: str = ""
    refuses: bool | None = None
    cited: tuple[str, ...] = ()
    unknown_citations: tuple[str, ...] = ()
    trace: Trace | None = None
    call: Call | None = None
    failure: Failure | None = None
