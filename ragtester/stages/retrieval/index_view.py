"""What is known of the stores of a run: each is opened once, and then asked for every query without Chroma."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from ragtester.errors import DataError, StorageError
from ragtester.provenance import sha256_text
from ragtester.rag.collection import StoreDamagedError
from ragtester.rag.health import StoreHealth, inspect_store, rank_of
from ragtester.rag.similarity import Directions, cosines, settled
from ragtester.records import Chunk
from ragtester.stages.retrieval.fixes import Loss
from ragtester.tables.cells import counted
from ragtester.tasks import Embedder, EmbeddingError

Vectors = Sequence[Sequence[float]]
# Embeds texts as questions under an embedding model; None where that model is not to be asked.
EmbedQueries = Callable[[str, list[str]], Vectors | None]

PROBES = 20
# With fewer chunks a wrong model finds the right one too often by chance.
FEWEST_PROBES = 5
FOUND_SHARE = 0.25
SAME = 1e-4
# So many different texts with one vector are no coincidence.
CONSTANT_TEXTS = 3
HELD = 4


@dataclass(frozen=True)
class IndexView:
    """What is known of one embedding model's index of a run, read once per document.

    `health` is None where there is no store to look at, and `unchecked` then says why. `fault` is what is wrong with
    the index as a whole.
    """

    embedding: str
    health: StoreHealth | None = None
    unchecked: str = ""
    fault: Loss | None = None

    def lacks(self, document_id: str, chunk_ids: Sequence[str]) -> Loss | None:
        """Whether the store holds none of these chunks of a document."""
        if self.health is None or any(name in self.health.chunks.at for name in chunk_ids):
            return None
        there = sum(name.rsplit(":", 2)[0] == document_id for name in self.health.chunks.ids)
        held = f"the store {self.health.folder.name} holds {counted(len(self.health.chunks.ids), 'chunk')}"
        if not there:
            return Loss("document_absent", f"Document {document_id}: {held}, and none of this document.")
        names = ", ".join(chunk_ids)
        return Loss("chunk_absent", f"{held[0].upper()}{held[1:]}, {there} of {document_id}, and not {names}.")

    def fault_of(self, chunk_id: str, query: str) -> Loss | None:
        """What keeps a chunk and a query from being compared as they should."""
        if self.health is None or self.fault:
            return self.fault
        chunks, questions = self.health.chunks, self.health.questions
        if unsound := chunks.unsound.get(chunk_id):
            count = sum(one == unsound for one in chunks.unsound.values())
            what = {"null_vector": "null", "not_finite": "not finite", "damaged_vector": "not the one that was stored"}
            others = f"as {'is' if count == 2 else 'are'} {counted(count - 1, 'other')}"
            return Loss(unsound, f"The vector of {chunk_id} is {what[unsound]}, {others}.")
        if constant := _constant(chunks.twins.get(chunk_id, 0), chunks.texts):
            return Loss("constant_vectors", f"The vector of {chunk_id} stands for {constant} different texts.")
        asked = _question_id(query)
        if questions.unsound.get(asked) == "null_vector":
            return Loss("null_query", f"The question's vector under {self.embedding} is null.")
        if constant := _constant(questions.twins.get(asked, 0), questions.texts):
            return Loss("constant_queries", f"The question's vector stands for {constant} different questions.")
        return None

    def rank(self, chunk_id: str, query: str, eligible: frozenset[str] | None) -> tuple[int, float] | None:
        """Exact dense rank and score of a chunk among those of eligible documents (None: all); None where unknown."""
        return rank_of(chunk_id, _question_id(query), self.health, eligible) if self.health else None


def _question_id(query: str) -> str:
    return sha256_text(query)[:32]


def _constant(sharing: int, texts: int) -> int:
    """How many different texts share a vector, where those are too many."""
    return sharing if sharing >= CONSTANT_TEXTS or (sharing > 1 and sharing == texts) else 0


@dataclass
class IndexViews:
    """Makes and holds views; the last few are kept. Call `chroma.load` in the main thread before other threads do."""

    embed: EmbedQueries | None = None
    _held: dict[Path, IndexView] = field(default_factory=dict)

    def of(self, folder: Path, embedding: str, chunks: Sequence[Chunk]) -> IndexView:
        """The view of a store; `chunks` are some that it should hold, for the probe."""
        view = self._held.pop(folder, None) or self._read(folder, embedding, chunks)
        self._held[folder] = view
        for old in list(self._held)[:-HELD]:
            del self._held[old]
        return view

    def _read(self, folder: Path, embedding: str, chunks: Sequence[Chunk]) -> IndexView:
        try:
            health = inspect_store(folder, embedding) if folder.is_dir() else None
        except (StorageError, StoreDamagedError, DataError) as error:
            return IndexView(embedding, unchecked=f"the store {folder.name}, which cannot be read ({error})")
        if health is None:
            return IndexView(embedding, unchecked=f"the store {folder.name}, which is not there")
        if fault := _stamped_fault(health, embedding):
            return IndexView(embedding, health, fault=fault)
        return self._probe(IndexView(embedding, health), chunks)

    def _probe(self, view: IndexView, chunks: Sequence[Chunk]) -> IndexView:
        """Ask for some chunks by their own texts: whoever embeds questions as documents finds each of them first."""
        assert view.health is not None
        stored = view.health.chunks
        there = [one for one in chunks if one.id in stored.at and one.id not in stored.unsound and one.searched.strip()]
        step = max(1, len(there) // PROBES)
        some = there[::step][:PROBES]
        if self.embed is None or stored.rows is None or len(some) < FEWEST_PROBES:
            return view
        try:
            vectors = self.embed(view.embedding, [one.searched for one in some])
        except EmbeddingError as error:
            unchecked = f"the embedding model, which gives no vectors now ({error.failure.message})"
            return IndexView(view.embedding, view.health, unchecked)
        if vectors is None:
            return view
        lengths = sorted({len(one) for one in vectors})
        if lengths != [stored.length]:
            seen = f"{view.embedding} gives {lengths} numbers a question, the store has {stored.length}."
            return IndexView(view.embedding, view.health, fault=Loss("dimension_differs", seen))
        found = _found_themselves(view.health, some, vectors)
        fault = None
        if found <= FOUND_SHARE * len(some):
            seen = f"Of {len(some)} chunks that were asked for by their own texts, {found} came first."
            fault = Loss("query_model_differs", seen)
        return IndexView(view.embedding, view.health, fault=fault)


def _found_themselves(health: StoreHealth, some: Sequence[Chunk], vectors: Vectors) -> int:
    assert health.chunks.rows is not None
    scores = cosines(Directions.of(settled(vectors)), Directions.of(health.chunks.rows))
    own = [float(scores[at][health.chunks.at[one.id]]) for at, one in enumerate(some)]
    return sum(mine >= float(row.max()) - SAME for mine, row in zip(own, scores, strict=True))


def _stamped_fault(health: StoreHealth, embedding: str) -> Loss | None:
    """What the store's stamps tell."""
    chunks, questions = health.chunks, health.questions
    stamps = {stamp for stamp in (health.embedding, chunks.embedding, questions.embedding) if stamp}
    if others := sorted(stamps - {embedding}):
        seen = f"The store {health.folder.name} is stamped {', '.join(others)}, the questions were put to {embedding}."
        return Loss("model_differs", seen)
    lengths = {"chunks": chunks.length, "questions": questions.length, "complete.json": health.dimension or 0}
    if len({length for length in lengths.values() if length}) > 1:
        seen = ", ".join(f"{name} {length}" for name, length in lengths.items() if length)
        return Loss("dimension_differs", f"Numbers a vector: {seen}.")
    if chunks.metric and chunks.metric != "cosine":
        return Loss("wrong_metric", f"The collection of chunks compares by {chunks.metric}, not by cosine.")
    return None


def free_of_charge(embedders: Callable[[str], Embedder]) -> EmbedQueries:
    """Embeds with the models that ship with the package, and asks no other."""

    def embed(name: str, texts: list[str]) -> Vectors | None:
        if not name.startswith("embedded:"):
            return None
        # Imported by the thread below, half-imported modules would be seen by the clients of servers.
        from ragtester.models.embedded import vectors

        if name == "embedded:wordllama":
            vectors.embed_texts(["a"])
        return in_a_thread(embedders(name), texts)

    return embed


def in_a_thread(embedder: Embedder, texts: list[str]) -> Vectors:
    """Embed questions from code that is no coroutine, whether a loop runs or not. Raises EmbeddingError."""

    async def asked() -> Vectors:
        return await embedder.embed_queries(texts)

    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, asked()).result()
