"""The same figures in parts: by what the query, its document and its retrieval are. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ragtester.records import AuditedQuery, RetrievalFigures
from ragtester.stages.retrieval.figures import FEW, figures, found_by

NONE, LITTLE, MUCH, ALL = SHARES = ("none of it", "up to half", "more than half", "all of it")
"""Parts by a share, in their order; all other parts are sorted by name."""
Part = Callable[[AuditedQuery], str]
"""The part that a query belongs to; empty where the question makes no sense for it."""


def _zero(row: AuditedQuery) -> str:
    return "something retrieved" if row.context_ids else "nothing retrieved"


def _filtered(row: AuditedQuery) -> str:
    return "some gold filtered out" if row.hidden or row.filtered else "all gold may be found"


def _bm25_only(row: AuditedQuery) -> str:
    known = [arms for arms in row.arms_of_context if arms]
    several = any(len(rank.arms) > 1 for rank in row.gold)
    if not known or not several:
        return ""
    alone = sum(arms == ("bm25",) for arms in known)
    if alone in (0, len(known)):
        return NONE if alone == 0 else ALL
    return LITTLE if 2 * alone <= len(known) else MUCH


def _arm(row: AuditedQuery) -> str:
    asked = {arm for rank in row.gold for arm in rank.arms}
    if len(asked) < 2:
        return ""
    found = {arm for rank in row.gold for arm, place in rank.arms.items() if place is not None}
    return found_by(found) if found else "no arm"


def _boundary(row: AuditedQuery) -> str:
    if row.crosses_boundary is None:
        return ""
    return "crosses a chunk boundary" if row.crosses_boundary else "whole in one chunk"


def _type(row: AuditedQuery) -> str:
    return f"{row.type} ({row.subtype})" if row.subtype else row.type


SLICES: dict[str, tuple[str, Part]] = {
    "type": ("Case type", _type),
    "section": ("Kind of section that holds the evidence", lambda row: row.section_kind),
    "boundary": ("Evidence and chunk boundaries", _boundary),
    "zero": ("Queries that retrieved nothing", _zero),
    "filtered": ("Gold that access rules or filters keep out", _filtered),
    "bm25": ("Share of the final context that BM25 alone found", _bm25_only),
    "arm": ("Arms that found gold", _arm),
    "language": ("Language", lambda row: row.language),
    "technique": ("Technique", lambda row: row.technique),
    "family": ("Family of documents (tag family:… or folder)", lambda row: row.family),
    "document": ("Document", lambda row: row.document_id),
}
"""Title of each slice, and the part of it that a query belongs to."""
OPEN = frozenset({"family", "document", "language", "technique"})
"""Slices with any number of parts: their small ones are put together."""


def slices(rows: Sequence[AuditedQuery], embeddings: Iterable[str]) -> tuple[RetrievalFigures, ...]:
    """Figures of every slice that has more than one part, over measured rows."""
    names = list(embeddings)
    return tuple(one for by in SLICES for one in _slice(by, rows, names))


def _slice(by: str, rows: Sequence[AuditedQuery], embeddings: Sequence[str]) -> list[RetrievalFigures]:
    groups: dict[str, list[AuditedQuery]] = {}
    for row in rows:
        part = SLICES[by][1](row)
        if part:
            groups.setdefault(part, []).append(row)
    groups = dict(sorted(groups.items(), key=lambda one: (SHARES.index(one[0]) if by == "bm25" else 0, one[0])))
    if by in OPEN:
        groups = _merged(groups, len(embeddings))
    if len(groups) < 2:
        return []
    return [
        figures(by, name, embedding, own)
        for name, group in groups.items()
        for embedding in embeddings
        if (own := [row for row in group if row.embedding == embedding])
    ]


def _merged(groups: dict[str, list[AuditedQuery]], embeddings: int) -> dict[str, list[AuditedQuery]]:
    """Parts of fewer than `FEW` queries as one, where there are several of them."""
    small = [name for name, group in groups.items() if len(group) < FEW * embeddings]
    if len(small) < 2:
        return groups
    rest = [row for name in small for row in groups[name]]
    kept = {name: group for name, group in groups.items() if name not in small}
    return {**kept, f"{len(small)} with fewer than {FEW} queries each": rest}
