"""The claims audit on the page, where there is one: where bad claims come from, both columns, repeats."""

from __future__ import annotations

from ragtester.report.audited import all_of, folded_tables
from ragtester.report.blocks import part, section
from ragtester.report.html import Child, Element, h
from ragtester.stages.claims import claims_document, claims_staleness, read_repeats, read_result, repeats_document
from ragtester.tables import Document, Table
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
        parts += all_of(own)
    parts.append(folded_tables("Which claims?", _tables(made, "groups")))
    parts.append(folded_tables("Contradicted claims", _tables(made, "contradicted")))
    again = read_repeats(workspace, run)
    if again is not None:
        own = repeats_document(again).sections[0]
        parts.append(part(f"{own.title} Over {len(again.runs)} runs", *all_of(own)))
    return section("claims", "Claims", *parts)


def _tables(made: Document, section_id: str) -> list[Table]:
    return [table for own in made.sections if own.id == section_id for table in own.tables]
