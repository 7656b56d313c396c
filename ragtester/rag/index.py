"""One Chroma store a document (or corpus) and embedding model: filled once, asked exactly.

A store is a folder with two collections, the chunks and the questions that were put to them, and `complete.json`,
written last. Without that file the store is half-built: what is sound in it is kept, the rest is embedded.

Chroma's own query is approximate and depends on how the graph happened to be built (measured on 6,000 vectors of 256
dimensions: recall@4 0.77, two builds differ). Labels of exact gold chunks deserve exact ranks, so vectors are compared
exactly: those that were just embedded from memory, others read back once and checked one by one. Writing goes on behind
the comparison, so that calls are under way while the disk is still busy.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from ragtester.errors import DataError, StorageError
from ragtester.progress import Progress
from ragtester.provenance import row_key, sha256_text, versions
from ragtester.rag.chroma import DATABASE, Opened, connect
from ragtester.rag.collection import PAGE, StoreDamagedError, all_ids, batches, drop, measure, put, rows_by_id, sound
from ragtester.rag.rows import Rows
from ragtester.rag.similarity import Hit, Nearest, unit_rows
from ragtester.records import Chunk, Failure, Record
from ragtester.storage import read_json, write_json
from ragtester.tasks import Embedder, EmbeddingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragtester.rag.similarity import Matrix

MARKER = "complete.json"
QUESTIONS_AT_ONCE = 2000


class Complete(Record):
    """`complete.json`: what a finished store holds."""

    key: str
    embedding: str
    count: int
    dimension: int
    versions: dict[str, str] = Field(default_factory=dict)


def store_key(texts: Iterable[str], chunker: dict[str, object], embedding: dict[str, object]) -> str:
    """What a store depends on: SHA-256 of the texts, the chunker, and the embedding model with its server and size."""
    return row_key(texts=list(texts), chunker=chunker, embedding=embedding)


@dataclass
class Store:
    """A store in use; one process at a time. `finish` it, or at least `close` it.

    `fresh`: nothing was there before, so that nothing needs to be read. `_behind` is the last piece of work on the
    database, which begins with opening it; each piece waits for the one before.
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
    _rows: Rows | None = None
    _database: Opened | None = field(default=None, repr=False)
    _behind: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Open the database, behind everything else."""
        self._behind = asyncio.create_task(asyncio.to_thread(self._connect))
        self._rows = Rows(self.folder) if self.fresh else None

    def _connect(self) -> None:
        self._database = connect(self.folder, self.embedder.model)

    async def database(self) -> Opened:
        """The database with everything written that was to be written. Raises StorageError, StoreDamagedError."""
        if self._behind is not None:
            await self._behind
        assert self._database is not None
        return self._database

    async def keep(self, kind: str, ids: list[str], texts: list[str], vectors: NDArray[np.float32]) -> None:
        """Write vectors behind what comes next; at most one batch is on its way."""
        if self._database is not None:
            await self.database()
        before = self._behind

        async def write() -> None:
            if before is not None:
                await before
            there = self._database
            assert there is not None
            await asyncio.to_thread(put, getattr(there, kind), ids, texts, vectors, there.most_rows)

        self._behind = asyncio.create_task(write())

    async def settle(self) -> None:
        """See everything written, and mark a store that is whole as complete."""
        database = await self.database()
        if not self.complete:
            await asyncio.to_thread(self._complete, database)

    async def finish(self) -> None:
        """Settle and close."""
        try:
            await self.settle()
        finally:
            await self.close()

    def _complete(self, database: Opened) -> None:
        found, dimension = measure(database.chunks)
        if found != self.count:
            raise StoreDamagedError(f"it holds {found} chunks instead of {self.count}")
        made = Complete(
            key=self.key, embedding=self.embedder.model, count=found, dimension=dimension, versions=versions()
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
        if self._rows is not None:
            self._rows.close()
        self.closed = True

    async def nearest(self, questions: Sequence[str], k: int) -> list[list[Hit]]:
        """The `k` nearest chunks of each question as (id, cosine similarity), best first.

        Raises EmbeddingError where the questions cannot be embedded and StoreDamagedError where the store is unsound.
        """
        hits: list[list[Hit]] = []
        for block in batches(questions, QUESTIONS_AT_ONCE):
            rows = await self._question_rows(block)
            if self._rows is None:
                self._rows = await asyncio.to_thread(self._read, await self.database())
            hits += await asyncio.to_thread(_scan, self._rows, rows, k)
        return hits

    async def _question_rows(self, questions: list[str]) -> Matrix:
        """Unit rows of the questions; those that were ever asked of this store are not embedded again."""
        texts = {sha256_text(question)[:32]: question for question in questions}
        known = {}
        if not self.fresh:
            known = await asyncio.to_thread(sound, (await self.database()).questions, texts)
        missing = [name for name in texts if name not in known]
        for batch in batches(missing, self.batch_size):
            asked = [texts[name] for name in batch]
            vectors = await _embedded(self.embedder, self.embedder.embed_queries, asked)
            if self.count:
                _same_length(vectors, self.dimension, self.embedder.model, self.folder)
            known |= dict(zip(batch, vectors, strict=True))
            await self.keep("questions", batch, asked, vectors)
        # From now on there are questions that another block may ask again.
        self.fresh = False
        return unit_rows([known[sha256_text(question)[:32]] for question in questions])

    def _read(self, database: Opened) -> Rows:
        import numpy as np

        rows = Rows(self.folder)
        for page in batches(all_ids(database.chunks), PAGE):
            found = rows_by_id(database.chunks, page)
            rows.add(list(found), np.asarray(list(found.values()), dtype=np.float32))
        if len(rows) != self.count:
            raise StoreDamagedError(f"{len(rows)} of {self.count} vectors are there")
        return rows


def _scan(rows: Rows, questions: Matrix, k: int) -> list[list[Hit]]:
    best = Nearest(questions, k)
    for ids, vectors in rows.pages():
        best.page(ids, unit_rows(vectors))
    return best.hits()


async def open_store(
    folder: Path, key: str, chunks: Iterable[Chunk], embedder: Embedder, progress: Progress, *, batch_size: int = 128
) -> Store:
    """Open the store of `key` in `folder`, filled with `chunks`.

    A complete store is used as it is. A half-built one is continued: vectors whose id and text agree are kept. A
    damaged one is rebuilt with a note. `chunks` is read again for a rebuild, so give a list or another re-iterable.
    Raises EmbeddingError (batches embedded so far are kept) and StorageError.
    """
    for attempt in (1, 2):
        try:
            return await _open(folder, key, chunks, embedder, batch_size)
        except StoreDamagedError as error:
            discard(folder, str(error), progress, last=attempt == 2)
    raise AssertionError("unreachable")


async def ask(
    open_it: Callable[[], Awaitable[Store]], questions: Sequence[str], k: int, progress: Progress
) -> tuple[list[list[Hit]], Store]:
    """Open and ask; the store is handed back to be finished, or asked again.

    A store that turns out damaged while it is read is rebuilt once with a note.
    """
    for attempt in (1, 2):
        store = await open_it()
        try:
            return await store.nearest(questions, k), store
        except StoreDamagedError as error:
            await store.close()
            discard(store.folder, str(error), progress, last=attempt == 2)
        except BaseException:
            await store.close()
            raise
    raise AssertionError("unreachable")


async def finish(store: Store, progress: Progress) -> None:
    """Finish a store whose hits are in use already: what turns out damaged now is made again by the next run."""
    try:
        await store.finish()
    except StoreDamagedError as error:
        discard(store.folder, str(error), progress, last=False)


async def search(
    open_it: Callable[[], Awaitable[Store]], questions: Sequence[str], k: int, progress: Progress
) -> list[list[Hit]]:
    """Open, ask, finish."""
    hits, store = await ask(open_it, questions, k, progress)
    await finish(store, progress)
    return hits


def discard(folder: Path, reason: str, progress: Progress, *, last: bool) -> None:
    """Remove a damaged store so that it is made again; raises StorageError where that did not help before."""
    if last:
        raise StorageError(f"{folder}: the store cannot be made ({reason}); see that the disk has room and is sound")
    progress.note(f"store {folder.name} is damaged ({reason}); it is made again")
    shutil.rmtree(folder, ignore_errors=True)


async def _open(folder: Path, key: str, chunks: Iterable[Chunk], embedder: Embedder, batch_size: int) -> Store:
    marker = _marker(folder)
    if marker and marker.key != key:
        raise StoreDamagedError("it was made from other inputs")
    fresh = marker is None and not (folder / DATABASE).exists()
    store = Store(folder, key, embedder, batch_size, fresh)
    store.begin()
    try:
        if marker:
            found, _ = await asyncio.to_thread(measure, (await store.database()).chunks)
            if found != marker.count:
                raise StoreDamagedError(f"it holds {found} chunks instead of {marker.count}")
            store.count, store.dimension, store.complete = marker.count, marker.dimension, True
        elif fresh:
            await _fill(store, chunks)
        else:
            await _continue(store, chunks)
    except BaseException:
        await store.close()
        raise
    return store


def _marker(folder: Path) -> Complete | None:
    try:
        return read_json(folder / MARKER, Complete)
    except DataError as error:
        raise StoreDamagedError(f"{MARKER} is not readable") from error


async def _fill(store: Store, chunks: Iterable[Chunk]) -> None:
    """Embed all chunks of a new store; they stay at hand for the questions."""
    assert store._rows is not None
    seen: set[str] = set()
    for batch in batches(chunks, store.batch_size):
        texts = {chunk.id: chunk.text for chunk in batch if chunk.id not in seen}
        seen |= texts.keys()
        vectors = await _add(store, texts)
        store._rows.add(list(texts), vectors)
    store.count = len(seen)


async def _continue(store: Store, chunks: Iterable[Chunk]) -> None:
    """Embed what a half-built store lacks, and drop what is not planned any more."""
    planned: set[str] = set()
    database = await store.database()
    present = set(await asyncio.to_thread(all_ids, database.chunks))
    for batch in batches(chunks, store.batch_size):
        texts = {chunk.id: chunk.text for chunk in batch}
        planned |= texts.keys()
        there = {name: text for name, text in texts.items() if name in present}
        kept = await asyncio.to_thread(sound, (await store.database()).chunks, there) if there else {}
        lengths = {len(row) for row in kept.values()}
        missing = {name: text for name, text in texts.items() if name not in kept}
        if missing:
            vectors = await _add(store, missing)
            lengths |= {vectors.shape[1]}
        if len(lengths) > 1:
            raise StoreDamagedError("it was begun with vectors of another length")
        store.dimension = store.dimension or max(lengths)
    database = await store.database()
    await asyncio.to_thread(drop, database.chunks, sorted(present - planned))
    store.count = len(planned)
    await asyncio.to_thread(store._complete, database)


async def _add(store: Store, texts: dict[str, str]) -> NDArray[np.float32]:
    vectors = await _embedded(store.embedder, store.embedder.embed_documents, list(texts.values()))
    store.dimension = store.dimension or vectors.shape[1]
    _same_length(vectors, store.dimension, store.embedder.model, store.folder)
    await store.keep("chunks", list(texts), list(texts.values()), vectors)
    return vectors


def _same_length(vectors: NDArray[np.float32], dimension: int, model: str, folder: Path) -> None:
    if vectors.shape[1] != dimension:
        message = (
            f"embedding model {model} now gives {vectors.shape[1]} numbers a text, its store has {dimension}; "
            f"if the model changed, delete {folder}"
        )
        raise EmbeddingError(Failure(type="unparseable", message=message))


async def _embedded(
    embedder: Embedder, embed: Callable[[list[str]], Awaitable[list[list[float]]]], texts: list[str]
) -> NDArray[np.float32]:
    """Vectors of `texts`, checked: one a text, all of one length, all finite; in single precision, as Chroma keeps."""
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
            return made
        fault = "gave a vector with NaN or infinity"
    raise EmbeddingError(Failure(type="unparseable", message=f"embedding model {embedder.model} {fault}"))
