"""Sections that other parts of ragtester make, as they stand: kinds of failure, closed-book control, audits."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.errors import MissingPackageError
from ragtester.records import PrecisionResult
from ragtester.report.blocks import section, table_html
from ragtester.report.html import Child, Element, h
from ragtester.results import Results
from ragtester.stages.compare import closed_book as control
from ragtester.stages.compare import failure_kinds
from ragtester.stages.precision.document import document
from ragtester.stages.precision.files import Files
from ragtester.storage import read_json
from ragtester.tables import Paragraph, Table
from ragtester.workspace import Workspace


def kinds(results: Results) -> Element | None:
    """What went wrong in failed answers, in the paper's words; None without failures."""
    if not any(row.status == "fail" for row in results.open_book):
        return None
    made = failure_kinds.section(results)
    return section("kinds", made.title, *_parts(made.parts))


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
    parts: list[Child] = [h("p", text, class_="trouble") for text in _stale(found, results)]
    for inner in made.sections:
        parts.append(h("h3", inner.title))
        parts += _parts(inner.parts)
    return section("precision", "Precision of the oracle", *parts)


def _stale(found: PrecisionResult, results: Results) -> list[str]:
    """A line where the audit was of another judge or another prompt than this run's verdicts have."""
    judged = results.runs[0].judged
    judges = {row.judge for row in results.open_book if row.judge}
    if judges and judges != {found.judge}:
        return [f"Stale: the audit is of {found.judge}, the verdicts here are of {', '.join(sorted(judges))}."]
    if judged and judged.prompts and found.judge_prompt_sha256 not in judged.prompts.values():
        return ["Stale: the judge's prompt has changed since the audit."]
    return []


def _parts(parts: Sequence[Paragraph | Table]) -> list[Child]:
    return [h("p", part.text) if isinstance(part, Paragraph) else table_html(part) for part in parts]
