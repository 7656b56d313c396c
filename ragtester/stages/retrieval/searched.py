"""Items from a search made now: no answers are needed, and no language model answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, field

from ragtester.progress import Progress
from ragtester.records import Chunk
from ragtester.searching.library import Library
from ragtester.searching.search import Search
from ragtester.searching.search import Searched as Found
from ragtester.searching.suite import Suite
from ragtester.settings import Settings
from ragtester.stages.retrieval.items import Item
from ragtester.tasks import Embedder, Models

HELD = 8


@dataclass
class _Cuts:
    """Chunks of any document, cut again where they are asked for; the last few documents stay in memory."""

    library: Library
    _held: dict[str, dict[str, Chunk]] = field(default_factory=dict)

    def look_up(self, chunk_id: str) -> Chunk | None:
        """Any chunk of the corpus; None for an id that no document has."""
        document = self.library.documents.get(chunk_id.rsplit(":", 2)[0])
        if document is None:
            return None
        if document.id not in self._held:
            self._held[document.id] = {one.id: one for one in self.library.cut(document)}
            for old in list(self._held)[:-HELD]:
                del self._held[old]
        return self._held[document.id].get(chunk_id)


@dataclass(frozen=True)
class Searched:
    """Searches a suite as the settings say."""

    suite: Suite
    settings: Settings
    models: Models
    embedders: Callable[[str], Embedder]
    progress: Progress
    places: dict[str, int]

    async def items(self, embeddings: Iterable[str]) -> AsyncIterator[Item]:
        """Every case under every embedding model. Raises UsageError, MissingPackageError and StorageError."""
        deepest = max(self.settings.audit_retrieval.curve)
        search = Search(self.suite, self.settings, self.embedders, self.models, self.progress, deeper=deepest)
        cuts = _Cuts(search.source.library)
        for name in embeddings:
            # The one store of a corpus is open until all is searched, and whoever diagnoses looks into it.
            if self.settings.execute.index.scope == "corpus":
                for found in [one async for one in search.run(name)]:
                    for item in self._items(found, name, cuts):
                        yield item
            else:
                async for found in search.run(name):
                    for item in self._items(found, name, cuts):
                        yield item

    def _items(self, found: Found, name: str, cuts: _Cuts) -> Iterator[Item]:
        for context in found.contexts:
            yield Item(
                at=self.places.get(context.case.id, len(self.places)),
                case=context.case,
                embedding=name,
                trace=context.trace,
                document=found.document,
                chunks=found.chunks,
                look_up=cuts.look_up,
                failure=found.failure or context.failure,
                notes=context.trace.notes,
                ranking=context.ranking,
            )
