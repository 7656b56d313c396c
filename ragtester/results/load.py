"""Reading a run's suite, answers and verdicts into joined rows; nothing planned is left out."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ragtester.errors import DataError
from ragtester.records import CLOSED_BOOK_SUFFIX, Case, CaseRow, Document, DocumentRow, Manifest
from ragtester.results import notes
from ragtester.results.answers import RunReader
from ragtester.results.rows import Result, Results, RunInfo
from ragtester.runs import answer_files, no_answers
from ragtester.storage import MAX_FAULTS, iter_rows, read_json
from ragtester.workspace import Workspace


def load_results(workspace: Workspace, runs: Iterable[str], suite: str = "main") -> Results:
    """Join the runs; the closed-book control of each is read with it where it was executed.

    `suite` is the suite of runs whose manifests do not name one. A run that is named twice counts once. Whatever a
    reader must know of the rows stands in `notes`: unfinished work, systems or rows that are not there, rows of another
    execution, suites that changed since. Raises UsageError for a run without answers and DataError for files that do
    not hold what they should.
    """
    named = [runs] if isinstance(runs, str) else list(runs)
    found = Results()
    found.notes += notes.named_twice(named)
    for run, (files, left) in _files(workspace, named).items():
        _load_run(found, workspace, run, suite, files)
        if left:
            found.notes.append(f"run {run}: {len(left)} answer file(s) of documents or systems that left it")
    found.notes += notes.suites_differ(found)
    return found


def _files(workspace: Workspace, named: list[str]) -> dict[str, tuple[list[Path], list[Path]]]:
    """The answer files of each run and its control, before any of them is read: those that belong to it, and others."""
    found: dict[str, tuple[list[Path], list[Path]]] = {}
    for name in named:
        control = name + CLOSED_BOOK_SUFFIX
        for run in (name,) if name.endswith(CLOSED_BOOK_SUFFIX) else (name, control):
            files, left = answer_files(workspace, run)
            if files:
                found.setdefault(run, (files, left))
            elif run == name:
                raise no_answers(workspace, run)
    return found


def _load_run(found: Results, workspace: Workspace, run: str, suite: str, files: list[Path]) -> None:
    executed = read_json(workspace.answers(run) / "manifest.json", Manifest)
    judged = read_json(workspace.verdicts(run) / "manifest.json", Manifest)
    for manifest in (judged, executed):
        suite = str(manifest.parameters.get("suite", suite)) if manifest else suite
    info = RunInfo(run, suite, executed, judged)
    found.runs.append(info)
    found.notes += notes.unfinished(info)
    _load_documents(found, workspace, suite)
    planned, unfilled = _load_cases(found, workspace, info)
    changed = notes.changed_systems(info, files)
    reader = RunReader(found, workspace, info, planned, changed)
    _read(found, reader, files)
    systems = notes.planned_systems(info, sum(map(len, planned.values())) + unfilled)
    found.rows += _missing(reader, systems)
    found.notes += notes.systems_not_there(info, list(reader.seen), systems)
    found.notes += reader.notes()
    found.twice += reader.twice
    found.notes += notes.suite_changed(workspace, info, found, planned)
    found.notes += notes.verdicts_alone(workspace, info)
    found.notes += notes.judged_other_answers(workspace, info, files, changed)


def _read(found: Results, reader: RunReader, files: list[Path]) -> None:
    """All files, and then one error with the faults of all of them."""
    faults: list[str] = []
    with _without_collection():
        for path in files:
            try:
                found.rows += reader.file_rows(path)
            except DataError as error:
                faults += error.faults
    count = len(faults)
    if count > MAX_FAULTS:
        faults[MAX_FAULTS:] = ["further faults not listed"]
    if faults:
        raise DataError(f"{count} line(s) do not hold what they should; mend or delete them", faults)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Python looks for cycles while objects are made; rows have none, and looking takes up to a quarter of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _load_documents(found: Results, workspace: Workspace, suite: str) -> None:
    for row in iter_rows(workspace.documents_file(suite), DocumentRow):
        if isinstance(row, Document):
            found.documents[suite, row.id] = row


def _load_cases(found: Results, workspace: Workspace, info: RunInfo) -> tuple[dict[str, dict[str, Case]], int]:
    """Cases that the run planned, by document and id, and how many more could not be made."""
    planned: dict[str, dict[str, Case]] = {}
    total = 0
    for folder, document in notes.case_files(info):
        unfilled = 0
        for row in iter_rows(notes.cases_file(workspace, info.suite, folder, document), CaseRow):
            if isinstance(row, Case):
                planned.setdefault(document, {})[row.id] = row
                found.cases[info.suite, row.id] = row
            else:
                unfilled += 1
        found.unfilled[info.suite, f"{folder}/{document}"] = unfilled
        total += unfilled
    return planned, total


def _missing(reader: RunReader, systems: Iterable[tuple[str, str]]) -> Iterator[Result]:
    """A row for every planned case and system that has no answer on disk."""
    for system in dict.fromkeys((*reader.seen, *systems)):
        answered = reader.seen.get(system, set())
        for cases in reader.planned.values():
            for case in cases.values():
                if (case.technique, case.id) not in answered:
                    yield reader.missing(case, system)
