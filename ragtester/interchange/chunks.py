"""What another system retrieved, as chunks of a run: found in the suite's documents where they stand there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ragtester.interchange.items import Account
from ragtester.interchange.shelf import Hit, Shelf
from ragtester.rag.chunking import content_hash
from ragtester.records import Case, Chunk, Trace
from ragtester.spans import overlap, pages_of

INDEX = "imported"


@dataclass
class Chunks:
    """The chunks of one imported run.

    A context that stands in no document of the suite becomes a chunk with an empty span. The index that it came from is
    not known, so a case's gold chunks are those retrieved chunks that overlap its evidence, and for every evidence span
    that none of them overlaps a chunk of that span, which was not retrieved.
    """

    shelf: Shelf
    account: Account
    _hits: dict[str, list[Hit]] = field(default_factory=dict)
    _rows: dict[str, dict[tuple[int, int, str], Chunk]] = field(default_factory=dict)

    def find(self, retrieved: Sequence[tuple[Case, Sequence[str]]]) -> None:
        """Look for all contexts at once; those of a case in its own document first."""
        wanted: dict[str, list[str]] = {}
        for case, contexts in retrieved:
            wanted.setdefault(case.document_id, []).extend(contexts)
        self._hits = self.shelf.search(wanted, (), 0)
        lost = [context for contexts in wanted.values() for context in contexts if context not in self._hits]
        self._hits |= self.shelf.search({}, lost, 0)

    def trace(self, case: Case, contexts: Sequence[str], embedding: str) -> Trace:
        """What the system saw. Scores are not known, so no hits are listed: `context_ids` holds the order."""
        chunks = [self._chunk(case, context) for context in contexts]
        return Trace(
            query=case.question,
            index=INDEX,
            embedding=embedding,
            k=len(chunks),
            gold_ids=self._gold(case, chunks),
            context_ids=tuple(dict.fromkeys(chunk.id for chunk in chunks)),
            context_characters=sum(len(chunk.text) for chunk in chunks),
            notes=("imported: what was retrieved is known only as text",),
        )

    def by_document(self) -> dict[str, list[Chunk]]:
        """All chunks, for the run's chunk files."""
        return {name: sorted(rows.values(), key=lambda row: row.ordinal) for name, rows in self._rows.items()}

    def _chunk(self, case: Case, context: str) -> Chunk:
        hits = self._hits.get(context, [])
        hit = next((one for one in hits if one.document_id == case.document_id), hits[0] if hits else None)
        if hit is None:
            self.account.note("a retrieved context stands in no document of the suite")
            return self._row(case.document_id, 0, 0, context)
        start, end = hit.span
        return self._row(hit.document_id, start, end, self._text(hit.document_id)[start:end])

    def _gold(self, case: Case, chunks: Sequence[Chunk]) -> tuple[str, ...]:
        gold: list[str] = []
        for span in case.evidence:
            place = (span.start, span.end)
            seen = [one.id for one in chunks if one.document_id == case.document_id and overlap(place, _span(one))]
            if not seen:
                text = self._text(case.document_id)[span.start : span.end]
                seen = [self._row(case.document_id, span.start, span.end, text).id]
            gold += seen
        return tuple(dict.fromkeys(gold))

    def _row(self, document_id: str, start: int, end: int, text: str) -> Chunk:
        rows = self._rows.setdefault(document_id, {})
        key = (start, end, text)
        if key not in rows:
            document = self.shelf.documents.get(document_id)
            rows[key] = Chunk(
                id=f"{document_id}:{content_hash(text)}:{len(rows)}",
                document_id=document_id,
                ordinal=len(rows),
                start=start,
                end=end,
                pages=pages_of(start, end, document.page_starts) if document and end > start else (),
                text=text,
            )
        return rows[key]

    def _text(self, document_id: str) -> str:
        return self.shelf.text(self.shelf.documents[document_id])


def _span(chunk: Chunk) -> tuple[int, int]:
    return chunk.start, chunk.end
