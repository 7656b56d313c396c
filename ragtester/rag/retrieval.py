"""From hits to the context of one question: what the query path saw (trace) and the sections that a model gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ragtester.rag.chunking import gold_ids
from ragtester.rag.similarity import Hit
from ragtester.records import Case, Chunk, Retrieved, Trace
from ragtester.tasks import Passage


@dataclass(frozen=True)
class Context:
    """One question with its trace and its sections, shared by every LLM that is asked."""

    case: Case
    trace: Trace
    sections: tuple[Passage, ...] = ()


@dataclass(frozen=True)
class Retriever:
    """The retrieval side of a system under test, named in every trace. `index` is the store's key."""

    index: str
    embedding: str
    k: int
    scope: Literal["document", "corpus"] = "document"

    def context(
        self, case: Case, hits: Sequence[Hit], chunks: Sequence[Chunk], chunk: Callable[[str], Chunk]
    ) -> Context:
        """Context of `case` from its hits, best first.

        `chunks` are those of the case's own document: they give the gold chunks. `chunk` looks up any hit by its id.
        """
        sections = tuple(Passage(label=name, text=chunk(name).text) for name, _ in hits)
        trace = self._trace(case, chunks).model_copy(
            update={
                "retrieved": tuple(
                    Retrieved(id=name, rank=rank, score=score) for rank, (name, score) in enumerate(hits, 1)
                ),
                "context_ids": tuple(part.label for part in sections),
                "context_characters": sum(len(part.text) for part in sections),
            }
        )
        return Context(case, trace, sections)

    def nothing(self, case: Case, chunks: Sequence[Chunk]) -> Context:
        """Context of `case` where nothing could be retrieved."""
        return Context(case, self._trace(case, chunks))

    def _trace(self, case: Case, chunks: Sequence[Chunk]) -> Trace:
        """What is known before any search. A question that must be refused has no gold chunk."""
        gold = () if case.type == "rejection" else gold_ids(case.evidence, chunks)
        return Trace(
            query=case.question,
            index=self.index,
            embedding=self.embedding,
            k=self.k,
            gold_ids=gold,
            notes=self._notes(case),
        )

    def _notes(self, case: Case) -> tuple[str, ...]:
        """In a store of the whole corpus the document that a cross-document question came from is there too."""
        if self.scope == "corpus" and case.origin:
            return (f"the store also holds {case.origin.document_id}, which this question was made from",)
        return ()
