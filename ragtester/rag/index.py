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
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from ragtester.errors import DataError, StorageError
from ragtester.progress import Progress
from ragtester.provenance import row_key
from ragtester.rag.chroma import DATABASE
from ragtester.rag.collection import StoreDamagedError, all_ids, batches, drop, measure, sound, stamp
from ragtester.rag.similarity import Hit
from ragtester.rag.store import MARKER, Complete, Store, embedded, same_length
from ragtester.records import Chunk
from ragtester.storage import read_json
from ragtester.tasks import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def store_key(texts: Iterable[str], chunker: dict[str, object], embedding: dict[str, object]) -> str:
    """What a store depends on: SHA-256 of the texts, the chunker, and the embedding model with its server and size."""
    return row_key(texts=list(texts), chunker=chunker, embedding=embedding)


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
    open_it: Callable[[], Awaitable[Store]],
    questions: Sequence[str],
    k: int,
    progress: Progress,
    eligible: Sequence[frozenset[str] | None] | None = None,
) -> tuple[list[list[Hit]], Store]:
    """Open and ask; the store is handed back to be finished, or asked again.

    `eligible` gives the documents whose chunks each question may find, None for all. A store that turns out damaged
    while it is read is rebuilt once with a note.
    """
    for attempt in (1, 2):
        store = await open_it()
        try:
            return await store.nearest(questions, k, eligible), store
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
    assert store.rows is not None
    seen: set[str] = set()
    began = perf_counter()
    for batch in batches(chunks, store.batch_size):
        new = {chunk.id: chunk for chunk in batch if chunk.id not in seen}
        if new:
            seen |= new.keys()
            store.rows.add(list(new), await _add(store, new.values()))
    store.count = len(seen)
    store.filled = perf_counter() - began


async def _continue(store: Store, chunks: Iterable[Chunk]) -> None:
    """Embed what a half-built store lacks, and drop what is not planned any more."""
    planned: set[str] = set()
    store.filled = None
    database = await store.database()
    present = set(await asyncio.to_thread(all_ids, database.chunks))
    for batch in batches(chunks, store.batch_size):
        wanted = {chunk.id: chunk for chunk in batch}
        planned |= wanted.keys()
        there = {name: chunk.searched for name, chunk in wanted.items() if name in present}
        kept = await asyncio.to_thread(sound, (await store.database()).chunks, there) if there else {}
        lengths = {len(row) for row in kept.values()}
        missing = [chunk for name, chunk in wanted.items() if name not in kept]
        if missing:
            vectors = await _add(store, missing)
            lengths |= {vectors.shape[1]}
        if len(lengths) > 1:
            raise StoreDamagedError("it was begun with vectors of another length")
        store.dimension = store.dimension or max(lengths)
    database = await store.database()
    await asyncio.to_thread(drop, database.chunks, sorted(present - planned))
    store.count = len(planned)
    await asyncio.to_thread(store.mark_complete, database)


async def _add(store: Store, chunks: Collection[Chunk]) -> NDArray[np.float32]:
    texts = {chunk.id: chunk.searched for chunk in chunks}
    vectors = await embedded(store.embedder, store.embedder.embed_documents, list(texts.values()))
    store.dimension = store.dimension or vectors.shape[1]
    same_length(vectors, store.dimension, store.embedder.model, store.folder)
    await store.keep("chunks", texts, vectors, [stamp(chunk, store.embedder.model) for chunk in chunks])
    return vectors
