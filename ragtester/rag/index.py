"""One Chroma store a document (or corpus) and embedding model; the only module that imports chromadb.

A store is a folder with two collections, the chunks and the questions that were put to them, and `complete.json`,
written last. Without that file the store is half-built: what is sound in it is kept, the rest is embedded.

Chroma's own query is approximate and depends on how the graph happened to be built (measured on 6,000 vectors of 256
dimensions: recall@4 0.77, two builds differ). Labels of exact gold
chunks deserve exact ranks, so the vectors are read back page by page and compared exactly; reading checks each one.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from ragtester.errors import DataError, StorageError
from ragtester.progress import Progress
from ragtester.provenance import row_key, sha256_text, versions
from ragtester.rag.collection import (
    PAGE,
    StoreDamagedError,
    all_ids,
    batches,
    chroma_errors,
    drop,
    measure,
    put,
    rows_by_id,
    sound,
)
from ragtester.rag.similarity import Hit, Nearest, unit_rows
from ragtester.records import Chunk, Failure, Record
from ragtester.storage import read_json, write_json
from ragtester.tasks import Embedder, EmbeddingError

if TYPE_CHECKING:
    from chromadb.api.client import Client

    from ragtester.rag.similarity import Matrix

MARKER = "complete.json"
# Vectors stay in Chroma's SQLite log, which survives a kill at any moment; the graph's own files do not (a cut one ends
# the process with a segmentation fault), so they never come to hold anything and are removed before opening. The graph
# in memory is not searched: it is kept as cheap as it can be (3,000 vectors: 0.1 s to read instead of 0.5 s).
HNSW = {"space": "cosine", "sync_threshold": 10**9, "batch_size": 10**8, "max_neighbors": 4, "ef_construction": 8}
QUESTIONS_AT_ONCE = 2000
_UNSAFE = re.compile(r"[^A-Za-z0-9]+")


class Complete(Record):
    """`complete.json`: what a finished store holds."""

    key: str
    embedding: str
    count: int
    dimension: int
    versions: dict[str, str] = Field(default_factory=dict)


def store_key(texts: Iterable[str], chunker: dict[str, Any], embedding: dict[str, Any]) -> str:
    """What a store depends on: SHA-256 of the texts, the chunker, and the embedding model with its server and size."""
    return row_key(texts=list(texts), chunker=chunker, embedding=embedding)


def collection_name(kind: str, embedding: str) -> str:
    """A name by Chroma's rule (3–512 of `[a-zA-Z0-9._-]`), readable, and another one for every other model name."""
    clean = _UNSAFE.sub("-", embedding).strip("-")[:60].strip("-")
    return f"{kind}-{clean or 'model'}-{sha256_text(embedding)[:8]}"


