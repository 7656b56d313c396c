"""The one index of a whole corpus, asked for several documents at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragtester.rag import index
from ragtester.rag.contexts import Found
from ragtester.rag.store import Store
from ragtester.records import Case, Chunk
from ragtester.tasks import EmbeddingError

if TYPE_CHECKING:
    from ragtester.searching.stores import Asking, Opening, Stores

# One pass over the store of a whole corpus serves the questions of several documents.
QUESTIONS_A_PASS = 2000
# Stands for the chunks of all documents.
CORPUS = "corpus"


@dataclass
class Corpus:
    """The one store of a whole corpus under one embedding model, asked for several documents at a time.

    Hits are forgotten once their document has taken them, so that memory does not grow with the suite.
    """

    stores: Stores
    embedding: str
    opening: Opening
    chunks: Iterable[Chunk]
    store: Store | None = None
    failure: EmbeddingError | None = None
    _ready: dict[str, dict[str, Found]] = field(default_factory=dict)
    _pass: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self._waiting = iter(self.stores.library.suite.documents)

    async def find(self, asking: Asking) -> list[Found]:
        """Every arm's hits for each case. Raises EmbeddingError."""
        async with self._pass:
            while asking.document.id not in self._ready:
                if self.failure is not None:
                    raise self.failure
                await self._ask_more()
        found = self._ready.pop(asking.document.id)
        return [found[case.id] for case in asking.cases]

    @property
    def busy(self) -> bool:
        """Whether the store is being asked."""
        return self._pass.locked()

    async def leave(self) -> None:
        """Finish and close the store; it is opened anew for whoever still asks."""
        async with self._pass:
            store, self.store = self.store, None
            if store is not None and not store.closed:
                await index.finish(store, self.stores.library.progress)

    async def _ask_more(self) -> None:
        """Ask for the next documents, up to a number of questions."""
        block: dict[str, Sequence[Case]] = {}
        cases: list[Case] = []
        for document in self._waiting:
            block[document.id] = self.stores.cases_of(document, self.embedding)
            cases += block[document.id]
            if len(cases) >= QUESTIONS_A_PASS:
                break
        assert block, f"no document is left to ask {self.embedding} for"
        try:
            queries = await self.stores.prepare(cases, self.embedding)
            found, self.store = await self.stores.search(self._opened, CORPUS, self.chunks, queries)
        except EmbeddingError as error:
            # One failure tells for all documents; their rows are made again by the next start.
            self.failure = error
            raise
        if self.store is not None:
            await self.store.settle()
        by_case = {case.id: one for case, one in zip(cases, found, strict=True)}
        self._ready |= {name: {case.id: by_case[case.id] for case in some} for name, some in block.items() if some}

    async def _opened(self) -> Store:
        """The store, opened once; opened anew where it had to be closed."""
        if self.store is None or self.store.closed:
            self.store = await self.opening()
        return self.store
