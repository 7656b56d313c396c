"""Text that its user may not see, and that was shown to the model all the same: the one fault that no rate excuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragtester.access import may_see
from ragtester.records import AccessAccount, AuditedQuery, Document
from ragtester.stages.retrieval.items import Item
from ragtester.tables.cells import counted

FIRST = 3


@dataclass(frozen=True)
class Leaks:
    """Looks into contexts. `documents` are those of the suite, with their tags."""

    documents: Mapping[str, Document]

    def of(self, item: Item) -> tuple[str, ...]:
        """Chunks of the final context that the query's user may not see, in their order.

        Another system's chunks are of documents that are not here: there its own hidden gold tells.
        """
        hidden = set(item.trace.hidden_ids)
        return tuple(name for name in item.trace.context_ids if name in hidden or self._is_barred(name, item))

    def _is_barred(self, name: str, item: Item) -> bool:
        document = self.documents.get(name.rsplit(":", 2)[0]) if item.indexed else None
        return document is not None and bool(document.tags) and not may_see(document.tags, item.trace.user_tags)


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
