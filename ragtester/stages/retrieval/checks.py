"""Whether suite, index and traces speak of the same texts, and what a reader must know of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ragtester.access import passes
from ragtester.errors import DataError
from ragtester.rag.store import MARKER, Complete
from ragtester.records import Chunk, Document, Manifest
from ragtester.settings import Settings
from ragtester.stages.retrieval.enough import Enough
from ragtester.stages.retrieval.items import Item
from ragtester.stages.retrieval.naming import named
from ragtester.storage import MAX_FAULTS, read_json
from ragtester.tables.cells import counted
from ragtester.workspace import Workspace


def same_texts(run: str, executed: Manifest | None, documents: Mapping[str, Document]) -> None:
    """Raise DataError where the run was executed over other texts than the suite holds now."""
    inputs = executed.inputs if executed else {}
    told = {name.removeprefix("text "): digest for name, digest in inputs.items() if name.startswith("text ")}
    changed = [
        name
        for name, digest in sorted(told.items())
        if digest and name in documents and documents[name].text_sha256 != digest
    ]
    if changed:
        raise DataError(
            f"run {run} and its suite are of different texts: {named(changed)} changed since; execute the run again, "
            "or audit the suite as it is with --search"
        )


def sound_chunks(run: str, document: Document, text: str, chunks: Iterable[Chunk]) -> None:
    """Raise DataError for chunks that are not pieces of the document's text."""
    faults = [
        f"{chunk.id}: {chunk.start}-{chunk.end} of {document.id} reads otherwise"
        for chunk in chunks
        if chunk.end > chunk.start and text[chunk.start : chunk.end] != chunk.text
    ]
    if faults:
        raise DataError(
            f"the index of run {run} was cut from another text of {document.id} ({counted(len(faults), 'chunk')}); "
            "execute the run again, or audit the suite as it is with --search",
            faults[:MAX_FAULTS],
        )


@dataclass
class Watch:
    """Looks at every item on its way, and tells at the end what was odd."""

    workspace: Workspace
    settings: Settings
    documents: Mapping[str, Document]
    tags: Counter[str] = field(default_factory=Counter)
    indexes: dict[tuple[str, str], int] = field(default_factory=dict)
    ks: set[int] = field(default_factory=set)
    _enough: Enough = field(init=False)

    def __post_init__(self) -> None:
        self._enough = Enough(self.settings.execute, self.documents.keys())

    def see(self, item: Item) -> None:
        """Note an item."""
        self.tags.update(item.trace.user_tags)
        if item.trace.k:
            self.ks.add(item.trace.k)
        if item.trace.index:
            place = item.trace.index, item.trace.embedding
            self.indexes[place] = self.indexes.get(place, 0) + 1
        self._enough.see(item)

    def notes(self) -> Iterator[str]:
        """One line for each thing that a reader must know."""
        yield from self._enough.notes()
        if len(self.ks) > 1:
            told = ", ".join(map(str, sorted(self.ks)))
            yield f"K differs from query to query ({told}); each is measured at its own."
        yield from self._tags()
        yield from self._filters()
        yield from self._models()

    def _tags(self) -> Iterator[str]:
        known = {tag for document in self.documents.values() for tag in document.tags}
        idle = sorted(tag for tag in self.tags if tag not in known) if self.documents else []
        if idle:
            yield f"On no document, and so opening nothing: {counted(len(idle), 'tag')} of users ({named(idle)})."

    def _filters(self) -> Iterator[str]:
        filters = self.settings.execute.retrieval.filters
        if filters and self.documents and not any(passes(one, filters) for one in self.documents.values()):
            told = ", ".join(f"{name} = {value}" for name, value in filters.items())
            yield f"The filters match no document ({told}): nothing can be retrieved."

    def _models(self) -> Iterator[str]:
        """Indexes that were filled or searched by another embedding model than a trace names."""
        for index in sorted({index for index, _ in self.indexes}):
            names = sorted(name for known, name in self.indexes if known == index)
            if len(names) > 1:
                yield f"Index {index} was searched with {', '.join(names)}: at most one of these models built it."
        for (index, embedding), count in sorted(self.indexes.items()):
            for made in self._stores(index):
                if made.embedding != embedding:
                    yield (
                        f"Index {index} was built with {made.embedding}, and {counted(count, 'trace')} searched it "
                        f"with {embedding}: their scores mean nothing. Build the index with the model of the queries."
                    )

    def _stores(self, index: str) -> Sequence[Complete]:
        if not index.isalnum():  # a key of ours; anything else is no name of a folder here
            return []
        found = (read_json(folder / MARKER, Complete) for folder in self.workspace.stores.glob(f"*__{index}"))
        return [made for made in found if made is not None]
