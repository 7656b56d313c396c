"""From a run's files to `reports/<run>/report.html`, never larger than asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtester.report import breakdowns, shell
from ragtester.report.apart import closed_book, kinds, precision
from ragtester.report.choose import choose, tell
from ragtester.report.coverage import coverage
from ragtester.report.details import Details, read_details
from ragtester.report.html import Element, h, serialise
from ragtester.report.index import Explorer, build
from ragtester.report.islands import island, pack
from ragtester.report.overview import overview
from ragtester.report.page import render
from ragtester.report.texts import Texts, build_texts, wanted_spans
from ragtester.report.words import counted
from ragtester.results import Result, Results
from ragtester.storage import write_text
from ragtester.workspace import Workspace

MEGABYTES = 3.0
# More rows than a page of this size could hold are not even read.
ROWS_PER_MEGABYTE = 5000
TEXT_SHARE = 0.35


@dataclass(frozen=True)
class Written:
    """The page, its size, how many of the run's rows its explorer holds, and files that were written beside it."""

    path: Path
    bytes: int
    rows: int
    of: int
    others: tuple[tuple[str, Path], ...] = ()


@dataclass(frozen=True)
class _Packed:
    """Explorer and texts as they go into the page."""

    islands: str
    told: tuple[str, ...]
    rows: int


def write_report(
    workspace: Workspace, results: Results, path: Path | None = None, megabytes: float = MEGABYTES
) -> Written:
    """Write the page of one run (with its closed-book control) and say what it holds.

    `path` is `reports/<run>/report.html` where it is left out. The same files give the same page, byte for byte.
    """
    run = results.runs[0].name
    path = path or workspace.reports(run) / "report.html"
    sections = _sections(workspace, results)
    outline = _page(run, results, sections, _Packed("", ("",), 0))
    packed = _pack(workspace, results, int(megabytes * 1_000_000) - len(outline.encode("utf-8")) - 2_000)
    text = _page(run, results, sections, packed)
    write_text(path, [text])
    return Written(path, len(text.encode("utf-8")), packed.rows, len(results.rows))


def _sections(workspace: Workspace, results: Results) -> list[Element]:
    made = [
        overview(results, []),
        breakdowns.breakdown(results),
        kinds(results),
        breakdowns.criteria(results),
        breakdowns.readability(results),
        breakdowns.latency_and_cost(results),
        coverage(results),
        closed_book(results),
        precision(workspace, results),
    ]
    return [section for section in made if section is not None]


def _page(run: str, results: Results, sections: list[Element], packed: _Packed) -> str:
    judged = sorted({row.judge for row in results.rows if row.judge})
    suite = results.runs[0].suite
    subtitle = (
        f"Suite {suite}; {counted(len(results.systems), 'system')}; judged by {', '.join(judged) or 'nobody yet'}"
    )
    main = h("main", *sections, id="main")
    return render(
        f"{run}: ragtester report",
        serialise([shell.head(run, subtitle, sections), main]),
        serialise([shell.explorer(packed.told), shell.dialog()]),
        packed.islands,
        serialise([shell.footer(results)]),
    )


def _pack(workspace: Workspace, results: Results, budget: int) -> _Packed:
    """Rows and texts within `budget` characters: all where they fit, else rows that did not pass first."""
    executed = results.runs[0].executed
    seed = executed.seed if executed else 7
    most = max(200, budget * ROWS_PER_MEGABYTE // 1_000_000)
    rows: Sequence[Result] = choose(results.rows, most, seed)
    details = read_details(workspace, results, rows)
    rows, packed, texts = _fitted(workspace, results, rows, details, budget, seed)
    told = [tell(results.rows, rows, seed)]
    if texts.held < texts.wanted:
        told.append(
            f"It holds the text of {texts.held:,} of {counted(texts.wanted, 'passage')} that its rows name "
            "(evidence and chunks): those of failures and of high ranks first."
        )
    blocks = [island(f"text-{place}", text) for place, text in enumerate(texts.blocks)]
    return _Packed("\n".join([*packed, *blocks]), tuple(told), len(rows))


def _fitted(
    workspace: Workspace, results: Results, rows: Sequence[Result], details: Details, budget: int, seed: int
) -> tuple[Sequence[Result], list[str], Texts]:
    """Fewer rows until they leave the texts their share, then as many texts as fit beside them."""
    candidates = rows
    full = build_texts(workspace, results, wanted_spans(results, rows, details), budget)
    for_rows = budget - min(full.size, int(budget * TEXT_SHARE))
    size = len(rows)
    while True:
        rows = choose(candidates, size, seed)
        found = build(results, rows, details)
        packed = _packed(found, full)
        used = sum(map(len, packed))
        if used <= for_rows or size <= 1:
            break
        size = min(size - 1, int(size * for_rows / used * 0.98))
    texts = build_texts(workspace, results, wanted_spans(results, rows, details), budget - used)
    return rows, _packed(found, texts), texts


def _packed(found: Explorer, texts: Texts) -> list[str]:
    at = {str(document[0]): place for place, document in enumerate(found.index["documents"])}
    where: dict[str, Any] = {str(at[name]): places for name, places in texts.where.items() if name in at}
    index = island("index", pack({**found.index, "texts": where}))
    return [index, *(island(f"block-{place}", pack(block)) for place, block in enumerate(found.blocks))]
