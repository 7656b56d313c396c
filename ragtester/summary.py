"""What the command line prints when stages have ended: ledgers, the judge's summary, and where the files lie."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ragtester.progress import StageResult
from ragtester.records import Answer, Verdict
from ragtester.settings import Settings
from ragtester.workspace import Workspace

if TYPE_CHECKING:
    from rich.console import Console

WORDS = {
    "documents": "written",
    "cases": "made",
    "execute": "answered",
    "judge": "judged",
    "experiment": "searched",
    "audit precision": "voted",
    "audit claims": "audited",
    "audit coverage": "audited",
}
LONGEST = 300
"""Characters of a reason; the row has all."""


def print_results(results: list[StageResult], workspace: Workspace, settings: Settings, console: Console) -> None:
    """One ledger line a stage; after a judgement its tables; then the folders to open."""
    for result in results:
        console.print(ledger_line(result), markup=False, highlight=False, soft_wrap=True)
        if result.stage == "execute" and result.ledger.failed:
            for line in _reasons(workspace, settings, result):
                console.print(line, markup=False, highlight=False, soft_wrap=True)
    for result in results:
        if result.stage == "judge" and _is_control(result):
            _print_control(workspace, settings, console)
        elif result.stage == "judge":
            from ragtester.stages.judge_summary import render, summarise

            render(summarise(_verdicts(workspace, settings.execute.run)), console)
            _print_calibration(workspace, settings.execute.run, console)
    for result in results:
        if result.ledger.planned:
            console.print(f"{result.stage:<9} -> {shown(result.output)}", markup=False, highlight=False, soft_wrap=True)
        if result.stopped:
            console.print(f"stopped: {result.stopped}", markup=False, highlight=False, soft_wrap=True)


def _reasons(workspace: Workspace, settings: Settings, result: StageResult) -> Iterator[str]:
    """Of each type of failure what the first row that has it says, in the order of the files."""
    from ragtester.runs import answer_files
    from ragtester.storage import iter_rows

    open_ = set(result.counts.get("failures") or {})
    run = (settings.control() if _is_control(result) else settings).execute.run
    for path in answer_files(workspace, run)[0]:
        for row in iter_rows(path, Answer):
            if row.failure and row.failure.type in open_:
                open_.remove(row.failure.type)
                told = f"{row.failure.type}, as in {row.case_id}: {row.failure.message}"
                yield f"  {textwrap.shorten(told, LONGEST, placeholder=' …')}"
            if not open_:
                return


def _print_calibration(workspace: Workspace, run: str, console: Console) -> None:
    """Whether people's labels vouch for these verdicts; nothing where there are none."""
    from ragtester.stages.calibration import calibration_status

    text = calibration_status(workspace, run).text
    if text:
        console.print(text, markup=False, highlight=False, soft_wrap=True)


def _print_control(workspace: Workspace, settings: Settings, console: Console) -> None:
    """What each LLM passes from memory alone; a failure is what a control hopes for, so no failures are listed."""
    from ragtester.statistics import format_rate

    found: dict[str, Counter[str]] = {}
    for row in _verdicts(workspace, settings.control().execute.run):
        if row.answerable:
            found.setdefault(row.llm, Counter())[row.status] += 1
    console.print("Passed without any document (rejection cases left out):", highlight=False)
    for llm, counts in sorted(found.items()):
        line = f"  {llm} {format_rate(counts['pass'], counts['pass'] + counts['fail'])}"
        line += f"; {counts['ungraded']} not graded" if counts["ungraded"] else ""
        line += ": it has no memory, the control means nothing for it" if llm.startswith("embedded:") else ""
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _verdicts(workspace: Workspace, run: str) -> Iterator[Verdict]:
    from ragtester.runs import verdict_files
    from ragtester.storage import iter_rows

    return (row for path in verdict_files(workspace, run) for row in iter_rows(path, Verdict))


def _is_control(result: StageResult) -> bool:
    return bool(result.counts.get("closed_book"))


def ledger_line(result: StageResult) -> str:
    """`cases: 60 planned = 57 made + 0 failed + 0 skipped + 3 unfilled`."""
    ledger = result.ledger
    name = f"{result.stage} (closed book)" if _is_control(result) else result.stage
    if ledger.planned == 0:
        return f"{name}: nothing to do"
    line = (
        f"{name}: {ledger.planned} planned = {ledger.ok} {WORDS.get(result.stage, 'ok')}"
        f" + {ledger.failed} failed + {ledger.skipped} skipped + {ledger.unfilled} unfilled"
    )
    failures = result.counts.get("failures") or {}
    if failures:
        line += " (failed: " + ", ".join(f"{count} {name}" for name, count in sorted(failures.items())) + ")"
    unreadable = result.counts.get("unreadable")
    return f"{line}; {unreadable} file(s) not readable" if unreadable else line


def shown(path: Path) -> str:
    """Relative to the current folder where that is shorter."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
