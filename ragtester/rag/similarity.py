"""Exact nearest neighbours by cosine similarity, page by page, so that memory does not grow with the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

# Scores are cosines of vectors that were stored in single precision: digits beyond the sixth are noise.
DIGITS = 6
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


class Nearest:
    """The `k` most similar ids of each question over all pages seen so far; ties go to the smaller id."""

    def __init__(self, questions: Matrix, k: int) -> None:
        self._questions = questions
        self._k = k
        self._best: list[list[Hit]] = [[] for _ in range(len(questions))]

    def page(self, ids: Sequence[str], rows: Matrix) -> None:
        """Take in one page of the store: ids and their unit rows."""
        import numpy as np

        if not len(ids):
            return
        # Twice: the last bits of a product depend on how many questions share a pass, and must not decide a digit.
        scores = np.round(np.round(self._questions @ rows.T, 2 * DIGITS), DIGITS) + 0.0
        # Nothing below the page's own k-th score, or below the k-th of the pages before, can be among the best.
        bounds = self._bounds()
        if len(ids) > self._k:
            bounds = np.maximum(bounds, np.partition(scores, len(ids) - self._k, axis=1)[:, len(ids) - self._k])
        for number in np.flatnonzero((scores >= bounds[:, None]).any(axis=1)).tolist():
            row = scores[number]
            found = np.flatnonzero(row >= bounds[number]).tolist()
            best = self._best[number] + [(ids[at], float(row[at])) for at in found]
            best.sort(key=lambda hit: (-hit[1], hit[0]))
            self._best[number] = best[: self._k]

    def _bounds(self) -> Any:
        import numpy as np

        full = (best[-1][1] if len(best) == self._k else -np.inf for best in self._best)
        return np.fromiter(full, dtype=np.float64, count=len(self._best))

    def hits(self) -> list[list[Hit]]:
        """(id, similarity) a question, best first."""
        return self._best
