"""What the diagnosis of a run's queries shares: documents and their texts, chunks, stores, sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ragtester.access import eligible
from ragtester.rag.sparse import Sparse
from ragtester.records import Chunk, Document, Trace
from ragtester.searching.coverage import Coverage
from ragtester.searching.suite import Suite
from ragtester.settings import Settings
from ragtester.stages.retrieval.evidence_kinds import EvidenceKinds
from ragtester.stages.retrieval.index_view import IndexView, IndexViews
from ragtester.stages.retrieval.items import LookUp
from ragtester.stages.retrieval.sources_check import SourcesCheck
from ragtester.workspace import Workspace

# A larger store is not indexed by words only to say what a bm25 arm would find.
MOST_BY_WORDS = 5000


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
    _by_words: tuple[tuple[str, str], Sparse | None] | None = None

    @cached_property
    def documents(self) -> dict[str, Document]:
        """The suite's documents by id."""
        return {document.id: document for document in self.suite.documents}

    def text(self, document: Document) -> str:
        """The text that a document's offsets refer to; that of the last document stays in memory."""
        if self._read is None or self._read[0] != document.id:
            self._read = (document.id, self.suite.text(document))
        return self._read[1]

    @cached_property
    def kinds(self) -> EvidenceKinds:
        """Tells prose from tables and code."""
        return EvidenceKinds(self.text)

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

    def words(
        self, trace: Trace, document_id: str, chunks: Sequence[Chunk], view: IndexView, look_up: LookUp
    ) -> Sparse | None:
        """A BM25 index of what a query's store holds; None where the texts are not at hand, or are too many."""
        corpus = self.settings.execute.index.scope == "corpus"
        key = trace.index, "" if corpus else document_id
        if self._by_words is None or self._by_words[0] != key:
            names = sorted(view.health.chunks.ids) if corpus and view.health else []
            few = len(names) <= MOST_BY_WORDS
            found = [one for name in names if few and (one := look_up(name))] if corpus else list(chunks)
            whole = bool(found) and len(found) == (len(names) if corpus else len(chunks))
            languages = {document.id: document.language for document in self.suite.documents}
            self._by_words = (key, Sparse(found, languages) if whole else None)
        return self._by_words[1]

    def may_find(self, trace: Trace) -> frozenset[str] | None:
        """The documents that a query may find; None for all."""
        key = (trace.user_tags, tuple(sorted(trace.filters.items())))
        if key not in self._eligible:
            self._eligible[key] = eligible(self.suite.documents, trace.user_tags, trace.filters)
        return self._eligible[key]
