"""What a store on disk holds, for an audit: chunks, model and metric, and the vectors that cannot work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ragtester.rag.chroma import DATABASE, collection_name, looking
from ragtester.rag.collection import PAGE, TOLERANCE, all_ids, batches, chroma_errors
from ragtester.rag.similarity import Directions, cosines, settled, signatures, unit_rows
from ragtester.rag.store import MARKER, Complete
from ragtester.storage import read_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Vectors of a larger collection are looked at, and not kept.
IN_MEMORY = 64 * 2**20
# Vectors that agree in so many digits are the same one.
SAME_DIGITS = 5

Unsound = Literal["not_finite", "damaged_vector", "null_vector"]


@dataclass
class Vectors:
    """One collection. `length` is that of its vectors (0 for none); `rows` are settled, in the order of `ids`.

    `unsound` says what is wrong with a vector; `twins` how many different texts share a vector that several have, by
    id; `texts` counts the different texts. `rows` is None for a collection that is too large to be kept.
    """

    embedding: str
    metric: str
    length: int = 0
    ids: list[str] = field(default_factory=list)
    unsound: dict[str, Unsound] = field(default_factory=dict)
    twins: dict[str, int] = field(default_factory=dict)
    texts: int = 0
    rows: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        self.at: dict[str, int] = {}


@dataclass(frozen=True)
class StoreHealth:
    """A store as it lies on disk. `embedding` and `dimension` are from `complete.json`, None in a half-built one."""

    folder: Path
    embedding: str | None
    dimension: int | None
    chunks: Vectors
    questions: Vectors


def inspect_store(folder: Path, embedding: str) -> StoreHealth | None:
    """Read a store; None where there is none. No vector, collection or file of it is made, mended or removed.

    `embedding` is the model that its questions were embedded with: its collections are read, or those of another model
    where it has none. Raises StorageError, StoreDamagedError, and DataError for an unreadable `complete.json`.
    """
    if not (folder / DATABASE).is_file():
        return None
    marker = read_json(folder / MARKER, Complete)
    with looking(folder) as found:
        chunks, questions = (_read(_chosen(found, kind, embedding)) for kind in ("chunks", "questions"))
    return StoreHealth(
        folder, marker.embedding if marker else None, marker.dimension if marker else None, chunks, questions
    )


def _chosen(collections: list[Any], kind: str, embedding: str) -> Any | None:
    of_kind = {one.name: one for one in collections if one.name.startswith(f"{kind}-")}
    return of_kind.get(collection_name(kind, embedding)) or next(iter(of_kind.values()), None)


def _read(collection: Any | None) -> Vectors:
    import numpy as np

    if collection is None:
        return Vectors("", "")
    with chroma_errors():
        stamp, hnsw = collection.metadata or {}, (collection.configuration_json or {}).get("hnsw") or {}
    found = Vectors(str(stamp.get("embedding", "")), str(hnsw.get("space", "")))
    kept: list[NDArray[np.float32]] = []
    shared: dict[bytes, list[str]] = defaultdict(list)
    texts: dict[str, str] = {}
    size = 0
    for ids, vectors, marks, hashes in _pages(collection):
        found.length = vectors.shape[1]
        rows = _sound_rows(found, ids, vectors, marks)
        for name, row, text in zip(ids, np.round(rows, SAME_DIGITS) + 0.0, hashes, strict=True):
            texts[name] = text
            if name not in found.unsound:
                shared[_hash_of(row)].append(name)
        found.ids += ids
        size += rows.shape[0] * rows.shape[1] * 4
        if size <= IN_MEMORY:
            kept.append(settled(rows))
    found.at = {name: place for place, name in enumerate(found.ids)}
    found.texts = len(set(texts.values()))
    for names in shared.values():
        if (different := len({texts[name] for name in names})) > 1:
            found.twins |= dict.fromkeys(names, different)
    if kept and size <= IN_MEMORY:
        found.rows = np.concatenate(kept)
    return found


def _hash_of(row: NDArray[np.float64]) -> bytes:
    """A short fingerprint of a vector, so that many vectors can be compared at once."""
    import hashlib

    return hashlib.sha256(row.tobytes()).digest()[:16]


def _pages(collection: Any) -> Iterator[tuple[list[str], NDArray[np.float64], list[float], list[str]]]:
    import numpy as np

    for page in batches(all_ids(collection), PAGE):
        with chroma_errors():
            got = collection.get(ids=page, include=["embeddings", "metadatas"])
        metas = [meta or {} for meta in got["metadatas"]]
        vectors = np.asarray(got["embeddings"], dtype=np.float64)
        marks = [float(meta.get("mark", "nan")) for meta in metas]
        yield list(got["ids"]), vectors, marks, [str(meta.get("sha256", "")) for meta in metas]


def _sound_rows(
    found: Vectors, ids: list[str], vectors: NDArray[np.float64], marks: list[float]
) -> NDArray[np.float64]:
    """Unit rows; what is wrong with a vector is noted, and its row is zero."""
    import numpy as np

    finite = np.all(np.isfinite(vectors), axis=1)
    rows = unit_rows(np.where(finite[:, None], vectors, 0.0))
    null = ~np.any(rows, axis=1)
    signed = signatures(rows)
    for place, name in enumerate(ids):
        if not finite[place]:
            found.unsound[name] = "not_finite"
        elif not abs(marks[place] - signed[place]) <= TOLERANCE:
            found.unsound[name] = "damaged_vector"
        elif null[place]:
            found.unsound[name] = "null_vector"
    return rows


def rank_of(
    chunk_id: str, question_id: str, health: StoreHealth, eligible: frozenset[str] | None
) -> tuple[int, float] | None:
    """Exact rank (from 1) and cosine of a chunk for a question, among the chunks of eligible documents (None: all).

    None where either has no vector here or vectors are not kept. Ties go to the smaller id, as in the search.
    """
    import numpy as np

    chunks, questions = health.chunks, health.questions
    if chunks.rows is None or questions.rows is None or chunks.length != questions.length:
        return None
    if chunk_id not in chunks.at or question_id not in questions.at:
        return None
    place = questions.at[question_id]
    asked = Directions.of(questions.rows[place : place + 1])
    # Page by page: doubles of a large collection would need twice its memory.
    pages = (chunks.rows[start : start + PAGE] for start in range(0, len(chunks.rows), PAGE))
    scores = np.concatenate([cosines(asked, Directions.of(page))[0] for page in pages])
    own = float(scores[chunks.at[chunk_id]])
    ahead = (chunks.ids[place] for place in np.flatnonzero(scores >= own).tolist())
    rank = 1 + sum(
        (float(scores[chunks.at[name]]) > own or name < chunk_id)
        and (eligible is None or name.rsplit(":", 2)[0] in eligible)
        for name in ahead
    )
    return rank, own
