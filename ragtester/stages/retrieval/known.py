"""What the diagnosis of a run's queries shares: documents and their texts, chunks, stores, sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ragtester.access import eligible
from ragtester.records import Chunk, Document, Trace
from ragtester.searching.coverage import Coverage
from ragtester.searching.suite import Suite
from ragtester.settings import Settings
from ragtester.stages.retrieval.index_view import IndexView, IndexViews
from ragtester.stages.retrieval.sources_check import SourcesCheck
from ragtester.workspace import Workspace


@dataclass
class Known:
    """What was read is kept for the next query: the last document's text and chunks, the last few stores.

    `sources` is None where evidence is not held against its source.
    """

    workspace: Workspace
    settings: Settings
    suite: Suite
    views: IndexViews
    sources: SourcesCheck | None
    near_duplicate: float
    _eligible: dict[tuple[object, ...], frozenset[str] | None] = field(default_factory=dict)
    _read: tuple[str, str] | None = None
    _held: tuple[Sequence[Chunk], str, Coverage] | None = None

    @cached_property
    def documents(self) -> dict[str, Document]:
        """The suite's documents by id."""
        return {document.id: document for document in self.suite.documents}

    def text(self, document: Document) -> str:
        """The text that a document's offsets refer to; that of the last document stays in memory."""
        if self._read is None or self._read[0] != document.id:
            self._read = (document.id, self.suite.text(document))
        return self._read[1]

    def coverage(self, chunks: Sequence[Chunk], text: str) -> Coverage:
        """The chunks of a document, sorted once for all its cases."""
        if self._held is None or self._held[0] is not chunks or self._held[1] is not text:
            self._held = (chunks, text, Coverage(chunks, text))
        return self._held[2]

    def view(self, trace: Trace, document_id: str, chunks: Sequence[Chunk]) -> IndexView:
        """What is known of the store that a query was put to."""
        dense = self.settings.execute.retrieval.dense or any(one.arm == "dense" for one in trace.retrieved)
        if not dense or not trace.index:
            return IndexView(trace.embedding)
        name = "corpus" if self.settings.execute.index.scope == "corpus" else document_id
        return self.views.of(self.workspace.store(name, trace.embedding, trace.index), trace.embedding, chunks)

    def may_find(self, trace: Trace) -> frozenset[str] | None:
        """The documents that a query may find; None for all."""
        key = (trace.user_tags, tuple(sorted(trace.filters.items())))
        if key not in self._eligible:
            self._eligible[key] = eligible(self.suite.documents, trace.user_tags, trace.filters)
        return self._eligible[key]
