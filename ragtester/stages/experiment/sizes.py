"""What the index of a point holds, and how long it took to make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

from ragtester.provenance import row_key
from ragtester.rag import chunking
from ragtester.rag.sparse import Sparse
from ragtester.rag.store import MARKER, Complete
from ragtester.records import Chunk, Document, IndexSize
from ragtester.searching.corpus import CORPUS
from ragtester.searching.identity import chunker, store_key
from ragtester.searching.suite import Suite
from ragtester.stages.experiment.points import Point
from ragtester.storage import read_json

BYTES_A_NUMBER = 4
"""Vectors are kept in single precision."""


@dataclass(frozen=True)
class Cut:
    """The chunks of all documents under one chunker: how many, their bytes, and the seconds of cutting."""

    chunks: int
    texts: int
    seconds: float


@dataclass(frozen=True)
class Words:
    """The BM25 indexes over them: bytes, and the seconds of making them."""

    size: int
    seconds: float


@dataclass
class Scales:
    """Weighs the indexes of points; what several points share is made once."""

    suite: Suite
    with_cases: frozenset[str]
    """Documents that have cases: no other has a store of its own."""
    _cuts: dict[str, Cut] = field(default_factory=dict)
    _words: dict[str, Words] = field(default_factory=dict)

    def weigh(self, point: Point) -> tuple[IndexSize | None, float | None]:
        """Size of a point's index, None where a store of it is not complete; and the seconds of making it.

        The seconds are None where a store was not made in one go, or before times were kept.
        """
        cut, words = self._cut(point), self._sparse(point)
        count, dimension, filled = self._stores(point) if point.embedding else (cut.chunks, 0, 0.0)
        if count is None:
            return None, None
        vectors = count * dimension * BYTES_A_NUMBER
        size = IndexSize(chunks=cut.chunks, dimension=dimension, vectors=vectors, sparse=words.size, texts=cut.texts)
        return size, None if filled is None else round(cut.seconds + words.seconds + filled, 6)

    def stores_stand(self, point: Point) -> bool:
        """Whether every store that a point asks is complete."""
        return self._stores(point)[0] is not None

    def _cut(self, point: Point) -> Cut:
        name = row_key(chunker=chunker(point.settings), scope=point.settings.execute.index.scope)
        if name not in self._cuts:
            chunks = texts = 0
            seconds = 0.0
            for document in self._documents(point):
                text = self.suite.text(document)
                began = perf_counter()
                own = chunking.chunk(document, text, point.settings.execute.index)
                seconds += perf_counter() - began
                chunks, texts = chunks + len(own), texts + sum(map(_bytes, own))
            self._cuts[name] = Cut(chunks, texts, seconds)
        return self._cuts[name]

    def _sparse(self, point: Point) -> Words:
        """One BM25 index a document, or one for the corpus; nothing without that arm."""
        execute = point.settings.execute
        if all(arm.kind != "bm25" for arm in execute.retrieval.arms):
            return Words(0, 0.0)
        name = row_key(chunker=chunker(point.settings), scope=execute.index.scope)
        if name not in self._words:
            languages = {one.id: one.language for one in self.suite.documents}
            size, seconds = 0, 0.0
            for chunks in self._collections(point):
                began = perf_counter()
                size += Sparse(chunks, languages).size
                seconds += perf_counter() - began
            self._words[name] = Words(size, seconds)
        return self._words[name]

    def _documents(self, point: Point) -> list[Document]:
        """The documents that are in an index."""
        if point.settings.execute.index.scope == "corpus":
            return self.suite.documents
        return [one for one in self.suite.documents if one.id in self.with_cases]

    def _collections(self, point: Point) -> list[list[Chunk]]:
        """The chunks of each index."""
        settings = point.settings.execute.index
        cut = [chunking.chunk(one, self.suite.text(one), settings) for one in self._documents(point)]
        return cut if settings.scope == "document" else [[chunk for chunks in cut for chunk in chunks]]

    def _stores(self, point: Point) -> tuple[int | None, int, float | None]:
        """Vectors, numbers a vector and seconds of all stores of a point, as their marks say."""
        documents = self._documents(point)
        if point.settings.execute.index.scope == "corpus":
            found = [self._mark(point, CORPUS, documents)]
        else:
            found = [self._mark(point, one.id, [one]) for one in documents]
        marks = [mark for mark in found if mark is not None]
        if len(marks) < len(found):
            return None, 0, None
        seconds = [mark.seconds for mark in marks]
        known = [one for one in seconds if one is not None]
        filled = sum(known) if len(known) == len(seconds) else None
        return sum(mark.count for mark in marks), max((mark.dimension for mark in marks), default=0), filled

    def _mark(self, point: Point, name: str, documents: Sequence[Document]) -> Complete | None:
        key = store_key(documents, point.settings, point.embedding)
        return read_json(self.suite.workspace.store(name, point.embedding, key) / MARKER, Complete)


def _bytes(chunk: Chunk) -> int:
    return len(chunk.text.encode("utf-8")) + len(chunk.embedded.encode("utf-8"))
