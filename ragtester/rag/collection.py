"""Vectors in a Chroma collection: put, read back, and check that each is the one that was stored.

Nothing here imports chromadb: collections are handed in by the index.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from ragtester.errors import StorageError
from ragtester.provenance import sha256_text
from ragtester.rag.similarity import settled, signatures, unit_rows
from ragtester.records import Chunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PAGE = 1000
TOLERANCE = 1e-4
_NO_WRITING = re.compile(r"disk is full|readonly|read-only|locked|permission|os error 28|unable to open", re.I)
Item = TypeVar("Item")
Stamp = dict[str, str | int]


class StoreDamagedError(Exception):
    """The store's files do not hold what they should; the message says what was seen."""


def measure(collection: Any) -> tuple[int, int]:
    """Vectors in a collection, and their length (0 where there are none)."""
    with chroma_errors():
        first = collection.get(limit=1, include=["embeddings"])["embeddings"]
        return int(collection.count()), len(first[0]) if len(first) else 0


def all_ids(collection: Any) -> list[str]:
    """Every id of a collection."""
    with chroma_errors():
        return list(collection.get(include=[])["ids"])


def stamp(chunk: Chunk, embedding: str) -> Stamp:
    """What a chunk's metadata says of it beside its vector; pages are listed in one text ("3,4").

    Chroma has taken lists as values only lately, and a filter by document needs none.
    """
    return {
        "document_id": chunk.document_id,
        "ordinal": chunk.ordinal,
        "start": chunk.start,
        "end": chunk.end,
        "pages": ",".join(map(str, chunk.pages)),
        "embedding": embedding,
        "chunker": chunk.chunker,
    }


def put(
    collection: Any, texts: dict[str, str], vectors: NDArray[np.float32], stamps: Sequence[Stamp], most: int
) -> None:
    """Add vectors of texts by id (replacing unsound ones), each with its text's hash, its own signature and its stamp.

    Chroma takes at most `most` at once.
    """
    ids = list(texts)
    marks = signatures(unit_rows(vectors))
    metadatas = [
        {"sha256": sha256_text(text)[:16], "mark": mark, **stamp}
        for text, mark, stamp in zip(texts.values(), marks, stamps, strict=True)
    ]
    for start in range(0, len(ids), most):
        part = slice(start, start + most)
        with chroma_errors():
            collection.upsert(ids=ids[part], embeddings=vectors[part], metadatas=metadatas[part])


def drop(collection: Any, ids: list[str]) -> None:
    """Remove ids from a collection."""
    for batch in batches(ids, PAGE):
        with chroma_errors():
            collection.delete(ids=batch)


def sound(collection: Any, texts: dict[str, str]) -> dict[str, Any]:
    """Vectors by id, of those that are whole and whose stored text hash agrees."""
    return {
        name: row
        for batch in batches(texts, PAGE)
        for name, row, meta in _get(collection, batch)
        if meta.get("sha256") == sha256_text(texts[name])[:16]
    }


def rows_by_id(collection: Any, ids: Sequence[str]) -> dict[str, Any]:
    """Stored vectors by id; raises StoreDamagedError where one is missing."""
    rows = {name: row for batch in batches(ids, PAGE) for name, row, _ in _get(collection, batch)}
    if len(rows) != len(set(ids)):
        raise StoreDamagedError(f"{len(rows)} of {len(set(ids))} vectors are there")
    return rows


def _get(collection: Any, ids: list[str]) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """(id, settled vector, metadata) of the ids that are there.

    Raises StoreDamagedError where a vector lost its signature.
    """
    with chroma_errors():
        found = collection.get(ids=ids, include=["embeddings", "metadatas"])
    if not found["ids"]:
        return
    marks = signatures(unit_rows(found["embeddings"]))
    rows = settled(found["embeddings"])
    for name, row, meta, mark in zip(found["ids"], rows, found["metadatas"], marks, strict=True):
        if not abs(float((meta or {}).get("mark", "nan")) - mark) <= TOLERANCE:
            raise StoreDamagedError(f"the vector of {name} is not the one that was stored")
        yield name, row, meta


@contextmanager
def chroma_errors() -> Iterator[None]:
    """Turn Chroma's errors into ours; a full disk or a lock is not damage, for rebuilding would not mend it."""
    try:
        yield
    except BaseException as error:
        # A panic of Chroma's Rust part is a BaseException of a class that cannot be imported.
        if type(error).__module__.split(".")[0] not in ("chromadb", "pyo3_runtime"):
            raise
        reason = " ".join(str(error).split())[:200]
        if _NO_WRITING.search(reason):
            raise StorageError(
                f"the vector store cannot be written ({reason}); free space, then start again"
            ) from error
        raise StoreDamagedError(reason) from error


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of at most `size` items, in order."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
