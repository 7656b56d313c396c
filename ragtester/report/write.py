"""From a run's files to `reports/<run>/report.html`, never larger than asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ragtester.records import DocumentRow, UnreadableDocument
from ragtester.report import breakdowns, shell
from ragtester.report.apart import closed_book, kinds, precision
from ragtester.report.audited import fixtures, output_audit
from ragtester.report.claims import claims
from ragtester.report.compared import compare_systems
from ragtester.report.coverage import coverage
from ragtester.report.fit import Packed, fit
from ragtester.report.html import Element, h, serialise, shown
from ragtester.report.overview import overview
from ragtester.report.page import render
from ragtester.report.readability import readability
from ragtester.report.retrieval import retrieval
from ragtester.results import Results
from ragtester.storage import iter_rows, write_text
from ragtester.tables.cells import counted
from ragtester.workspace import Workspace

MEGABYTES = 3.0


@dataclass(frozen=True)
class Written:
    """The page, its size, how many of the run's rows its explorer holds, and files that were written beside it."""

    path: Path
    bytes: int
    rows: int
    of: int
    others: tuple[tuple[str, Path], ...] = ()


def write_report(
    workspace: Workspace, results: Results, path: Path | None = None, megabytes: float = MEGABYTES
) -> Written:
    """Write the page of one run (with its closed-book control) and say what it holds.

    `path` is `reports/<run>/report.html` where it is left out. The same files give the same page, byte for byte.
    """
    run = results.runs[0].name
    path = path or workspace.reports(run) / "report.html"
    sections = _sections(workspace, results)
    outline = _page(run, results, sections, Packed("", ("",), 0))
    packed = fit(workspace, results, int(megabytes * 1_000_000) - len(outline.encode("utf-8")) - 2_000)
    text = _page(run, results, sections, packed)
    write_text(path, [text])
    return Written(path, len(text.encode("utf-8")), packed.rows, len(results.rows))


def _sections(workspace: Workspace, results: Results) -> list[Element]:
    compared = compare_systems(results)
    made = [
        overview(results, compared, _unreadable(workspace, results)),
        breakdowns.breakdown(results),
        kinds(results),
        breakdowns.criteria(results),
        readability(results),
        breakdowns.latency_and_cost(results, compared),
        coverage(results),
        retrieval(workspace, results.runs[0].name),
        claims(workspace, results.runs[0].name),
        output_audit(workspace, results.runs[0].name),
        fixtures(workspace, results.runs[0].name),
        closed_book(results),
        precision(workspace, results),
    ]
    return [section for section in made if section is not None]


def _unreadable(workspace: Workspace, results: Results) -> list[UnreadableDocument]:
    """Files of the suite's corpus without a text."""
    path = workspace.documents_file(results.runs[0].suite)
    return [row for row in iter_rows(path, DocumentRow) if isinstance(row, UnreadableDocument)]


def _page(run: str, results: Results, sections: list[Element], packed: Packed) -> str:
    judged = sorted({row.judge for row in results.rows if row.judge})
    suite = results.runs[0].suite
    subtitle = (
        f"Suite {suite}; {counted(len(results.systems), 'system')}; judged by {', '.join(judged) or 'nobody yet'}"
    )
    main = h("main", *sections, id="main")
    return render(
        shown(f"{run}: ragtester report"),
        serialise([shell.head(run, subtitle, sections), main]),
        serialise([shell.explorer(packed.told), shell.dialog()]),
        packed.islands,
        serialise([shell.footer(results)]),
    )
