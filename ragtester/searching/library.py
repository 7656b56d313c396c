"""The chunks of a suite's documents: texts are cut once, and looked up by the ids of hits."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field

from ragtester.progress import Progress
from ragtester.rag import chunking
from ragtester.rag.similarity import document_of
from ragtester.records import Chunk, Document
from ragtester.searching.suite import Suite
from ragtester.settings import Settings
from ragtester.storage import write_rows

# In characters of their texts: some 50 MB.
CHUNKS_IN_MEMORY = 10_000_000


@dataclass
class Library:
    """The chunks of the suite's documents. The last few documents stay in memory.

    With `keep` they are also written to the run's folder, beside the answers that name them.
    """

    suite: Suite
    settings: Settings
    progress: Progress
    keep: bool = True
    _held: OrderedDict[str, asyncio.Task[list[Chunk]]] = field(default_factory=OrderedDict)
    _size: int = 0
    _written: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.documents = {document.id: document for document in self.suite.documents}

    async def chunks(self, document: Document) -> list[Chunk]:
        """A document's chunks; the first time they are also kept."""
        if document.id not in self._held:
            self._held[document.id] = asyncio.create_task(asyncio.to_thread(self.cut, document))
            self._size += document.characters
        self._held.move_to_end(document.id)
        task = self._held[document.id]
        while self._size > CHUNKS_IN_MEMORY and len(self._held) > 1:
            name, _ = self._held.popitem(last=False)
            self._size -= self.documents[name].characters
        return await task

    def cut(self, document: Document) -> list[Chunk]:
        """Cut one document, and keep what was cut where that is asked for."""
        chunks = chunking.chunk(document, self.suite.text(document), self.settings.execute.index)
        if self.keep and document.id not in self._written:
            self._written.add(document.id)
            write_rows(self.suite.workspace.chunks_file(self.settings.execute.run, document.id), chunks)
        return chunks

    def is_whole(self, document: Document, *, cut: bool) -> bool:
        """Whether k chunks are the whole document: counted in its chunk file, or with `cut` by cutting it.

        A text that is too long for that is neither cut nor counted, where a chunk holds no more than its size.
        """
        execute = self.settings.execute
        text = self.suite.text(document)
        most = chunking.most_characters(execute.index)
        if most is not None and sum(map(len, text.split())) > execute.k * most:
            return False
        if cut:
            return len(chunking.chunk(document, text, execute.index)) <= execute.k
        path = self.suite.workspace.chunks_file(execute.run, document.id)
        return path.read_bytes().count(b"\n") <= execute.k

    async def look_up(self, own: Iterable[Chunk], wanted: Collection[str]) -> Callable[[str], Chunk]:
        """A look-up for these ids, whatever document they are of; `own` are the chunks that are at hand."""
        known = {one.id: one for one in own}
        missing = set(wanted) - known.keys()
        for name in dict.fromkeys(map(document_of, sorted(missing))):
            known |= {one.id: one for one in await self.chunks(self.documents[name]) if one.id in missing}
        return known.__getitem__


@dataclass(frozen=True)
class AllChunks:
    """Every chunk of the corpus, cut again on each pass so that memory stays flat."""

    library: Library

    def __iter__(self) -> Iterator[Chunk]:
        for document in self.library.suite.documents:
            yield from self.library.cut(document)
