"""Opening a store's database; the only module that imports chromadb.

Chroma keeps Python's lock while it waits for the disk, so that everything else in the process stands still (measured
for a new store of 20 chunks and 75 questions on a busy disk: 430 ms). So a new database begins as a copy of an empty
one, made once a process, instead of running all migrations; and it is in SQLite's write-ahead mode, which waits for
the disk once a commit instead of four times (same store: 85 ms). Either mode survives a kill at any moment.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from ragtester.errors import StorageError
from ragtester.provenance import sha256_text
from ragtester.rag.collection import chroma_errors

DATABASE = "chroma.sqlite3"
# Vectors stay in Chroma's SQLite log, which survives a kill at any moment; the graph's own files do not (a cut one ends
# the process with a segmentation fault), so they never come to hold anything and are removed before opening. The graph
# in memory is not searched: it is kept as cheap as it can be (3,000 vectors: 0.1 s to read instead of 0.5 s).
HNSW = {"space": "cosine", "sync_threshold": 10**9, "batch_size": 10**8, "max_neighbors": 4, "ef_construction": 8}
CLOSING_SECONDS = 2.0
OPEN_FILES = Path("/proc/self/fd")
NO_PREFIX = "no variable of the environment begins so: "
_UNSAFE = re.compile(r"[^A-Za-z0-9]+")
_making = threading.Lock()
_loading = threading.Lock()


@dataclass(frozen=True)
class Opened:
    """An open database: its two collections, and how many rows Chroma takes at once."""

    folder: Path
    client: Any
    chunks: Any
    questions: Any
    most_rows: int

    def close(self) -> None:
        """Release files and memory; safe to call twice.

        Chroma closes its connections some milliseconds later, and the last one deletes the write-ahead log by name:
        whoever opens a new database in the folder before that would lose it. Two that close at the same moment leave
        the log (seen in 4 of 100 stores); it is whole, and the next opening takes it in.
        """
        _close(self.client, self.folder)


def _close(client: Any, folder: Path) -> None:
    client.close()
    until = time.monotonic() + CLOSING_SECONDS
    while _in_use(folder) and time.monotonic() < until:
        time.sleep(0.002)


def _in_use(folder: Path) -> bool:
    """Whether this process still has the database open; where that cannot be seen, whether its log is there."""
    if not OPEN_FILES.is_dir():
        return (folder / f"{DATABASE}-wal").exists()
    database = str(folder.resolve() / DATABASE)
    return any(_target(link).startswith(database) for link in OPEN_FILES.iterdir())


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except FileNotFoundError:  # closed since it was listed
        return ""


def load() -> None:
    """Import chromadb: call it in the main thread before any server is called.

    Imported in another thread, it leaves modules half imported for a moment; OpenAI's client looks for one of them
    (httpx) when a reply comes, fails, and the reply is paid for again.
    """
    with _loading:
        _settings()


@contextmanager
def _no_surroundings() -> Iterator[None]:
    """Keep `.env` of the working directory and variables of the environment from Chroma's settings.

    Chroma makes such settings while it is imported, and a value that it does not like ends the import.
    """
    from unittest.mock import patch

    from pydantic_settings import BaseSettings

    make = BaseSettings.__init__

    def bare(self: BaseSettings, **values: Any) -> None:
        make(self, **{**values, "_env_file": None, "_env_prefix": NO_PREFIX})

    with patch.object(BaseSettings, "__init__", bare):
        yield


def collection_name(kind: str, embedding: str) -> str:
    """A name by Chroma's rule (3–512 of `[a-zA-Z0-9._-]`), readable, and another one for every other model name."""
    clean = _UNSAFE.sub("-", embedding).strip("-")[:60].strip("-")
    return f"{kind}-{clean or 'model'}-{sha256_text(embedding)[:8]}"


def connect(folder: Path, embedding: str) -> Opened:
    """Open the database in `folder`, a new one where there is none. Raises StorageError and StoreDamagedError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _leave_graphs(folder)
        if not (folder / DATABASE).exists():
            _begin(folder, empty_database(embedding))
    except OSError as error:
        raise StorageError(f"{folder}: cannot be made ({error.strerror})") from error
    return _open(folder, embedding)


def _leave_graphs(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)


@contextmanager
def looking(folder: Path) -> Iterator[list[Any]]:
    """The collections of a database that is there, to be read: none is made. Raises StorageError, StoreDamagedError."""
    try:
        _leave_graphs(folder)
    except OSError as error:
        raise StorageError(f"{folder}: cannot be read ({error.strerror})") from error
    client = _client(folder)
    try:
        with chroma_errors():
            found = [client.get_collection(one.name, embedding_function=None) for one in client.list_collections()]
        yield found
    finally:
        _close(client, folder)


@lru_cache(maxsize=8)
def _empty(embedding: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="ragtester-") as name:
        _open(Path(name), embedding).close()
        made = bytearray((Path(name) / DATABASE).read_bytes())
    # Read and write version of the file format: 2 is write-ahead logging (sqlite.org/fileformat.html, 1.3.3).
    made[18:20] = b"\x02\x02"
    return bytes(made)


def empty_database(embedding: str) -> bytes:
    """An empty database with the collections of an embedding model; the first call makes it."""
    with _making:
        return _empty(embedding)


def _begin(folder: Path, empty: bytes) -> None:
    for ending in ("-wal", "-shm", "-journal"):
        # What is left of another database would be played into this one.
        (folder / f"{DATABASE}{ending}").unlink(missing_ok=True)
    draft = folder / f"{DATABASE}.new"
    draft.write_bytes(empty)
    draft.replace(folder / DATABASE)


def _client(folder: Path) -> Any:
    load()
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient

    with chroma_errors():
        try:
            return chromadb.PersistentClient(path=str(folder), settings=_settings().model_copy(deep=True))
        except BaseException:
            # A client that failed to start stays in Chroma's cache and would be handed out again for this folder.
            SharedSystemClient._identifier_to_system.pop(str(folder), None)
            raise


def _open(folder: Path, embedding: str) -> Opened:
    client = _client(folder)
    try:
        with chroma_errors():
            chunks, questions = (_collection(client, kind, embedding) for kind in ("chunks", "questions"))
            return Opened(folder, client, chunks, questions, client.get_max_batch_size())
    except BaseException:
        client.close()
        raise


@cache
def _settings() -> Any:
    """Chroma changes Settings in place, so each client gets a copy."""
    with _no_surroundings():
        from chromadb.config import Settings

        return Settings(chroma_api_impl="chromadb.api.rust.RustBindingsAPI", anonymized_telemetry=False)


def _collection(client: Any, kind: str, embedding: str) -> Any:
    """Never Chroma's default embedding function: it would download a model and embed with it."""
    name = collection_name(kind, embedding)
    return client.get_or_create_collection(
        name, embedding_function=None, metadata={"embedding": embedding}, configuration={"hnsw": HNSW}
    )
