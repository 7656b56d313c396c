"""BM25 over the chunks of one index, by `bm25s` (its default: Lucene's variant, k1 = 1.5, b = 0.75)."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from ragtester.rag.collection import batches
from ragtester.rag.similarity import DIGITS, Best, Hit, Owners, document_of
from ragtester.rag.terms import terms
from ragtester.records import Chunk

if TYPE_CHECKING:
    from ragtester.rag.similarity import Matrix

# Scores of a block of questions against all chunks: 4 MB, and there are a few copies of them.
SCORES_AT_ONCE = 100_000
QUESTIONS_AT_ONCE = 2000


class Sparse:
    """A BM25 index in memory: no text, but every chunk's terms as numbers (some kilobytes a chunk)."""

    def __init__(self, chunks: Iterable[Chunk], languages: Mapping[str, str]) -> None:
        """Index the chunks once; `languages` are those of their documents, by document id."""
        vocabulary: dict[str, int] = {}
        self._ids: list[str] = []
        numbered: list[array[int]] = []
        for chunk in chunks:
            mine = terms(chunk.searched, languages[document_of(chunk.id)])
            self._ids.append(chunk.id)
            # Numbers follow the order of the text, so that sums are the same in every process.
            numbered.append(array("i", (vocabulary.setdefault(term, len(vocabulary)) for term in mine)))
        self._owners = Owners(self._ids)
        self._vocabulary = vocabulary
        if vocabulary:
            found = _weighed(numbered, vocabulary)
            self._weights, self._places, self._ends = found["data"], found["indices"], found["indptr"].tolist()

    @property
    def size(self) -> int:
        """Bytes of the index: its arrays, and its words in UTF-8."""
        if not self._vocabulary:
            return 0
        arrays = int(self._weights.nbytes) + int(self._places.nbytes) + 8 * len(self._ends)
        return arrays + sum(len(word.encode("utf-8")) for word in self._vocabulary)

    def nearest(
        self,
        questions: Sequence[tuple[str, str]],
        k: int,
        eligible: Sequence[frozenset[str] | None] | None = None,
    ) -> list[list[Hit]]:
        """The `k` best chunks of each question with a score above 0, best first; ties go to the smaller id.

        A question is its text and language. `eligible` gives the documents whose chunks each may find, None for all:
        the others are left out before the best are chosen. Scores are as the whole index gives them.
        """
        allowed = iter(eligible or [None] * len(questions))
        hits: list[list[Hit]] = []
        at_once = min(QUESTIONS_AT_ONCE, max(1, SCORES_AT_ONCE // max(1, len(self._ids))))
        for block in batches(questions, at_once):
            mine = list(islice(allowed, len(block)))
            best = Best(len(block), k)
            if self._vocabulary:
                scores = self._scores(block)
                reach = self._owners.reach(mine)
                if reach is not None:
                    reach.bar(scores)
                best.page(self._ids, scores)
            hits += best.hits()
        return hits

    def _scores(self, questions: Sequence[tuple[str, str]]) -> Matrix:
        """Rounded scores (questions × chunks), -inf where they share no term.

        The sums that `bm25s` makes term by term, made at once a question (measured: a fifth of the time).
        """
        import numpy as np

        scores = np.empty((len(questions), len(self._ids)))
        for row, (text, language) in zip(scores, questions, strict=True):
            known = [self._vocabulary[term] for term in terms(text, language) if term in self._vocabulary]
            parts = [slice(*self._ends[number : number + 2]) for number in known]
            if parts:
                places = np.concatenate([self._places[part] for part in parts])
                weights = np.concatenate([self._weights[part] for part in parts])
                row[:] = np.bincount(places, weights, minlength=len(row))
            else:
                row[:] = 0.0
        np.copyto(scores, -np.inf, where=scores <= 0)
        rounded: Matrix = np.round(scores, DIGITS)
        return rounded


def _weighed(numbered: list[array[int]], vocabulary: dict[str, int]) -> dict[str, Any]:
    """The score that each term adds to each chunk, by term (compressed sparse columns)."""
    import bm25s

    index = bm25s.BM25(dtype="float64")
    index.index((numbered, vocabulary), create_empty_token=False, show_progress=False)
    scores: dict[str, Any] = index.scores
    return scores
