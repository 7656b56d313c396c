"""Hits for the cells of a run: indexes are made, asked and closed."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from time import perf_counter

from ragtester.access import passes
from ragtester.rag import chroma, chunking, index, packing
from ragtester.rag.contexts import Found, Query
from ragtester.rag.similarity import Hit
from ragtester.rag.sparse import Sparse
from ragtester.rag.store import Store
from ragtester.records import Case, Chunk, Document
from ragtester.searching.corpus import CORPUS, Corpus
from ragtester.searching.identity import store_key
from ragtester.searching.library import AllChunks, Library
from ragtester.searching.times import Times
from ragtester.tasks import Embedder

Opening = Callable[[], Awaitable[Store]]
# Stores that are filled or asked at once. The very first is alone, so that its calls are soon on their way.
STORES_AT_ONCE = 2
# Documents that filters shut out and a note names.
SHUT_NAMED = 2
# BM25 indexes that stay in memory: one a document whose cells may be open at the same time.
SPARSE_AT_ONCE = 4


@dataclass(frozen=True)
class Asking:
    """Cases of one document that are to be searched under an embedding model."""

    document: Document
    embedding: str
    cases: tuple[Case, ...]


@dataclass
class Stores:
    """Asks the stores of a run. What is still being written is finished behind the calls: see `settle`.

    `cases_of` gives the cases of a document whose answers are still to be made under an embedding model; `prepare`
    turns cases into queries for an embedding model. `deeper` hits are looked for beside those of the settings, where a
    deeper search gives the same list and more: see `Found.deeper`.
    """

    library: Library
    embedders: Callable[[str], Embedder]
    cases_of: Callable[[Document, str], Sequence[Case]]
    prepare: Callable[[Sequence[Case], str], Awaitable[list[Query]]]
    deeper: int = 0
    times: Times = field(default_factory=Times)
    _embedders: dict[str, Embedder] = field(default_factory=dict)
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    _turns: int = 1
    _behind: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _corpora: dict[str, Corpus] = field(default_factory=dict)
    _keys: dict[str, str] = field(default_factory=dict)
    _sparse: OrderedDict[str, asyncio.Task[Sparse]] = field(default_factory=OrderedDict)
    _told: bool = False

    def load(self) -> None:
        """Import what the stores need. Threads may not: see `ragtester.rag.chroma.load`."""
        if self.library.settings.execute.retrieval.dense:
            chroma.load()
        chunking.load(self.library.settings.execute.index)
        packing.load(self.library.settings.execute.retrieval)

    def embedder(self, name: str) -> Embedder:
        """The embedding model `name`. Raises UsageError or MissingPackageError for one that cannot work."""
        if name not in self._embedders:
            self._embedders[name] = self.embedders(name)
        return self._embedders[name]

    def key(self, document: Document, embedding: str) -> str:
        """Key of the store that is asked for a document under an embedding model."""
        settings, all_documents = self.library.settings, self.library.suite.documents
        if settings.execute.index.scope == "document":
            return store_key([document], settings, embedding)
        if embedding not in self._keys:
            self._keys[embedding] = store_key(all_documents, settings, embedding)
        return self._keys[embedding]

    async def find(self, asking: Asking) -> list[Found]:
        """Every arm's hits for each case. Raises EmbeddingError."""
        embedding, document = asking.embedding, asking.document
        key = self.key(document, embedding)
        if self.library.settings.execute.index.scope == "corpus":
            if embedding not in self._corpora:
                chunks = AllChunks(self.library)
                self._corpora[embedding] = Corpus(self, embedding, self.opening(CORPUS, embedding, key, chunks), chunks)
            # The cells of two embedding models overlap: those of the first may still have to ask.
            for name, other in list(self._corpora.items()):
                if name != embedding and not other.busy:
                    await other.leave()
            return await self._corpora[embedding].find(asking)
        own = await self.library.chunks(document)
        opening = self.opening(document.id, embedding, key, own)
        queries = await self.prepare(asking.cases, embedding)
        await self._turn.acquire()
        try:
            found, store = await self.search(opening, document.id, own, queries)
        except BaseException:
            self._turn.release()
            raise
        if store is None:
            self._turn.release()
            return found
        self._behind[f"{embedding} {document.id}"] = asyncio.create_task(self._finish(store))
        if self._turns < STORES_AT_ONCE:
            self._turns += 1
            self._turn.release()
        return found

    async def search(
        self, opening: Opening, name: str, chunks: Iterable[Chunk], queries: Sequence[Query]
    ) -> tuple[list[Found], Store | None]:
        """Every arm's hits for each query, and the open store; none where no dense arm is asked.

        `name` stands for the set of chunks, whatever embedding model they are searched with.
        """
        execute = self.library.settings.execute
        live = [query for query in queries if query.failure is None]
        self._tell_barred(live)
        pre = execute.retrieval.filter_mode == "pre"
        eligible = [query.eligible if pre else None for query in live]
        arms: dict[str, list[list[Hit]]] = {arm.kind: [] for arm in execute.retrieval.arms}
        store, seconds = None, 0.0
        # The dense arm comes last: it leaves a store open.
        for arm in sorted(execute.retrieval.arms, key=lambda arm: arm.kind == "dense"):
            depth = execute.retrieval.depth(arm, execute.k)
            if execute.retrieval.goes_on:
                depth = max(depth, self.deeper)
            if arm.kind == "dense":
                texts = [query.text for query in live]
                arms[arm.kind], store = await index.ask(opening, texts, depth, self.library.progress, eligible)
                seconds, store.compared = seconds + store.compared, 0.0
            else:
                sparse = await self._bm25(name, chunks)
                questions = [(query.text, query.case.language) for query in live]
                began = perf_counter()
                arms[arm.kind] = await asyncio.to_thread(sparse.nearest, questions, depth, eligible)
                seconds += perf_counter() - began
        self.times.searched.append((len(live), seconds))
        hits = iter([{kind: found[at] for kind, found in arms.items()} for at in range(len(live))])
        return [Found(query) if query.failure else self._found(query, next(hits)) for query in queries], store

    def _found(self, query: Query, hits: dict[str, list[Hit]]) -> Found:
        """As many hits of each arm as the settings ask for, and all that was looked for besides."""
        path, k = self.library.settings.execute.retrieval, self.library.settings.execute.k
        asked: dict[str, list[Hit]] = {arm.kind: hits[arm.kind][: path.depth(arm, k)] for arm in path.arms}
        return Found(query, asked, next(iter(hits.values())) if self.deeper and path.goes_on else None)

    def _tell_barred(self, queries: Sequence[Query]) -> None:
        """One note a run where filters and tags leave a user nothing to find; each trace says so itself."""
        barred = next((query for query in queries if query.eligible is not None and not query.eligible), None)
        if barred is None or self._told:
            return
        self._told = True
        execute, case = self.library.settings.execute, barred.case
        which = "no document passes" if execute.index.scope == "corpus" else f"{case.document_id} does not pass"
        filters = json.dumps(execute.retrieval.filters, ensure_ascii=False)
        documents = self.library.suite.documents
        shut = [one.id for one in documents if not passes(one, execute.retrieval.filters)]
        if execute.index.scope == "document" and case.document_id in shut:
            named = ", ".join(shut[:SHUT_NAMED]) + (", …" if len(shut) > SHUT_NAMED else "")
            self.library.progress.note(
                f"{len(shut)} of {len(documents)} documents {'does' if len(shut) == 1 else 'do'} not pass filters "
                f"{filters} ({named}): their questions find nothing; see execute.retrieval.filters"
            )
            return
        tags = json.dumps(case.user_tags, ensure_ascii=False)
        self.library.progress.note(
            f"{which} filters {filters} for users with tags {tags}: their questions find nothing (first: {case.id}); "
            "see execute.retrieval.filters, the documents' tags and the cases' user_tags"
        )

    async def _bm25(self, name: str, chunks: Iterable[Chunk]) -> Sparse:
        """The BM25 index of a set of chunks, made once for all embedding models."""
        if name not in self._sparse:
            languages = {one.id: one.language for one in self.library.suite.documents}
            self._sparse[name] = asyncio.create_task(asyncio.to_thread(Sparse, chunks, languages))
        self._sparse.move_to_end(name)
        made = self._sparse[name]
        while len(self._sparse) > SPARSE_AT_ONCE:
            self._sparse.popitem(last=False)
        return await made

    async def settle(self, asking: Asking) -> None:
        """Wait until the store that was asked is complete on disk. Raises StorageError."""
        behind = self._behind.pop(f"{asking.embedding} {asking.document.id}", None)
        if behind is not None:
            await behind

    async def close(self) -> None:
        """Finish and close what is open; what is left here belongs to cells that failed with an error of their own."""
        corpora, self._corpora = self._corpora, {}
        try:
            async with AsyncExitStack() as stack:
                for corpus in corpora.values():
                    stack.push_async_callback(corpus.leave)
        finally:
            await asyncio.gather(*self._behind.values(), return_exceptions=True)

    def opening(self, name: str, embedding: str, key: str, chunks: Iterable[Chunk]) -> Opening:
        """How to open the store of a document (or of the corpus) under an embedding model."""
        settings, progress = self.library.settings, self.library.progress
        folder = self.library.suite.workspace.store(name, embedding, key)
        size = settings.model(embedding).batch_size

        async def open_it() -> Store:
            embedder = self.embedder(embedding)
            return await index.open_store(folder, key, chunks, embedder, progress, batch_size=size)

        return open_it

    async def _finish(self, store: Store) -> None:
        try:
            await index.finish(store, self.library.progress)
        finally:
            self._turn.release()
