"""A sheet of answers for people to label: drawn at random, without the judge's verdict."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from random import Random

from ragtester.errors import UsageError
from ragtester.judgement import Judge, wanted_of
from ragtester.records import Answer
from ragtester.results import Result, load_results
from ragtester.runs import answer_files
from ragtester.settings import Settings
from ragtester.stages.calibration.texts import Place, place_of
from ragtester.stages.judge_inputs import Lookup
from ragtester.statistics import sample_size, stratified_sample
from ragtester.storage import iter_rows, write_text
from ragtester.tables.csv_files import defused
from ragtester.workspace import Workspace

COLUMNS = ("case_id", "llm", "embedding", "question", "expected_answer", "answer", "label", "annotator")


def write_sheet(workspace: Workspace, settings: Settings, path: Path, size: int | None, seed: int) -> int:
    """Write graded answers of the run to a CSV file with an empty label column; gives their number.

    `size` None is Cochran's size for 95 % and 5 %. The draw is in proportion to system, technique, case type and
    verdict, so that the figures of the labels are those of the run; the order is shuffled, and nothing in the file
    tells what the judge said. Raises UsageError where the file exists (it may hold labels) or nothing is judged,
    DataError where the suite was made anew and no longer holds a case.
    """
    if path.exists():
        raise UsageError(f"{path}: exists already and may hold labels; name another file")
    name = settings.execute.run
    loaded = load_results(workspace, [name], settings.workspace.suite)
    rows = [row for row in loaded.open_book if row.run == name and row.graded]
    if not rows:
        raise UsageError(f"run {name}: no answer has a verdict; run `ragtester judge` first")
    wanted = sample_size(len(rows)) if size is None else size
    drawn = stratified_sample(rows, _stratum, wanted, seed, key=lambda row: repr(place_of(row)))
    Random(f"sheet {seed}").shuffle(drawn)  # noqa: S311 - no secret
    info = loaded.runs[0]
    judge = Judge.of(info.judged) if info.judged else None
    refusals = judge.refusals if judge else settings.execute.refusals
    texts = _texts(Lookup(workspace, info.suite, name), {place_of(row) for row in drawn}, refusals)
    write_text(path, [_csv(drawn, texts)])
    return len(drawn)


def _stratum(row: Result) -> tuple[str, ...]:
    return row.llm, row.embedding, row.technique, row.type, row.status


def _texts(lookup: Lookup, wanted: set[Place], refusals: tuple[str, ...]) -> dict[Place, tuple[str, str, str]]:
    """Question, expected answer and answer of each."""
    found = {}
    for path in answer_files(lookup.workspace, lookup.run)[0]:
        for answer in iter_rows(path, Answer):
            if place_of(answer) in wanted:
                case = lookup.case(answer)
                found[place_of(answer)] = (case.question, wanted_of(answer, case, refusals).expected, answer.answer)
    return found


def _csv(drawn: list[Result], texts: dict[Place, tuple[str, str, str]]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in drawn:
        cells = (row.case_id, row.llm, row.embedding, *texts[place_of(row)], "", "")
        writer.writerow([defused(cell) for cell in cells])
    return out.getvalue()
