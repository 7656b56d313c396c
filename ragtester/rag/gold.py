"""The gold chunks of a case: exact labels for any chunker, from where its evidence stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragtester.rag.chunking import places
from ragtester.records import Chunk, Span
from ragtester.spans import Places


class Gold:
    """Finds the chunks of one document that overlap spans of it, without looking at all of them."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._ids = [one.id for one in chunks]
        self._places = Places((*place, number) for number, one in enumerate(chunks) for place in places(one))

    def ids(self, evidence: Iterable[Span]) -> tuple[str, ...]:
        """Ids of the chunks that overlap any evidence span, in document order; empty where there is no evidence.

        A chunk that stands for near-identical ones overlaps what they do.
        """
        spans = ((span.start, span.end) for span in evidence)
        found = {number for span in spans for _, _, number in self._places.over(span)}
        return tuple(self._ids[number] for number in sorted(found))
