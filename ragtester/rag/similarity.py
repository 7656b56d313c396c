"""Exact nearest neighbours by cosine similarity, page by page, so that memory does not grow with the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

# Scores are cosines of vectors that were stored in single precision: digits beyond the sixth are noise.
DIGITS = 6
# Components are whole numbers of 2^-20 of their row's largest one: finer ones would not survive single precision.
GRID_BITS = 20
# A double holds whole numbers up to 2^53.
EXACT_BITS = 53
Hit = tuple[str, float]


def unit_rows(vectors: Sequence[Sequence[float]] | NDArray[np.float32]) -> Matrix:
    """Rows of length 1 in double precision; a row of zeros stays zero and is similar to nothing (0)."""
    import numpy as np

    matrix = np.asarray(vectors, dtype=np.float64)
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    rows: Matrix = matrix / np.where(norms > 0, norms, 1.0)
    return rows


def signatures(rows: Matrix) -> list[float]:
    """One number a row, kept beside the vector in the store: a damaged vector no longer has it.

    The dot product of the unit row with a fixed vector that weighs every component differently.
    """
    import numpy as np

    weights = np.cos(np.arange(rows.shape[1], dtype=np.float64))
    return [float(value) for value in rows @ weights]


def settled(vectors: Sequence[Sequence[float]] | NDArray[Any]) -> NDArray[np.float32]:
    """Vectors as they are stored and compared: each component a whole number of 2^-20 of its row's largest.

    Chroma gives back rows that it scaled to length 1 in single precision, not those that were put in. Scaling leaves
    the ratios to the largest component alone, and its rounding moves them by at most 2^-23, an eighth of a step. So
    `settled` of what is read back is bit for bit what was put in.

    The product of two rows is then a sum of whole numbers of 2^-40. Up to 8192 components it stays below 2^53 of them
    (for longer rows the steps are wider), so a double holds it exactly, in whatever order it is summed. A row of zeros
    stays zero; components must be finite.
    """
    import numpy as np

    matrix = np.asarray(vectors, dtype=np.float64)
    largest = np.abs(matrix).max(axis=1, keepdims=True, initial=0.0)
    steps = 2.0 ** min(GRID_BITS, (EXACT_BITS - (matrix.shape[1] - 1).bit_length()) // 2)
    made: Matrix = np.round(matrix / np.where(largest > 0, largest, 1.0) * steps) / steps + 0.0
    return made.astype(np.float32)


@dataclass(frozen=True)
class Directions:
    """Settled rows in double precision, and their lengths (1 for a row of zeros, which is similar to nothing)."""

    rows: Matrix
    lengths: Matrix

    @classmethod
    def of(cls, vectors: NDArray[np.float32]) -> Directions:
        """Of rows that are `settled`."""
        import numpy as np

        rows = vectors.astype(np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        return cls(rows, np.where(lengths > 0, lengths, 1.0))


def cosines(questions: Directions, rows: Directions) -> Matrix:
    """Similarities (questions × rows), rounded: the same bits whatever questions and rows share a pass.

    Products are exact (see `settled`), and what follows is done to each score alone.
    """
    import numpy as np

    scores: Matrix = questions.rows @ rows.rows.T
    scores /= questions.lengths[:, None]
    scores /= rows.lengths
    np.round(scores, DIGITS, out=scores)
    scores += 0.0
    return scores


class Best:
    """The `k` best ids of each question over all pages seen so far; ties go to the smaller id."""

    def __init__(self, questions: int, k: int) -> None:
        self._k = k
        self._best: list[list[Hit]] = [[] for _ in range(questions)]

    def page(self, ids: Sequence[str], scores: Matrix) -> None:
        """Take in one page: ids and every question's scores (questions × ids), -inf for what it may not find."""
        import numpy as np

        if not len(ids):
            return
        # Nothing below the page's own k-th score, or below the k-th of the pages before, can be among the best.
        bounds = self._bounds()
        if len(ids) > self._k:
            # From the top: many are -inf where questions may not find them, and equal values below are slow to part.
            bounds = np.maximum(bounds, -np.partition(-scores, self._k - 1, axis=1)[:, self._k - 1])
        for number in np.flatnonzero((scores >= bounds[:, None]).any(axis=1)).tolist():
            row = scores[number]
            found = np.flatnonzero(row >= bounds[number]).tolist()
            best = self._best[number] + [(ids[at], float(row[at])) for at in found]
            best.sort(key=lambda hit: (-hit[1], hit[0]))
            self._best[number] = best[: self._k]

    def _bounds(self) -> Any:
        import numpy as np

        lowest = np.finfo(np.float64).min
        full = (best[-1][1] if len(best) == self._k else lowest for best in self._best)
        return np.fromiter(full, dtype=np.float64, count=len(self._best))

    def hits(self) -> list[list[Hit]]:
        """(id, score) a question, best first."""
        return self._best


def document_of(chunk_id: str) -> str:
    """The document that a chunk's id names: document id, content hash, ordinal."""
    return chunk_id.rsplit(":", 2)[0]


class Owners:
    """The document of every chunk of an index, numbered, so that a filter is one look-up in a table."""

    def __init__(self, ids: Sequence[str]) -> None:
        import numpy as np

        numbers: dict[str, int] = {}
        found = (numbers.setdefault(document_of(name), len(numbers)) for name in ids)
        self._codes = np.fromiter(found, dtype=np.int32, count=len(ids))
        self._documents = tuple(numbers)

    def reach(self, eligible: Sequence[frozenset[str] | None]) -> Reach | None:
        """What each question may find, given the documents that it may (None for all); None where nothing is barred."""
        import numpy as np

        sets = {documents: number for number, documents in enumerate(dict.fromkeys(eligible))}
        if sets.keys() <= {None}:
            return None
        allowed = np.array([[one is None or name in one for name in self._documents] for one in sets], dtype=bool)
        group = np.fromiter((sets[one] for one in eligible), dtype=np.intp, count=len(eligible))
        return Reach(allowed, group, self._codes)


@dataclass(frozen=True)
class Reach:
    """`allowed` (sets × documents) in the set that each question has, and the document's number of every chunk."""

    allowed: NDArray[np.bool_]
    group: NDArray[np.intp]
    codes: NDArray[np.int32]

    def bar(self, scores: Matrix, start: int = 0) -> None:
        """Set to -inf, in place, what a question may not find; `scores` are of the chunks from number `start` on."""
        import numpy as np

        codes = self.codes[start : start + scores.shape[1]]
        np.copyto(scores, -np.inf, where=~self.allowed[:, codes][self.group])
