"""Chunks and hits for the cells of a run: texts are cut once, stores are opened, asked and closed."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ragtester.progress import Progress
from ragtester.rag import index
from ragtester.rag.chunking import chunk
from ragtester.rag.similarity import Hit
from ragtester.records import Case, Chunk, Document
from ragtester.settings import Settings
from ragtester.stages.execute.cell import Cell
from ragtester.stages.execute.plan import chunker, embedding_identity
from ragtester.stages.execute.suite import Suite
from ragtester.storage import write_rows
from ragtester.tasks import Embedder
from ragtester.workspace import slug

DOCUMENTS_IN_MEMORY = 16
# Stores that are filled or asked at once. The very first is alone, so that its calls are soon on their way.
STORES_AT_ONCE = 2


@dataclass
class Library:
    """The chunks of the suite's documents. The last few documents stay in memory."""

    suite: Suite
    settings: Settings
    progress: Progress
    _held: OrderedDict[str, asyncio.Task[list[Chunk]]] = field(default_factory=OrderedDict)
    _written: set[str] = field(default_factory=set)

    async def chunks(self, document: Document) -> list[Chunk]:
        """A document's chunks; the first time they are also written to the run's folder."""
        if document.id not in self._held:
            self._held[document.id] = asyncio.create_task(asyncio.to_thread(self.cut, document))
        self._held.move_to_end(document.id)
        while len(self._held) > DOCUMENTS_IN_MEMORY:
            self._held.popitem(last=False)
        return await self._held[document.id]

    def cut(self, document: Document) -> list[Chunk]:
        """Cut one document and keep what was cut beside the answers."""
        chunks = chunk(document, self.suite.text(document), self.settings.execute.index)
        if document.id not in self._written:
            self._written.add(document.id)
            write_rows(self.suite.workspace.chunks_file(self.settings.execute.run, document.id), chunks)
        return chunks

    async def for_cell(self, cell: Cell, hits: list[list[Hit]]) -> tuple[Sequence[Chunk], Callable[[str], Chunk]]:
        """The chunks of the cell's document, and a look-up for all hits, whatever document they are of."""
        own = await self.chunks(cell.document)
        known = {one.id: one for one in own}
        documents = {document.id: document for document in self.suite.documents}
        for name in {name for found in hits for name, _ in found} - known.keys():
            if name not in known:
                known |= {one.id: one for one in await self.chunks(documents[name.rsplit(":", 2)[0]])}
        return own, known.__getitem__


@dataclass(frozen=True)
class _AllChunks:
    """Every chunk of the corpus, cut again on each pass so that memory stays flat."""

    library: Library

    def __iter__(self) -> Iterator[Chunk]:
        for document in self.library.suite.documents:
            yield from self.library.cut(document)


@dataclass
class Stores:
    """Asks the vector stores of a run."""

    library: Library
    embedders: Callable[[str], Embedder]
    cases_of_all: Callable[[str], Iterable[Case]]
    _embedders: dict[str, Embedder] = field(default_factory=dict)
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    _turns: int = 1
    _corpus: dict[str, asyncio.Task[dict[str, list[Hit]]]] = field(default_factory=dict)

    def embedder(self, name: str) -> Embedder:
        """The embedding model `name`. Raises UsageError or MissingPackageError for one that cannot work."""
        if name not in self._embedders:
            self._embedders[name] = self.embedders(name)
        return self._embedders[name]

    def key(self, documents: Iterable[Document], embedding: str) -> str:
        """Key of the store that holds `documents` under an embedding model."""
        settings = self.library.settings
        texts = [f"{document.id} {document.text_sha256}" for document in documents]
        return index.store_key(texts, chunker(settings), embedding_identity(settings, embedding))

    async def hits(self, cell: Cell) -> list[list[Hit]]:
        """The nearest chunks of each asked case, best first. Raises EmbeddingError."""
        if self.library.settings.execute.index.scope == "corpus":
            found = await self._of_corpus(cell.retriever.embedding)
            return [found[case.id] for case in cell.asked]
        chunks = await self.library.chunks(cell.document)
        return await self._search(cell.document.id, cell.retriever.embedding, cell.retriever.index, chunks, cell.asked)

    async def _of_corpus(self, embedding: str) -> dict[str, list[Hit]]:
        """Hits of all cases of the run, found in one pass over the one store; shared by all cells of the embedding."""
        if embedding not in self._corpus:
            self._corpus.clear()
            self._corpus[embedding] = asyncio.create_task(self._ask_corpus(embedding))
        return await self._corpus[embedding]

    async def _ask_corpus(self, embedding: str) -> dict[str, list[Hit]]:
        cases = list(self.cases_of_all(embedding))
        key = self.key(self.library.suite.documents, embedding)
        hits = await self._search("corpus", embedding, key, _AllChunks(self.library), cases)
        return {case.id: found for case, found in zip(cases, hits, strict=True)}

    async def _search(
        self, name: str, embedding: str, key: str, chunks: Iterable[Chunk], cases: Sequence[Case]
    ) -> list[list[Hit]]:
        settings, progress = self.library.settings, self.library.progress
        embedder = self.embedder(embedding)
        # The key is part of the folder's name: other chunk sizes or another text do not throw paid vectors away.
        folder = self.library.suite.workspace.stores / f"{slug(name)}__{slug(embedding)}__{key}"
        size = settings.model(embedding).batch_size

        async def open_it() -> index.Store:
            return await index.open_store(folder, key, chunks, embedder, progress, batch_size=size)

        async with self._turn:
            hits = await index.search(open_it, [case.question for case in cases], settings.execute.k, progress)
        if self._turns < STORES_AT_ONCE:
            self._turns += 1
            self._turn.release()
        return hits
