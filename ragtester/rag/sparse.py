"""BM25 over the chunks of one store, by `bm25s`; words are compared by their stems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragtester.rag.similarity import Hit
from ragtester.records import Chunk
from ragtester.text.words import words


class Sparse:
    """A BM25 index in memory."""

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        import bm25s

        self._ids: list[str] = []
        tokens: list[list[str]] = []
        for chunk in chunks:
            self._ids.append(chunk.id)
            tokens.append(list(words(chunk.searched.casefold())))
        self._index = bm25s.BM25()
        self._index.index(tokens, show_progress=False)

    def nearest(
        self, questions: Sequence[str], k: int, eligible: Sequence[frozenset[str] | None] | None = None
    ) -> list[list[Hit]]:
        """The `k` best chunks of each question with a score above 0, best first; ties go to the smaller id."""
        found: list[list[Hit]] = []
        allowed = eligible or [None] * len(questions)
        for question, documents in zip(questions, allowed, strict=True):
            scores = self._index.get_scores(list(words(question.casefold())))
            hits = [
                (name, round(float(score), 6))
                for name, score in zip(self._ids, scores, strict=True)
                if score > 0 and (documents is None or name.rsplit(":", 2)[0] in documents)
            ]
            found.append(sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:k])
        return found
