"""The claims audit on the page, where there is one: where bad claims come from, both columns, repeats."""

from __future__ import annotations

from collections.abc import Iterable

from ragtester.report.blocks import part, section, table_html
from ragtester.report.html import Child, Element, h
from ragtester.stages.claims import claims_document, claims_staleness, read_repeats, read_result, repeats_document
from ragtester.tables import Document, Section, Table
from ragtester.tables.cells import counted
from ragtester.workspace import Workspace


def claims(workspace: Workspace, run: str) -> Element | None:
    """The section; None where claims were not audited."""
    result = read_result(workspace, run)
    if result is None:
        return None
    made = claims_document(result)
    stale = claims_staleness(workspace, run)
    parts: list[Child] = []
    if stale:
        parts.append(h("p", f"Stale: {stale}. `ragtester audit claims` audits anew.", class_="trouble"))
    for own in made.sections[:2]:
        parts += _all(own)
    parts.append(_folded("Which claims?", _tables(made, "groups")))
    parts.append(_folded("Contradicted claims", _tables(made, "contradicted")))
    again = read_repeats(workspace, run)
    if again is not None:
        own = repeats_document(again).sections[0]
        parts.append(part(f"{own.title} Over {len(again.runs)} runs", *_all(own)))
    return section("claims", "Claims", *parts)


def _all(own: Section) -> list[Child]:
    return [table_html(one) if isinstance(one, Table) else h("p", one.text) for one in own.parts]


def _tables(made: Document, section_id: str) -> list[Table]:
    return [table for own in made.sections if own.id == section_id for table in own.tables]


def _folded(title: str, tables: Iterable[Table]) -> Element | None:
    """Long tables, folded away."""
    shown = [table_html(table) for table in tables]
    return h("details", h("summary", f"{title} {counted(len(shown), 'table')}"), *shown) if shown else None
