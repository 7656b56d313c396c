"""The vectors of one store while it is open, with their ids."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ragtester.errors import StorageError
from ragtester.rag.similarity import Owners

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

IN_MEMORY = 32 * 2**20
# Scores of a page against 500 questions are 4 MB.
PAGE_ROWS = 1000


class Rows:
    """Vectors in single precision, as the store holds them; beyond `IN_MEMORY` bytes in a temporary file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ids: list[str] = []
        self._parts: list[NDArray[np.float32]] = []
        self._size = 0
        self._width = 0
        self._file: IO[bytes] | None = None
        self._owners: Owners | None = None

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, ids: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Take in vectors (one row an id). Raises StorageError where they must go to disk and cannot."""
        self._ids += ids
        self._owners = None
        self._width = vectors.shape[1]
        self._size += vectors.nbytes
        self._parts.append(vectors)
        if self._size > IN_MEMORY:
            try:
                self._to_disk()
            except OSError as error:
                told = f"{self._folder}: vectors not written ({error.strerror or error}); free space, start again"
                raise StorageError(told) from error

    def _to_disk(self) -> None:
        if self._file is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - open as long as the store is
        for part in self._parts:
            self._file.write(part.tobytes())
        self._parts.clear()

    def owners(self) -> Owners:
        """The documents of the ids; numbered once."""
        if self._owners is None:
            self._owners = Owners(self._ids)
        return self._owners

    def pages(self) -> Iterator[tuple[list[str], NDArray[np.float32]]]:
        """Ids and vectors, some at a time."""
        import numpy as np

        matrix = None if self._file or not self._parts else np.concatenate(self._parts)
        if self._file is not None:
            self._file.seek(0)
        for start in range(0, len(self._ids), PAGE_ROWS):
            ids = self._ids[start : start + PAGE_ROWS]
            if self._file is not None:
                data = self._file.read(4 * self._width * len(ids))
                yield ids, np.frombuffer(data, dtype=np.float32).reshape(len(ids), self._width)
            elif matrix is not None:
                yield ids, matrix[start : start + PAGE_ROWS]

    def close(self) -> None:
        """Forget everything."""
        self._ids, self._parts, self._owners = [], [], None
        if self._file is not None:
            self._file.close()
            self._file = None