@dataclass
class Store:
    """An open store. Close it, or use it in `with`; one process at a time."""

    folder: Path
    key: str
    embedder: Embedder
    batch_size: int
    client: Client = field(repr=False)
    chunks: Any = field(repr=False)
    questions: Any = field(repr=False)
    count: int = 0
    dimension: int = 0

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release files and memory; safe to call twice."""
        self.client.close()

    async def nearest(self, questions: Sequence[str], k: int) -> list[list[Hit]]:
        """The `k` nearest chunks of each question as (id, cosine similarity), best first.

        Raises EmbeddingError where the questions cannot be embedded and StoreDamagedError where the store is unsound.
        """
        hits: list[list[Hit]] = []
        for block in batches(questions, QUESTIONS_AT_ONCE):
            rows = await self._question_rows(block)
            hits += await asyncio.to_thread(self._scan, rows, k)
        return hits

    async def _question_rows(self, questions: list[str]) -> Matrix:
        """Unit rows of the questions; those that were ever asked of this store are not embedded again."""
        texts = {sha256_text(question)[:32]: question for question in questions}
        ids = list(texts)
        known = await asyncio.to_thread(sound, self.questions, texts)
        missing = [name for name in ids if name not in known]
        for batch in batches(missing, self.batch_size):
            vectors = await _embedded(self.embedder, self.embedder.embed_queries, [texts[name] for name in batch])
            if self.count:
                _same_length(vectors, self.dimension, self.embedder.model, self.folder)
            await asyncio.to_thread(put, self.questions, batch, [texts[name] for name in batch], vectors)
        rows = await asyncio.to_thread(rows_by_id, self.questions, ids)
        return unit_rows([rows[sha256_text(question)[:32]] for question in questions])

    def _scan(self, rows: Matrix, k: int) -> list[list[Hit]]:
        best, seen = Nearest(rows, k), 0
        for page in batches(all_ids(self.chunks), PAGE):
            found = rows_by_id(self.chunks, page)
            best.page(list(found), unit_rows(list(found.values())))
            seen += len(found)
        if seen != self.count:
            raise StoreDamagedError(f"{seen} of {self.count} vectors are there")
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


async def search(
    open_it: Callable[[], Awaitable[Store]], questions: Sequence[str], k: int, progress: Progress
) -> list[list[Hit]]:
    """Open, ask, close; a store that turns out damaged while it is read is rebuilt once with a note."""
    for attempt in (1, 2):
        store = await open_it()
        try:
            return await store.nearest(questions, k)
        except StoreDamagedError as error:
            store.close()
            discard(store.folder, str(error), progress, last=attempt == 2)
        finally:
            store.close()
    raise AssertionError("unreachable")


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
    store = await asyncio.to_thread(_connect, folder, key, embedder, batch_size)
    try:
        if marker:
            if (found := (await asyncio.to_thread(measure, store.chunks))[0]) != marker.count:
                raise StoreDamagedError(f"it holds {found} chunks instead of {marker.count}")
            store.count, store.dimension = marker.count, marker.dimension
            return store
        await _fill(store, chunks)
    except BaseException:
        store.close()
        raise
    return store


def _marker(folder: Path) -> Complete | None:
    try:
        return read_json(folder / MARKER, Complete)
    except DataError as error:
        raise StoreDamagedError(f"{MARKER} is not readable") from error


async def _fill(store: Store, chunks: Iterable[Chunk]) -> None:
    planned: set[str] = set()
    present = set(await asyncio.to_thread(all_ids, store.chunks))
    for batch in batches(chunks, store.batch_size):
        texts = {chunk.id: chunk.text for chunk in batch}
        planned |= texts.keys()
        kept = await asyncio.to_thread(sound, store.chunks, {i: t for i, t in texts.items() if i in present})
        missing = [name for name in texts if name not in kept]
        if not missing:
            continue
        passages = [texts[name] for name in missing]
        vectors = await _embedded(store.embedder, store.embedder.embed_documents, passages)
        if kept and len(vectors[0]) not in kept.values():
            raise StoreDamagedError("it was begun with vectors of another length")
        store.dimension = store.dimension or len(vectors[0])
        _same_length(vectors, store.dimension, store.embedder.model, store.folder)
        await asyncio.to_thread(put, store.chunks, missing, passages, vectors)
    await _complete(store, planned, present)


async def _complete(store: Store, planned: set[str], present: set[str]) -> None:
    """Drop what is not planned, count, and only then write the marker."""
    await asyncio.to_thread(drop, store.chunks, sorted(present - planned))
    found, dimension = await asyncio.to_thread(measure, store.chunks)
    if found != len(planned):
        raise StoreDamagedError(f"it holds {found} chunks instead of {len(planned)}")
    store.count, store.dimension = found, dimension
    done = Complete(
        key=store.key, embedding=store.embedder.model, count=found, dimension=dimension, versions=versions()
    )
    write_json(store.folder / MARKER, done)


def _same_length(vectors: list[list[float]], dimension: int, model: str, folder: Path) -> None:
    if len(vectors[0]) != dimension:
        message = (
            f"embedding model {model} now gives {len(vectors[0])} numbers a text, its store has {dimension}; "
            f"if the model changed, delete {folder}"
        )
        raise EmbeddingError(Failure(type="unparseable", message=message))


async def _embedded(
    embedder: Embedder, embed: Callable[[list[str]], Awaitable[list[list[float]]]], texts: list[str]
) -> list[list[float]]:
    """Vectors of `texts`, checked: one a text, all of one length, all finite."""
    import numpy as np

    vectors = await embed(texts)
    lengths = {len(vector) for vector in vectors}
    fault = ""
    if len(vectors) != len(texts):
        fault = f"gave {len(vectors)} vectors for {len(texts)} texts"
    elif len(lengths) != 1 or 0 in lengths:
        fault = f"gave vectors of {sorted(lengths)} numbers"
    elif not np.isfinite(np.asarray(vectors, dtype=np.float64)).all():
        fault = "gave a vector with NaN or infinity"
    if fault:
        raise EmbeddingError(Failure(type="unparseable", message=f"embedding model {embedder.model} {fault}"))
    return vectors


def _connect(folder: Path, key: str, embedder: Embedder, batch_size: int) -> Store:
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient
    from chromadb.config import Settings

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
    except OSError as error:
        raise StorageError(f"{folder}: cannot be made ({error.strerror})") from error
    # Chroma changes Settings in place, reads `.env` of the working directory, and obeys variables of the environment.
    options: Any = {"_env_file": None, "anonymized_telemetry": False}
    settings = Settings(chroma_api_impl="chromadb.api.rust.RustBindingsAPI", **options)
    client: Any
    with chroma_errors():
        try:
            client = chromadb.PersistentClient(path=str(folder), settings=settings)
        except BaseException:
            # A client that failed to start stays in Chroma's cache and would be handed out again for this folder.
            SharedSystemClient._identifier_to_system.pop(str(folder), None)
            raise
    try:
        with chroma_errors():
            chunks, questions = (_collection(client, kind, embedder.model) for kind in ("chunks", "questions"))
            size = min(batch_size, client.get_max_batch_size())
    except BaseException:
        client.close()
        raise
    return Store(folder, key, embedder, size, client, chunks, questions)


def _collection(client: Client, kind: str, embedding: str) -> Any:
    """Never Chroma's default embedding function: it would download a model and embed with it."""
    name = collection_name(kind, embedding)
    configuration: Any = {"hnsw": HNSW}
    return client.get_or_create_collection(
        name, embedding_function=None, metadata={"embedding": embedding}, configuration=configuration
    )
