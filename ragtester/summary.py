"""What the command line prints when stages have ended: ledgers, the judge's summary, and where the files lie."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragtester.progress import StageResult
from ragtester.settings import Settings
from ragtester.workspace import Workspace

if TYPE_CHECKING:
    from rich.console import Console

WORDS = {"documents": "written", "cases": "made", "execute": "answered", "judge": "judged"}


def print_results(results: list[StageResult], workspace: Workspace, settings: Settings, console: Console) -> None:
    """One ledger line a stage; after a judgement its tables; then the folders to open."""
    for result in results:
        console.print(ledger_line(result), markup=False, highlight=False, soft_wrap=True)
    if any(result.stage == "judge" for result in results):
        from ragtester.records import Verdict
        from ragtester.runs import verdict_files
        from ragtester.stages.judge_summary import render, summarise
        from ragtester.storage import iter_rows

        files = verdict_files(workspace, settings.execute.run)
        rows = (row for path in files for row in iter_rows(path, Verdict))
        render(summarise(rows), console)
    for result in results:
        if result.ledger.planned:
            console.print(
                f"{result.stage:<9} -> {_shown(result.output)}", markup=False, highlight=False, soft_wrap=True
            )
        if result.stopped:
            console.print(f"stopped: {result.stopped}", markup=False, highlight=False, soft_wrap=True)


def ledger_line(result: StageResult) -> str:
    """`cases: 60 planned = 57 made + 0 failed + 0 skipped + 3 unfilled`."""
    ledger = result.ledger
    if ledger.planned == 0:
        return f"{result.stage}: nothing to do"
    line = (
        f"{result.stage}: {ledger.planned} planned = {ledger.ok} {WORDS.get(result.stage, 'ok')}"
        f" + {ledger.failed} failed + {ledger.skipped} skipped + {ledger.unfilled} unfilled"
    )
    failures = result.counts.get("failures") or {}
    if failures:
        line += " (failed: " + ", ".join(f"{count} {name}" for name, count in sorted(failures.items())) + ")"
    unreadable = result.counts.get("unreadable")
    return f"{line}; {unreadable} file(s) not readable" if unreadable else line


def _shown(path: Path) -> str:
    """Relative to the current folder where that is shorter."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
