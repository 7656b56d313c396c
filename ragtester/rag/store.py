"""A vector store in use: its database, the vectors at hand, what is still being written, and the search."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from pydantic import Field

from ragtester.provenance import sha256_text, versions
from ragtester.rag.chroma import Opened, connect
from ragtester.rag.collection import (
    PAGE,
    Stamp,
    StoreDamagedError,
    all_ids,
    batches,
    measure,
    put,
    rows_by_id,
    sound,
)
from ragtester.rag.rows import Rows
from ragtester.rag.similarity import Best, Directions, Hit, cosines, settled
from ragtester.records import Failure, Record
from ragtester.storage import write_json
from ragtester.tasks import Embedder, EmbeddingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MARKER = "complete.json"
QUESTIONS_AT_ONCE = 2000
# Scores of so many questions against a page of vectors are 4 MB, and there are a few copies of them.
SCORED_AT_ONCE = 100


class Complete(Record):
    """`complete.json`: what a finished store holds, and the seconds that embedding and writing it took.

    `seconds` is None where the store was not made in one go.
    """

    key: str
    embedding: str
    count: int
    dimension: int
    seconds: float | None = None
    versions: dict[str, str] = Field(default_factory=dict)


@dataclass
class Store:
    """A store in use; one process at a time. `finish` it, or at least `close` it.

    `fresh`: nothing was there before, so that nothing needs to be read. `_behind` is the last piece of work on the
    database, which begins with opening it; each piece waits for the one before. `filled` are the seconds that filling
    it took, None where that was begun by an earlier start; `compared` those of comparing questions with its vectors.
    """

    folder: Path
    key: str
    embedder: Embedder
    batch_size: int
    fresh: bool
    count: int = 0
    dimension: int = 0
    complete: bool = False
    closed: bool = False
    rows: Rows | None = None
    filled: float | None = 0.0
    compared: float = 0.0
    _database: Opened | None = field(default=None, repr=False)
    _behind: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Open the database, behind everything else."""
        self._behind = asyncio.create_task(asyncio.to_thread(self._connect))
        self.rows = Rows(self.folder) if self.fresh else None

    def _connect(self) -> None:
        self._database = connect(self.folder, self.embedder.model)

    async def database(self) -> Opened:
        """The database with everything written that was to be written. Raises StorageError, StoreDamagedError."""
        if self._behind is not None:
            await self._behind
        assert self._database is not None
        return self._database

    async def keep(
        self, kind: str, texts: dict[str, str], vectors: NDArray[np.float32], stamps: Sequence[Stamp]
    ) -> None:
        """Write vectors of texts by id behind what comes next; at most one batch is on its way."""
        if self._database is not None:
            await self.database()
        before = self._behind

        async def write() -> None:
            if before is not None:
                await before
            there = self._database
            assert there is not None
            await asyncio.to_thread(put, getattr(there, kind), texts, vectors, stamps, there.most_rows)

        self._behind = asyncio.create_task(write())

    async def settle(self) -> None:
        """See everything written, and mark a store that is whole as complete."""
        began = perf_counter()
        database = await self.database()
        if self.filled is not None and not self.complete:
            self.filled += perf_counter() - began
        if not self.complete:
            await asyncio.to_thread(self.mark_complete, database)

    async def finish(self) -> None:
        """Settle and close."""
        try:
            await self.settle()
        finally:
            await self.close()

    def mark_complete(self, database: Opened) -> None:
        """Count once more and write the marker. Raises StoreDamagedError where a chunk is missing."""
        found, dimension = measure(database.chunks)
        if found != self.count:
            raise StoreDamagedError(f"it holds {found} chunks instead of {self.count}")
        made = Complete(
            key=self.key,
            embedding=self.embedder.model,
            count=found,
            dimension=dimension,
            seconds=None if self.filled is None else round(self.filled, 6),
            versions=versions(),
        )
        write_json(self.folder / MARKER, made)
        self.complete = True

    async def close(self) -> None:
        """Release files and memory once the writing has ended, however it ended; safe to call twice."""
        if self._behind is not None:
            await asyncio.wait([self._behind])
            if not self._behind.cancelled():
                self._behind.exception()
        if self._database is not None:
            await asyncio.to_thread(self._database.close)
        if self.rows is not None:
            self.rows.close()
        self.closed = True

    async def nearest(
        self, questions: Sequence[str], k: int, eligible: Sequence[frozenset[str] | None] | None = None
    ) -> list[list[Hit]]:
        """The `k` nearest chunks of each question as (id, cosine similarity), best first.

        `eligible` gives the documents whose chunks each question may find, None for all: the others are left out
        before any comparison, as Chroma's `where` does.

        Raises EmbeddingError where the questions cannot be embedded and StoreDamagedError where the store is unsound.
        """
        hits: list[list[Hit]] = []
        allowed = iter(eligible or [None] * len(questions))
        for block in batches(questions, QUESTIONS_AT_ONCE):
            rows = await self._question_rows(block)
            mine = list(islice(allowed, len(block)))
            if self.rows is None:
                self.rows = await asyncio.to_thread(self._read, await self.database())
            began = perf_counter()
            hits += await asyncio.to_thread(_scan, self.rows, rows, k, mine)
            self.compared += perf_counter() - began
        return hits

    async def _question_rows(self, questions: list[str]) -> NDArray[np.float32]:
        """Settled rows of the questions; those that were ever asked of this store are not embedded again."""
        import numpy as np

        texts = {sha256_text(question)[:32]: question for question in questions}
        known = {}
        if not self.fresh:
            known = await asyncio.to_thread(sound, (await self.database()).questions, texts)
        missing = [name for name in texts if name not in known]
        for batch in batches(missing, self.batch_size):
            asked = [texts[name] for name in batch]
            vectors = await embedded(self.embedder, self.embedder.embed_queries, asked)
            if self.count:
                same_length(vectors, self.dimension, self.embedder.model, self.folder)
            known |= dict(zip(batch, vectors, strict=True))
            await self.keep("questions", dict(zip(batch, asked, strict=True)), vectors, [{}] * len(batch))
        # From now on there are questions that another block may ask again.
        self.fresh = False
        return np.asarray([known[sha256_text(question)[:32]] for question in questions], dtype=np.float32)

    def _read(self, database: Opened) -> Rows:
        import numpy as np

        rows = Rows(self.folder)
        for page in batches(all_ids(database.chunks), PAGE):
            found = rows_by_id(database.chunks, page)
            rows.add(list(found), np.asarray(list(found.values()), dtype=np.float32))
        if len(rows) != self.count:
            raise StoreDamagedError(f"{len(rows)} of {self.count} vectors are there")
        return rows


