"""The output audit and adversarial fixtures on the page, where there are any; and how audits' documents are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragtester.report.blocks import part, section, table_html
from ragtester.report.html import Child, Element, h
from ragtester.stages.adversarial import adversarial_document, read_rows_on_disk
from ragtester.stages.adversarial import read_result as read_fixtures
from ragtester.stages.coverage import contrast_document, coverage_document, coverage_staleness, read_contrast
from ragtester.stages.coverage import read_result as read_coverage
from ragtester.tables import Document, Paragraph, Section, Table
from ragtester.tables.cells import counted
from ragtester.workspace import Workspace


def output_audit(workspace: Workspace, run: str) -> Element | None:
    """What answers saw and do not mention; None where that was not audited."""
    result = read_coverage(workspace, run)
    if result is None:
        return None
    made = coverage_document(result)
    parts: list[Child] = []
    if stale := coverage_staleness(workspace, run):
        parts.append(h("p", f"Stale: {stale}. `ragtester audit coverage` audits anew.", class_="trouble"))
    parts += _sentences(made)
    parts.append(folded_tables("Which answers?", made.tables))
    found = read_contrast(workspace, run)
    if found is not None:
        own = contrast_document(found).sections[0]
        parts.append(part(own.title, *all_of(own)))
    return section("output-audit", "What answers leave out", *parts)


def fixtures(workspace: Workspace, run: str) -> Element | None:
    """What adversarial fixtures showed; None where none were asked."""
    result = read_fixtures(workspace, run)
    if result is None:
        return None
    made = adversarial_document(result, read_rows_on_disk(workspace, run))
    first, *rest = made.sections
    tables = (table for own in rest for table in own.tables)
    return section("adversarial", "Adversarial fixtures", *all_of(first), folded_tables("Which fixtures?", tables))


def _sentences(made: Document) -> Iterator[Child]:
    for own in made.sections:
        yield from (h("p", one.text) for one in own.parts if isinstance(one, Paragraph))


def all_of(own: Section) -> list[Child]:
    """A section's sentences and tables, in order."""
    return [table_html(one) if isinstance(one, Table) else h("p", one.text) for one in own.parts]


def folded_tables(title: str, tables: Iterable[Table]) -> Element | None:
    """Long tables, folded away."""
    shown = [table_html(table) for table in tables]
    return h("details", h("summary", f"{title} {counted(len(shown), 'table')}"), *shown) if shown else None
