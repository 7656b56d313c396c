"""Text that its user may not see, and that was shown to the model all the same: the one fault that no rate excuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragtester.access import may_see
from ragtester.records import AccessAccount, AuditedQuery, Document, Manifest
from ragtester.searching.tagged import TAGS
from ragtester.stages.retrieval.items import Item
from ragtester.stages.retrieval.naming import named
from ragtester.tables.cells import counted

FIRST = 3


@dataclass
class Leaks:
    """Looks into contexts. `documents` are those of the suite, with their tags; `executed` is the run's manifest.

    A run that was executed with other tags than the suite has now kept or broke other rules: its contexts tell nothing
    of today's.
    """

    documents: Mapping[str, Document]
    executed: Manifest | None = None
    unjudged: dict[str, None] = field(default_factory=dict)

    def of(self, item: Item) -> tuple[str, ...]:
        """Chunks of the final context that the query's user may not see, in their order.

        Another system's chunks are of documents that are not here: there its own hidden gold tells.
        """
        hidden = set(item.trace.hidden_ids)
        other = {name for name in item.trace.context_ids if self._has_other_rules(name, item)}
        if other:
            self.unjudged[item.case.id] = None
        told = (name for name in item.trace.context_ids if name not in other)
        return tuple(name for name in told if name in hidden or self._is_barred(name, item))

    def notes(self) -> Iterator[str]:
        """One line where rules changed since the run."""
        if self.unjudged:
            queries = counted(len(self.unjudged), "query", "queries")
            yield (
                "The access rules changed since the run: whether they were kept cannot be judged for "
                f"{queries} ({named(self.unjudged)}). Run ragtester execute again."
            )

    def _is_barred(self, name: str, item: Item) -> bool:
        document = self._document(name, item)
        return document is not None and bool(document.tags) and not may_see(document.tags, item.trace.user_tags)

    def _has_other_rules(self, name: str, item: Item) -> bool:
        """Whether the chunk's document or the case's user had other tags when the run was executed."""
        document = self._document(name, item)
        if document is None or self.executed is None:
            return False
        tags, before = " ".join(document.tags), self.executed.inputs.get(f"{TAGS}{document.id}", "")
        if not tags and not before:
            return False
        # A case that left the suite has no tags to compare with.
        other_user = item.failure is None and set(item.case.user_tags) != set(item.trace.user_tags)
        return other_user or tags != before

    def _document(self, name: str, item: Item) -> Document | None:
        return self.documents.get(name.rsplit(":", 2)[0]) if item.indexed else None


def leak_counts(rows: Sequence[AuditedQuery]) -> dict[str, Any]:
    """The account's fields: a case counts once, whatever the number of embedding models that showed its model text."""
    leaking = [row for row in rows if row.leaked]
    ids = tuple(dict.fromkeys(row.query_id for row in leaking))
    return {"leaking_queries": len(ids), "leaked_chunks": sum(len(row.leaked) for row in leaking), "leaks": ids[:FIRST]}


def told_leak(found: AccessAccount) -> str:
    """What a reader must know before anything else; empty where nothing leaked."""
    if not found.leaking_queries:
        return ""
    queries = counted(found.leaking_queries, "query", "queries")
    more = " and others" if found.leaking_queries > len(found.leaks) else ""
    return (
        f"LEAK: text that the user may not see was in the context of {queries} "
        f"({counted(found.leaked_chunks, 'chunk')}; {', '.join(found.leaks)}{more}): access rules were not kept. "
        "The field `leaked` of queries.jsonl names every chunk."
    )


def leak_notes(found: AccessAccount) -> Iterator[str]:
    """The note, where there is one."""
    if told := told_leak(found):
        yield told
