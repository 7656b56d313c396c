"""The gold chunks of a case: exact labels for any chunker, from where its evidence stands."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from ragtester.rag.chunking import places
from ragtester.records import Chunk, Span


class Gold:
    """Finds the chunks of one document that overlap spans of it, without looking at all of them."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._ids = [one.id for one in chunks]
        known = sorted((*place, number) for number, one in enumerate(chunks) for place in places(one))
        self._starts = [start for start, _, _ in known]
        self._ends = [end for _, end, _ in known]
        self._numbers = [number for _, _, number in known]
        # How far the places up to each reach: from the first that reaches beyond a point on, any may.
        self._reach = list(accumulate(self._ends, max))

    def ids(self, evidence: Iterable[Span]) -> tuple[str, ...]:
        """Ids of the chunks that overlap any evidence span, in document order; empty where there is no evidence.

        A chunk that stands for near-identical ones overlaps what they do.
        """
        found: set[int] = set()
        for span in evidence:
            if span.start < span.end:
                near = range(bisect_right(self._reach, span.start), bisect_left(self._starts, span.end))
                found.update(self._numbers[at] for at in near if self._ends[at] > span.start)
        return tuple(self._ids[number] for number in sorted(found))
