"""Whether a run's chunk files hold the chunks that traces name: a lost file would pass for an index without them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from ragtester.errors import DataError
from ragtester.rag.similarity import document_of
from ragtester.records import Chunk, Trace
from ragtester.stages.retrieval.items import Item
from ragtester.storage import MAX_FAULTS, iter_rows
from ragtester.workspace import Workspace

# Contexts that were imported as texts: which chunks their index holds nobody knows.
IMPORTED = "imported"


@dataclass
class HeldChunks:
    """Holds gold, hits and contexts of a run's traces against its chunk files; `documents` are those of the suite."""

    workspace: Workspace
    run: str
    documents: Collection[str]
    _own: tuple[str, frozenset[str]] = ("", frozenset())
    _elsewhere: dict[str, set[str]] = field(default_factory=dict)

    def see(self, item: Item) -> None:
        """Raise DataError where the file of the case's document lacks a chunk that the trace names."""
        if item.trace.index == IMPORTED:
            return
        own = item.case.document_id
        if self._own[0] != own:
            self._own = own, frozenset(chunk.id for chunk in item.chunks)
        missing = set()
        for name in _named(item.trace) - self._own[1]:
            document_id = document_of(name)
            if document_id == own:
                missing.add(name)
            else:
                self._elsewhere.setdefault(document_id, set()).add(name)
        self._refuse(own, missing)

    def finish(self) -> None:
        """The same for chunks of other documents, once all traces are through: each file is read once."""
        for document_id, names in sorted(self._elsewhere.items()):
            if document_id in self.documents:
                rows: Iterable[Chunk] = iter_rows(self.workspace.chunks_file(self.run, document_id), Chunk)
                self._refuse(document_id, names - {chunk.id for chunk in rows})

    def _refuse(self, document_id: str, missing: set[str]) -> None:
        if not missing or document_id not in self.documents:
            return
        path = self.workspace.chunks_file(self.run, document_id)
        state, first = ("lacks", "delete it and ") if path.is_file() else ("is gone, with", "")
        # Of the first trace alone: there may be more.
        raise DataError(
            f"{path}: the file {state} chunks that traces of run {self.run} name; {first}run `ragtester execute` "
            "again, which writes it anew and keeps the answers",
            [f"no chunk {name}" for name in sorted(missing)][:MAX_FAULTS],
        )


def _named(trace: Trace) -> set[str]:
    return {*trace.gold_ids, *trace.context_ids, *(one.id for one in trace.retrieved)}
