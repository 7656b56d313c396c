"""What a run retrieves for its cells: chunks from the stores, or, in the closed-book control, nothing at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ragtester.rag.retrieval import Retriever
from ragtester.rag.similarity import Hit
from ragtester.records import NO_RETRIEVAL, Chunk, Document
from ragtester.settings import ExecuteSettings
from ragtester.stages.execute.cell import Cell
from ragtester.stages.execute.library import Library, Stores


class Retrieval(Protocol):
    """The retrieval side of a run."""

    def check(self, embeddings: Iterable[str]) -> None:
        """Raise UsageError or MissingPackageError for an embedding model that cannot work."""
        ...

    def stands(self, document: Document) -> bool:
        """Whether what is kept of the document beside its answers is on disk."""
        ...

    def whole(self, documents: Iterable[Document], is_open: Callable[[Document], bool]) -> int | None:
        """How many of the documents are retrieved whole for every question; None where that cannot be.

        `is_open` tells the documents that are cut by this start.
        """
        ...

    def load(self) -> None:
        """Import what is needed, before threads start."""
        ...

    async def begin(self, document: Document) -> None:
        """Make what is kept of the document beside its answers."""
        ...

    def retriever(self, document: Document, embedding: str) -> Retriever:
        """What the traces of a cell name."""
        ...

    async def hits(self, cell: Cell) -> list[list[Hit]]:
        """The nearest chunks of each asked case, best first. Raises EmbeddingError."""
        ...

    async def chunks(self, cell: Cell, hits: list[list[Hit]]) -> tuple[Sequence[Chunk], Callable[[str], Chunk]]:
        """The chunks of the cell's document, and a look-up for all hits."""
        ...

    async def settle(self, cell: Cell) -> None:
        """Wait until what the cell used is complete on disk."""
        ...

    async def close(self) -> None:
        """Finish and close what is open."""
        ...


@dataclass(frozen=True)
class FromStores:
    """Chunks from the vector stores of the run."""

    execute: ExecuteSettings
    library: Library
    stores: Stores

    def check(self, embeddings: Iterable[str]) -> None:
        """Raise UsageError or MissingPackageError for an embedding model that cannot work."""
        for name in embeddings:
            self.stores.embedder(name)

    def stands(self, document: Document) -> bool:
        """Whether the document's chunk file is there."""
        return self.library.suite.workspace.chunks_file(self.execute.run, document.id).is_file()

    def whole(self, documents: Iterable[Document], is_open: Callable[[Document], bool]) -> int | None:
        """Documents of at most k chunks. Where all documents share a store there is no such thing."""
        if self.execute.index.scope == "corpus":
            return None
        cut = ((one, is_open(one) or not self.stands(one)) for one in documents)
        return sum(self.library.is_whole(one, cut=anew) for one, anew in cut)

    def load(self) -> None:
        """Import Chroma and the chunker."""
        self.stores.load()

    async def begin(self, document: Document) -> None:
        """Cut the document and write its chunk file."""
        await self.library.chunks(document)

    def retriever(self, document: Document, embedding: str) -> Retriever:
        """The store, the embedding model and k."""
        return Retriever(self.stores.key(document, embedding), embedding, self.execute.k, self.execute.index.scope)

    async def hits(self, cell: Cell) -> list[list[Hit]]:
        """The nearest chunks of each asked case, best first. Raises EmbeddingError."""
        return await self.stores.hits(cell)

    async def chunks(self, cell: Cell, hits: list[list[Hit]]) -> tuple[Sequence[Chunk], Callable[[str], Chunk]]:
        """The chunks of the cell's document, and a look-up for all hits."""
        return await self.library.for_cell(cell, hits)

    async def settle(self, cell: Cell) -> None:
        """Wait until the cell's store is complete on disk."""
        await self.stores.settle(cell)

    async def close(self) -> None:
        """Finish and close the stores."""
        await self.stores.close()


class Nothing:
    """The closed-book control: no store is made, no embedding model is asked, no text is read.

    Traces say so: no index, k = 0, nothing retrieved, and no gold chunks, for there are no chunks.
    """

    def check(self, embeddings: Iterable[str]) -> None:
        """No embedding model is needed."""

    def stands(self, document: Document) -> bool:  # noqa: ARG002 - as the protocol has it
        """There is nothing to keep."""
        return True

    def whole(self, documents: Iterable[Document], is_open: Callable[[Document], bool]) -> int | None:  # noqa: ARG002
        """Nothing is retrieved."""
        return None

    def load(self) -> None:
        """There is nothing to import."""

    async def begin(self, document: Document) -> None:
        """There is nothing to cut."""

    def retriever(self, document: Document, embedding: str) -> Retriever:  # noqa: ARG002 - as the protocol has it
        """No store and no embedding model."""
        return Retriever(index="", embedding=NO_RETRIEVAL, k=0)

    async def hits(self, cell: Cell) -> list[list[Hit]]:
        """No hit for any case."""
        return [[] for _ in cell.asked]

    async def chunks(
        self,
        cell: Cell,  # noqa: ARG002 - as the protocol has it
        hits: list[list[Hit]],  # noqa: ARG002
    ) -> tuple[Sequence[Chunk], Callable[[str], Chunk]]:
        """No chunk; the look-up is never asked."""
        found: dict[str, Chunk] = {}
        return (), found.__getitem__

    async def settle(self, cell: Cell) -> None:
        """There is nothing to wait for."""

    async def close(self) -> None:
        """There is nothing to close."""
