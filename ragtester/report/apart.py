"""Sections that other parts of ragtester make, as they stand: kinds of failure, closed-book control, audits."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.errors import MissingPackageError
from ragtester.records import PrecisionResult
from ragtester.report.blocks import Links, section, table_html
from ragtester.report.html import Child, Element, h
from ragtester.results import Results
from ragtester.stages.compare import closed_book as control
from ragtester.stages.compare import failure_kinds
from ragtester.stages.precision import precision_staleness
from ragtester.stages.precision.document import document
from ragtester.stages.precision.files import Files
from ragtester.storage import read_json
from ragtester.tables import Cell, Paragraph, Table
from ragtester.workspace import Workspace

KEYS = {
    "failure-kinds-by-system": "system",
    "failure-kinds-by-type": "type",
    "failure-kinds-by-document": "document",
    "false-refusals": "system",
}
"""Tables of failures, and the explorer's filter for their first column."""


def kinds(results: Results) -> Element | None:
    """What went wrong in failed answers, in the paper's words; None without failures."""
    if not any(row.status == "fail" for row in results.open_book):
        return None
    made = failure_kinds.section(results)
    systems = {" × ".join(system) for system in results.systems}
    parts: list[Child] = []
    for one in made.parts:
        parts.append(h("p", one.text) if isinstance(one, Paragraph) else table_html(one, _leads(one, systems)))
    return section("kinds", made.title, *parts)


def _leads(table: Table, systems: set[str]) -> Links | None:
    """Counts of failures lead to them: the first column says of whom, the others of which kind."""
    by = KEYS.get(table.id)
    if by is None:
        return None

    def leads(row: Sequence[Cell], at: int) -> dict[str, str] | None:
        group = str(row[0])
        if at == 0 or (by == "system" and group not in systems):
            return None
        kind = table.columns[at]
        if kind in failure_kinds.KINDS:
            return {by: group, "kind": kind}
        if table.id == "false-refusals":
            return {by: group, "status": "fail", "decided": "refusal"} if at == 1 else None
        return {by: group, "status": "fail"}

    return leads


def closed_book(results: Results) -> Element | None:
    """The same questions without retrieval, apart from every other figure; None where the control was not run."""
    if not any(True for _ in results.closed_book):
        return None
    text = "The same questions asked without retrieval. These answers are in no other figure of this page."
    try:
        made = control.section(results)
    except MissingPackageError as error:
        return section("closed-book", "Closed-book control", h("p", text), h("p", f"No figures: {error}."))
    return section("closed-book", made.title, h("p", text), *_parts(made.parts))


def precision(workspace: Workspace, results: Results) -> Element | None:
    """How often the oracle is right, where the precision audit was done."""
    found = read_json(Files.of(workspace, results.runs[0].name).result, PrecisionResult)
    if found is None:
        return None
    made = document(found)
    run = results.runs[0].name
    parts: list[Child] = []
    if stale := precision_staleness(workspace, run, results):
        text = f"Stale: {'; '.join(stale)}. `ragtester audit precision --overwrite` draws and votes anew."
        parts.append(h("p", text, class_="trouble"))
    for inner in made.sections:
        parts.append(h("h3", inner.title))
        parts += _parts(inner.parts)
    return section("precision", "Precision of the oracle", *parts)


def _parts(parts: Sequence[Paragraph | Table]) -> list[Child]:
    return [h("p", part.text) if isinstance(part, Paragraph) else table_html(part) for part in parts]
