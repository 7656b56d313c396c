"""Which part of each document produced which cases: a strip from its first page to its last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ragtester.records import Case, Document
from ragtester.report import charts
from ragtester.report.blocks import grid_table, link, section
from ragtester.report.html import Child, Element, h, hidden_text, name
from ragtester.report.words import number
from ragtester.results import Results
from ragtester.results.tally import Tally
from ragtester.tables.cells import counted

BINS = 100
DOCUMENTS = 60


@dataclass
class Strip:
    """One document's answers by place. `pages` a bin; 0 for a format without pages, cut in equal pieces."""

    document: Document
    bins: list[Tally]
    pages: int
    cases: int = 0
    unplaced: int = 0
    failed_cases: int = 0
    seen: set[tuple[str, str]] = field(default_factory=set)


def coverage(results: Results) -> Element:
    """A strip a document; documents with most failed cases first where there are many."""
    strips = make_strips(results)
    ordered = sorted(strips, key=lambda strip: -strip.failed_cases) if len(strips) > DOCUMENTS else strips
    told = (
        f"{counted(len(strips) - DOCUMENTS, 'document')} with fewer failures not drawn."
        if ordered is not strips
        else ""
    )
    text = (
        "Each strip is a document from its first page (left) to its last; a bar stands where questions were made. Its "
        "height counts answers to them: failed below, passed above. A flat line means that no question came from there."
    )
    key = h(
        "ul",
        *(
            h("li", h("span", class_=f"swatch {class_}", aria_hidden="true"), word)
            for class_, word in (("pass-fill", "passed"), ("fail-fill", "failed"), ("empty-fill", "no case"))
        ),
        class_="legend",
    )
    head = ("Document", "Answers along the document", "Cases", "Cases with a failure", "Without a place")
    table = grid_table("Cases by their place in the documents", head, [_row(s) for s in ordered[:DOCUMENTS]], wide=1)
    note = "Without a place: rejection cases, which are made from what the document does not say."
    return section(
        "coverage", "Coverage of the documents", h("p", text), key, table, h("p", f"{note} {told}", class_="small")
    )


def make_strips(results: Results) -> list[Strip]:
    """Answers of all systems with retrieval by the place of their case's evidence."""
    found: dict[tuple[str, str], Strip] = {}
    suites = {run.name: run.suite for run in results.runs}
    failed: set[tuple[str, str]] = set()
    for row in results.open_book:
        document = results.documents.get((suites.get(row.run, ""), row.document_id))
        case = results.case(row)
        if document is None or case is None:
            continue
        strip = found.setdefault((document.id, document.sha256), _empty(document))
        key = (row.technique, row.case_id)
        if key not in strip.seen:
            strip.seen.add(key)
            strip.cases += 1
            strip.unplaced += not case.evidence
        if row.status == "fail" and key not in failed:
            failed.add(key)
            strip.failed_cases += 1
        for place in places(case, strip):
            strip.bins[place].add(row)
    return list(found.values())


def _empty(document: Document) -> Strip:
    pages = len(document.page_starts)
    step = -(-pages // BINS) if pages else 0
    bins = -(-pages // step) if pages else min(BINS, max(1, document.characters // 100))
    return Strip(document, [Tally() for _ in range(bins)], step)


def places(case: Case, strip: Strip) -> set[int]:
    """Bins that a case's evidence touches."""
    last = len(strip.bins) - 1
    if strip.pages:
        return {min(last, (page - 1) // strip.pages) for span in case.evidence for page in span.pages if page > 0}
    width = max(1, strip.document.characters) / len(strip.bins)
    touched: set[int] = set()
    for span in case.evidence:
        touched.update(
            range(min(last, int(span.start / width)), min(last, int(max(span.start, span.end - 1) / width)) + 1)
        )
    return touched


def _row(strip: Strip) -> list[Child]:
    plot = charts.strip([(tally.failed, tally.passed) for tally in strip.bins])
    failed: Child = number(strip.failed_cases)
    if strip.failed_cases:
        address = link({"status": "fail", "document": strip.document.id})
        failed = h("a", number(strip.failed_cases), hidden_text(f" of {strip.document.id}: show them"), href=address)
    return [
        [name(strip.document.id), h("small", f" {_size(strip)}")],
        [plot, hidden_text(_told(strip))],
        number(strip.cases),
        failed,
        number(strip.unplaced),
    ]


def _size(strip: Strip) -> str:
    if not strip.pages:
        return f"{strip.document.characters:,} characters"
    size = counted(len(strip.document.page_starts), "page")
    return f"{size}, {strip.pages} a bar" if strip.pages > 1 else size


def _told(strip: Strip) -> str:
    """The strip in words."""
    empty = _ranges(place for place, tally in enumerate(strip.bins) if not tally.graded)
    failing = _ranges(place for place, tally in enumerate(strip.bins) if tally.failed)
    unit = "bar" if strip.pages != 1 else "page"
    return f"{unit}s with failures: {failing or 'none'}; without graded answers: {empty or 'none'}"


def _ranges(places: Iterable[int]) -> str:
    """ "1–3, 7" for 0, 1, 2, 6."""
    found: list[list[int]] = []
    for place in places:
        if found and place == found[-1][1] + 1:
            found[-1][1] = place
        else:
            found.append([place, place])
    return ", ".join(_range(first + 1, last + 1) for first, last in found)


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"
