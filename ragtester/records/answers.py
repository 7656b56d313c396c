"""What systems under test said, with what their query path saw."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ragtester.records.base import Call, Failure, Record, Span
from ragtester.records.suite import CaseType

Outcome = Literal["answered", "abstained", "refused", "failed"]
# Answers of the closed-book control: the embedding model's name in their rows, and the ending of their run's name.
NO_RETRIEVAL = "none"
CLOSED_BOOK_SUFFIX = ".closed-book"
# Ends the name of a run under the instruction to surface contradicting evidence.
CONFLICTS_SUFFIX = ".conflicts"
# Answers of a system that is not ours: what stands for the embedding model in their rows, and the name of its arm.
TARGET = "target"
# How the chunker is named in the rows of chunks: texts that a target gave, and the evidence of a case, which stands
# for the gold of an index that nobody can look at.
TARGET_CHUNK = "target"
EVIDENCE_CHUNK = "evidence"
# The note in the trace of a target that does not say what it answered from.
NO_CHUNKS = "the target reveals no chunks: what it retrieved is not known"
# And of one that does not say which of them its answer rests on.
NO_CITATIONS = "the target reveals no citations"


class Chunk(Record):
    """What the index stores; id = document id + content hash + ordinal.

    `text` is what a model gets; `embedded` what is embedded and searched where that is something else (a sentence
    without its window, a text without repeated footers). `also` are the spans of near-identical chunks of the document
    that this one stands for. `chunker` names the version that cut it, `sha256` is that of `text`.
    """

    id: str
    document_id: str
    ordinal: int
    start: int
    end: int
    pages: tuple[int, ...] = ()
    text: str
    embedded: str = ""
    also: tuple[Span, ...] = ()
    chunker: str = ""
    sha256: str = ""

    @property
    def searched(self) -> str:
        """The text that is embedded and searched."""
        return self.embedded or self.text


class Retrieved(Record):
    """One hit of one arm. `score` is a similarity: higher is nearer; never compared across embedding models."""

    id: str
    rank: int
    score: float
    arm: str = "dense"


class Ranked(Record):
    """One hit of a list that several arms or a reranker made. `sources` are the arms that found it."""

    id: str
    rank: int
    score: float
    sources: tuple[str, ...] = ()


class Dropped(Record):
    """A hit that was taken out on the way, and where: below its arm's floor, by a filter, for want of room."""

    id: str
    at: Literal["floor", "filter", "budget"]
    reason: str = ""


class Trace(Record):
    """What the query path saw; `context_ids` is what the model really got, in order, after every drop.

    `query` is the case's question; `rewrite` what was searched instead, where it was rewritten. `index` is the
    revision of the index (the store's key), `k` the final cut. `filters` are those that were applied; where access
    rules keep documents from the user, `access` stands among them with the user's tags. They take effect before the
    search or after it (`filter_mode`, empty where nothing was taken out of the search). `retrieved` holds every arm's
    hits before its floor. `fused` is empty where a single arm was asked: its list is the fused one. `reranked` is empty
    where nothing was reranked. `hidden_ids` are gold chunks of documents that the user may not see; they are among
    `gold_ids`. `calls` accounts for the rewrite and the rerank.
    """

    query: str
    user_tags: tuple[str, ...] = ()
    index: str
    embedding: str
    k: int
    rewrite: str | None = None
    filters: dict[str, str | tuple[str, ...]] = Field(default_factory=dict)
    filter_mode: Literal["pre", "post", ""] = ""
    retrieved: tuple[Retrieved, ...] = ()
    fused: tuple[Ranked, ...] = ()
    reranked: tuple[Ranked, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    gold_ids: tuple[str, ...] = ()
    hidden_ids: tuple[str, ...] = ()
    context_ids: tuple[str, ...] = ()
    context_characters: int = 0
    notes: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()

    @property
    def hides_evidence(self) -> bool:
        """Whether the user may see none of the gold: then the question is to be refused, as if nothing answered it."""
        return bool(self.gold_ids) and set(self.gold_ids) <= set(self.hidden_ids)

    @property
    def reveals_chunks(self) -> bool:
        """Whether it is known what the model got; only a target may keep that to itself."""
        return NO_CHUNKS not in self.notes

    @property
    def reveals_citations(self) -> bool:
        """Whether the system could have said on which chunks its answer rests."""
        return self.reveals_chunks and NO_CITATIONS not in self.notes


class LeftOut(Record):
    """A chunk that the answer says it leaves out, and why."""

    id: str
    reason: str = ""


class OfCase(Record):
    """Identity of a row about one case asked of one system, in one run; `key` holds what its content depends on."""

    case_id: str
    document_id: str
    key: str
    run: str
    llm: str
    embedding: str
    technique: str
    type: CaseType
    subtype: str = ""


class Answer(OfCase):
    """What one system under test said to one case: exactly one row a case and system."""

    outcome: Outcome
    answer: str = ""
    refuses: bool | None = None
    cited: tuple[str, ...] = ()
    unknown_citations: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = Field(default=(), exclude_if=lambda left_out: not left_out)
    trace: Trace | None = None
    call: Call | None = None
    failure: Failure | None = None
