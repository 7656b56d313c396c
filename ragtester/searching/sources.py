"""What a run retrieves for its cells: chunks from the stores, or, in the closed-book control, nothing at all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

from ragtester.rag.collection import batches
from ragtester.rag.contexts import Context
from ragtester.rag.reranking import Reranker
from ragtester.rag.route import Route
from ragtester.records import NO_RETRIEVAL, Document, Trace
from ragtester.searching.library import Library
from ragtester.searching.stores import Asking, Stores
from ragtester.settings import ExecuteSettings
from ragtester.tasks import Asked, QuestionAnswered

CONTEXTS_AT_ONCE = 200


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

    def stand(self, trace: Trace) -> None:
        """Take up the trace of a row that is on disk."""
        ...

    def surveyed(self, *, asks: bool) -> None:
        """All rows that were there are taken up; `asks` says whether there is anything left to ask.

        Raises DataError where what is kept beside them is lost for good, UsageError where nobody is there to be asked.
        """
        ...

    def load(self) -> None:
        """Import what is needed, before threads start."""
        ...

    async def begin(self, document: Document) -> None:
        """Make what is kept of the document beside its answers."""
        ...

    async def contexts(self, asking: Asking) -> list[Context]:
        """What each case's question retrieves. Raises EmbeddingError."""
        ...

    async def nothing(self, asking: Asking) -> list[Context]:
        """The contexts of the cases where nothing could be retrieved."""
        ...

    async def reveal(self, context: Context, asked: Asked[Any]) -> tuple[Context, Asked[QuestionAnswered]]:
        """A context and a reply, with what the reply itself tells of the search."""
        ...

    async def settle(self, asking: Asking) -> None:
        """Wait until what was asked is complete on disk."""
        ...

    async def close(self) -> None:
        """Finish and close what is open."""
        ...


class Ours:
    """A search that is ours: replies tell nothing new of it."""

    def stand(self, trace: Trace) -> None:
        """Nothing depends on it."""

    def surveyed(self, *, asks: bool) -> None:
        """What is kept can be made again."""

    async def reveal(self, context: Context, asked: Asked[Any]) -> tuple[Context, Asked[QuestionAnswered]]:
        """As they are."""
        return context, asked


@dataclass(frozen=True)
class FromStores(Ours):
    """Chunks from the vector stores of the run."""

    execute: ExecuteSettings
    library: Library
    stores: Stores
    reranker: Reranker | None = None

    def check(self, embeddings: Iterable[str]) -> None:
        """Raise UsageError or MissingPackageError for an embedding model that cannot work; none is needed for BM25."""
        if not self.execute.retrieval.dense:
            self.library.progress.note(
                "execute.retrieval.arms has no dense arm: no embedding model is asked, and systems that differ in it "
                "alone retrieve the same"
            )
            return
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

    def route(self, asking: Asking) -> Route:
        """The query path after the search."""
        execute = self.execute
        key = self.stores.key(asking.document, asking.embedding)
        draw = f"{self.library.settings.workspace.seed}\n{execute.run}"
        return Route(key, asking.embedding, execute.k, execute.index.scope, execute.retrieval, self.reranker, draw)

    async def contexts(self, asking: Asking) -> list[Context]:
        """Search, and what becomes of the hits. Raises EmbeddingError."""
        return [context async for block in self.blocks(asking) for context in block]

    async def blocks(self, asking: Asking) -> AsyncIterator[list[Context]]:
        """The same, some at a time: a trace takes up far more memory than the hits that it is made from."""
        found, chunks = await self.stores.find(asking), await self.library.chunks(asking.document)
        route = self.route(asking)
        for block in batches(found, CONTEXTS_AT_ONCE):
            began = perf_counter()
            merged = [route.merge(one) for one in block]
            seconds = perf_counter() - began
            look_up = await self.library.look_up(chunks, route.wanted(merged))
            began = perf_counter()
            made = await route.contexts(merged, chunks, look_up)
            self.stores.times.routed.append((len(made), seconds + perf_counter() - began))
            yield made

    async def nothing(self, asking: Asking) -> list[Context]:
        """Gold chunks, and nothing retrieved."""
        return self.route(asking).nothing(asking.cases, await self.library.chunks(asking.document))

    async def settle(self, asking: Asking) -> None:
        """Wait until the store that was asked is complete on disk."""
        await self.stores.settle(asking)

    async def close(self) -> None:
        """Finish and close the stores."""
        await self.stores.close()


class Nothing(Ours):
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

    async def contexts(self, asking: Asking) -> list[Context]:
        """No hit for any case."""
        return await self.nothing(asking)

    async def nothing(self, asking: Asking) -> list[Context]:
        """No store, no embedding model, no chunk."""
        route = Route(index="", embedding=NO_RETRIEVAL, k=0)
        return route.nothing(asking.cases, ())

    async def settle(self, asking: Asking) -> None:
        """There is nothing to wait for."""

    async def close(self) -> None:
        """There is nothing to close."""