def _scan(
    rows: Rows, questions: NDArray[np.float32], k: int, eligible: Sequence[frozenset[str] | None]
) -> list[list[Hit]]:
    """One pass over the vectors for all questions, whatever each may find."""
    starts = range(0, len(questions), SCORED_AT_ONCE)
    parts = [slice(start, start + SCORED_AT_ONCE) for start in starts]
    asked = [Directions.of(questions[part]) for part in parts]
    best = [Best(len(questions[part]), k) for part in parts]
    free = all(documents is None for documents in eligible)
    reach = [None if free else rows.owners().reach(eligible[part]) for part in parts]
    start = 0
    for ids, vectors in rows.pages():
        page = Directions.of(vectors)
        for some, found, may in zip(asked, best, reach, strict=True):
            scores = cosines(some, page)
            if may is not None:
                may.bar(scores, start)
            found.page(ids, scores)
        start += len(ids)
    return [hits for found in best for hits in found.hits()]


def same_length(vectors: NDArray[np.float32], dimension: int, model: str, folder: Path) -> None:
    """Raise EmbeddingError where a model's vectors are not as long as those that its store holds."""
    if vectors.shape[1] != dimension:
        message = (
            f"embedding model {model} now gives {vectors.shape[1]} numbers a text, its store has {dimension}; "
            f"if the model changed, delete {folder}"
        )
        raise EmbeddingError(Failure(type="unparseable", message=message))


async def embedded(
    embedder: Embedder, embed: Callable[[list[str]], Awaitable[list[list[float]]]], texts: list[str]
) -> NDArray[np.float32]:
    """Vectors of `texts`, checked (one a text, all of one length, all finite) and settled: see `similarity.settled`."""
    import numpy as np

    vectors = await embed(texts)
    lengths = {len(vector) for vector in vectors}
    fault = ""
    if len(vectors) != len(texts):
        fault = f"gave {len(vectors)} vectors for {len(texts)} texts"
    elif len(lengths) != 1 or 0 in lengths:
        fault = f"gave vectors of {sorted(lengths)} numbers"
    if not fault:
        with np.errstate(over="ignore"):
            made = np.asarray(vectors, dtype=np.float32)
        if np.isfinite(made).all():
            return settled(made)
        fault = "gave a vector with NaN or infinity"
    raise EmbeddingError(Failure(type="unparseable", message=f"embedding model {embedder.model} {fault}"))
