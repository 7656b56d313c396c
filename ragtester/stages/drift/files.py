"""Writing what drift found: `drift/<before>..<after>/` and `drift/history/<suite>/`."""

from __future__ import annotations

from pathlib import Path

from ragtester.records import DriftResult
from ragtester.stages.drift.document import drift_document
from ragtester.stages.drift.history import Story
from ragtester.stages.drift.history_document import history_document, strips_table
from ragtester.storage import read_json, write_json, write_text
from ragtester.tables.csv_files import csv_text
from ragtester.tables.markdown import markdown
from ragtester.workspace import Workspace

HISTORY = "history.csv"


def write_result(workspace: Workspace, result: DriftResult, story: Story) -> Path:
    """`result.json`, `result.md` and `history.csv` of two runs; gives their folder."""
    folder = workspace.drift(result.before, result.after)
    write_json(folder / "result.json", result)
    write_text(folder / "result.md", [markdown(drift_document(result, full=True))])
    _write_strips(folder, story)
    return folder


def write_history(workspace: Workspace, story: Story) -> Path:
    """`history.json`, `history.md` and `history.csv` of a suite's runs; gives their folder."""
    folder = workspace.drift_history(story.history.suite)
    write_json(folder / "history.json", story.history)
    write_text(folder / "history.md", [markdown(history_document(story.history, full=True))])
    _write_strips(folder, story)
    return folder


def read_result(workspace: Workspace, before: str, after: str) -> DriftResult | None:
    """What was found of two runs last; None where they were never compared."""
    return read_json(workspace.drift(before, after) / "result.json", DriftResult)


def _write_strips(folder: Path, story: Story) -> None:
    names = [run.run for run in story.history.runs]
    write_text(folder / HISTORY, [csv_text(strips_table(names, story.strips))])
