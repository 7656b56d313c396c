"""Whether there were K chunks to be found at all: where there were not, everything is retrieved. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from ragtester.records import TARGET, Trace
from ragtester.settings import ExecuteSettings
from ragtester.stages.retrieval.items import Item
from ragtester.stages.retrieval.naming import named
from ragtester.tables.cells import counted


@dataclass
class _Fewest:
    """Queries with less than K, and the one that has least."""

    queries: int = 0
    chunks: int = 0
    query_id: str = ""

    def add(self, chunks: int, query_id: str) -> None:
        if not self.queries or chunks < self.chunks:
            self.chunks, self.query_id = chunks, query_id
        self.queries += 1

    def told(self) -> str:
        return f"{counted(self.queries, 'query', 'queries')} (fewest: {self.chunks}, {self.query_id})"


@dataclass
class Enough:
    """Looks at traces of our own search. A dense arm tells how much there was; BM25 finds what shares a term alone."""

    execute: ExecuteSettings
    documents: Collection[str]
    _sizes: dict[str, int] = field(default_factory=dict)
    _small: dict[str, int] = field(default_factory=dict)
    _whole: int = 0
    _k: int = 0
    _before: _Fewest = field(default_factory=_Fewest)
    _after: _Fewest = field(default_factory=_Fewest)

    def see(self, item: Item) -> None:
        """Note an item."""
        trace, chunks = item.trace, len(item.chunks)
        if not trace.index or trace.embedding == TARGET or not item.indexed or item.failure:
            return
        if chunks:
            self._sizes[item.case.document_id] = chunks
        if self.execute.index.scope == "document":
            if 0 < chunks < trace.k:
                self._small[item.case.document_id] = chunks
            return
        self._k = max(self._k, trace.k)
        left = self._left_by_filter(trace)
        if left is not None:
            self._after.add(left, item.case.id)
        found = self._found_by_dense(trace)
        if found is None:
            return
        if trace.filter_mode == "pre":
            self._before.add(found, item.case.id)
        elif found:
            self._whole = found

    def _found_by_dense(self, trace: Trace) -> int | None:
        """All that a dense arm could find, where that is less than K and than what it was to fetch."""
        path = self.execute.retrieval
        arm = next((one for one in path.arms if one.kind == "dense"), None)
        found = sum(one.arm == "dense" for one in trace.retrieved)
        return found if arm and found < min(trace.k, path.depth(arm, trace.k)) else None

    def _left_by_filter(self, trace: Trace) -> int | None:
        """What a filter after the search left, where that is less than K."""
        filtered = {one.id for one in trace.dropped if one.at == "filter"}
        below = {one.id for one in trace.dropped if one.at == "floor"}
        fused = {one.id for one in trace.fused} or {one.id for one in trace.retrieved} - below
        left = len(fused - filtered)
        return left if filtered and left < trace.k else None

    def notes(self) -> Iterator[str]:
        """One line for each reason that there were less than K."""
        nothing = "everything is retrieved, and recall says nothing."
        if self._small:
            names = [f"{name} ({count})" for name, count in sorted(self._small.items())]
            told = f"{counted(len(names), 'document')}, in chunks: {named(names)}"
            yield f"K is larger than the index of {told}. There {nothing}"
        if whole := self._whole or self._total():
            yield f"K is larger than the index: {self._k} of {counted(whole, 'chunk')}. There {nothing}"
        if self._before.queries:
            yield f"Filters and access rules leave fewer than K chunks to {self._before.told()}. There {nothing}"
        if self._after.queries:
            yield (
                f'filter_mode = "post" left fewer than K chunks to {self._after.told()}: chunks that may not be found '
                'took the places. "pre" fills them.'
            )

    def _total(self) -> int:
        """Chunks of the whole corpus, where all documents were seen and K is larger; else 0."""
        total = sum(self._sizes.values())
        return total if total < self._k and self._sizes.keys() >= set(self.documents) else 0
