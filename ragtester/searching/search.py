"""The query path alone: every case of a suite retrieved under one embedding model, with no language model answering."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ragtester.progress import Progress
from ragtester.rag.collection import batches
from ragtester.rag.contexts import Context
from ragtester.rag.rerankers import make_reranker
from ragtester.records import Case, Chunk, Document, Failure
from ragtester.searching.library import Library
from ragtester.searching.queries import Preparation
from ragtester.searching.sources import FromStores
from ragtester.searching.stores import Asking, Stores
from ragtester.searching.suite import Suite
from ragtester.settings import Settings
from ragtester.tasks import Embedder, EmbeddingError, Models

# The hits of so many questions are in memory at a time, whatever the number of a document's cases.
QUESTIONS_AT_ONCE = 2000


@dataclass(frozen=True)
class Searched:
    """Contexts of one document's cases, in order, and the document's chunks. `failure`: nothing was retrieved.

    A document with many cases comes in several parts.
    """

    document: Document
    contexts: list[Context]
    chunks: Sequence[Chunk]
    failure: Failure | None = None


@dataclass
class Search:
    """Searches a suite as the settings say; `models` serve the rewrite and the rerank, where there are any.

    `deeper` is the depth of `Context.ranking`.
    """

    suite: Suite
    settings: Settings
    embedders: Callable[[str], Embedder]
    models: Models
    progress: Progress
    wanted: Callable[[Case], bool] = field(default=lambda _: True)
    deeper: int = 0

    def __post_init__(self) -> None:
        library = Library(self.suite, self.settings, self.progress, keep=False)
        prepare = Preparation(self.settings, self.suite.documents, self.models)
        self.stores = Stores(library, self.embedders, lambda document, _: self._cases(document), prepare, self.deeper)
        reranker = make_reranker(self.settings, self.models, self.suite.workspace.root)
        self.source = FromStores(self.settings.execute, library, self.stores, reranker)

    async def run(self, embedding: str) -> AsyncIterator[Searched]:
        """Document by document, in the suite's order; stores are kept for the next run.

        An embedding model that gives no vectors becomes the failure of a document. Raises UsageError,
        MissingPackageError and StorageError.
        """
        self.source.check([embedding])
        self.source.load()
        try:
            for document in self.suite.documents:
                for cases in self._parts(document):
                    async for one in self._of(Asking(document, embedding, tuple(cases))):
                        yield one
        finally:
            await self.source.close()

    async def _of(self, asking: Asking) -> AsyncIterator[Searched]:
        done = 0
        try:
            async for contexts in self.source.blocks(asking):
                await self.source.settle(asking)
                chunks = await self.source.library.chunks(asking.document)
                done += len(contexts)
                yield Searched(asking.document, contexts, chunks)
        except EmbeddingError as error:
            # What came before the failure is out already.
            contexts = await self.source.nothing(replace(asking, cases=asking.cases[done:]))
            chunks = await self.source.library.chunks(asking.document)
            yield Searched(asking.document, contexts, chunks, error.failure)

    def _parts(self, document: Document) -> Iterator[list[Case]]:
        """A document's cases, some at a time; the one store of a corpus is asked for whole documents."""
        if self.settings.execute.index.scope == "corpus":
            return filter(None, iter([self._cases(document)]))
        return batches(filter(self.wanted, self.suite.iter_cases(document)), QUESTIONS_AT_ONCE)

    def _cases(self, document: Document) -> list[Case]:
        return [case for case in self.suite.cases(document) if self.wanted(case)]
