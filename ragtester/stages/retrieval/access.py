"""What access rules took out of the denominator: nobody misses what he may not see. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ragtester.access import may_see
from ragtester.records import AccessAccount, AccessTag, AuditedQuery, Document, RetrievalResult
from ragtester.stages.retrieval.leaks import leak_counts, told_leak
from ragtester.tables import Paragraph, Section, Table
from ragtester.tables.cells import counted

SHOWN = 20


def account(rows: Sequence[AuditedQuery], documents: Mapping[str, Document]) -> AccessAccount:
    """Counts over queries (a case counts once, whatever the number of embedding models) and over chunks."""
    queries = {row.query_id: row for row in rows if row.hidden}
    lacked = Counter(tag for row in queries.values() for tag in _lacking(row, documents.get(row.document_id)))
    tagged = {name: one.tags for name, one in sorted(documents.items()) if one.tags}
    carriers = Counter(tag for tags in tagged.values() for tag in set(tags))
    return AccessAccount(
        documents=tagged,
        users=tuple(sorted({row.user_tags for row in rows})),
        hidden_queries=sum(row.status == "hidden_gold" for row in queries.values()),
        partly_hidden=sum(row.status == "measured" for row in queries.values()),
        hidden_chunks=sum(row.hidden for row in queries.values()),
        **leak_counts(rows),
        tags=tuple(
            AccessTag(tag=tag, documents=carriers[tag], queries=n)
            for tag, n in sorted(lacked.items(), key=lambda one: (-one[1], one[0]))
        ),
    )


def _lacking(row: AuditedQuery, document: Document | None) -> set[str]:
    """Tags of the document that the user would need one of, by kind of tag."""
    tags = document.tags if document else ()
    return {tag for tag in tags if not may_see(_same_kind(tag, tags), row.user_tags)}


def _same_kind(tag: str, tags: Iterable[str]) -> list[str]:
    return [one for one in tags if one.partition(":")[0] == tag.partition(":")[0]]


def _taken_out(found: AccessAccount) -> str:
    if not found.hidden_chunks:
        return "No gold is hidden: nothing was taken out of the denominators."
    return (
        f"{counted(found.hidden_queries, 'query', 'queries')} left the denominators because the user may see none "
        f"of the gold; {found.partly_hidden:,} more lost a part of it. In all "
        f"{counted(found.hidden_chunks, 'gold chunk is', 'gold chunks are')} hidden. What a user may "
        "not see is no miss, and finding it would be a fault."
    )


def access_section(result: RetrievalResult) -> Section:
    """The note, with counts by tag."""
    found = result.access
    leak = [Paragraph(told_leak(found))] if found.leaking_queries else []
    if not found.documents and not found.hidden_chunks and not leak:
        text = "No document has a tag and no gold is hidden: everybody may see everything, and nothing was taken out."
        if result.source == "traces":
            text = (
                "The documents of the traces are not known here, nor who may see them. No trace names hidden gold, and "
                "nothing was taken out."
            )
        return Section("access", "Access rules", (Paragraph(text),))
    parts: list[Paragraph | Table] = [
        *leak,
        Paragraph(_taken_out(found)),
    ]
    if found.tags:
        rows = tuple((one.tag, one.documents, one.queries) for one in found.tags)
        columns = ("tag that the user lacks", "documents with it", "queries that lost gold")
        parts.append(Table("access-tags", "Hidden gold by tag", columns, rows))
    if found.documents:
        listed = list(found.documents.items())
        rows_of = tuple((name, ", ".join(tags)) for name, tags in listed[:SHOWN])
        notes = (f"{SHOWN} of {len(listed)}; result.json lists all.",) if len(listed) > SHOWN else ()
        parts.append(Table("access-documents", "Documents with tags", ("document", "tags"), rows_of, notes))
    return Section("access", "Access rules", tuple(parts))
