"""verdicts/ and people's labels -> audits/<run>/calibration/. Asks no model."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ragtester.errors import UsageError
from ragtester.provenance import sha256_file
from ragtester.records import CalibrationResult
from ragtester.results import Result, load_results
from ragtester.settings import Settings
from ragtester.stages.calibration.binding import RESULT, Oracle, served
from ragtester.stages.calibration.figures import agreement, confusion, grouped
from ragtester.stages.calibration.labels import read_labels
from ragtester.stages.calibration.matching import Matched, match
from ragtester.stages.calibration.texts import answer_texts
from ragtester.stages.calibration.threshold import findings
from ragtester.storage import write_json, write_rows, write_text
from ragtester.tables.csv_files import defused
from ragtester.workspace import Workspace

FOLDS = 5


def run(
    workspace: Workspace, settings: Settings, labels: Path, *, folds: int = FOLDS, seed: int = 7
) -> CalibrationResult:
    """Compare the run's verdicts with the labels in a file and write `audits/<run>/calibration/`.

    Raises UsageError where the run has no verdicts or no label can be used, DataError with every fault of the file.
    """
    if folds < 2:
        raise UsageError(f"{folds} fold(s): cross-validation needs at least 2")
    name = settings.execute.run
    loaded = load_results(workspace, [name], settings.workspace.suite)
    judged = next((info.judged for info in loaded.runs if info.name == name), None)
    rows = [row for row in loaded.open_book if row.run == name]
    if judged is None or not any(row.graded for row in rows):
        raise UsageError(f"run {name}: no answer has a verdict; run `ragtester judge` first")
    given = read_labels(labels)
    told = {one.case_id for one in given if one.answer is not None and one.label}
    found = match(given, rows, labels, answer_texts(workspace, name, told) if told else None)
    if not found.used:
        raise UsageError(f"{labels}: no label can be used with run {name!r}: {_why(found)}")
    oracle = Oracle.of(judged)
    if oracle.served_judge is None:  # the judgement has not ended: the rows know
        oracle = replace(oracle, served_judge=served(workspace, name))
    result = _result(found, oracle, name, labels, folds, seed).model_copy(update={"notes": tuple(loaded.notes)})
    folder = workspace.audits(name) / "calibration"
    write_rows(folder / "labels.jsonl", found.answers)
    write_text(folder / "to_label.csv", [_to_label(found.unlabelled)])
    write_json(folder / RESULT, result)
    return result


def _why(found: Matched) -> str:
    parts = {
        "labels": found.labels,
        "rows without a label": found.blank,
        "match no answer of the run": len(found.unmatched),
        "are of another answer than the run now holds": len(found.other_answer),
        "answers on which people are tied": len(found.tied),
        "answers that have no verdict": len(found.ungraded),
    }
    return ", ".join(f"{count} {what}" for what, count in parts.items())


def _result(found: Matched, oracle: Oracle, name: str, labels: Path, folds: int, seed: int) -> CalibrationResult:
    used = found.used
    alpha, pairs = agreement(found.answers, found.annotators)
    return CalibrationResult(
        run=name,
        judge=oracle.judge,
        served_judge=oracle.served_judge,
        prompt_sha256=oracle.prompt_sha256,
        languages=tuple(sorted({one.language for one in used})),
        pass_mean=oracle.pass_mean,
        repeats=oracle.repeats,
        labels_file=labels.name,
        labels_sha256=sha256_file(labels),
        labels=found.labels,
        blank=found.blank,
        repeated=found.repeated,
        unmatched=tuple(found.unmatched),
        other_answer=tuple(found.other_answer),
        answers=len(used),
        tied=tuple(_name(one.case_id, one.llm, one.embedding) for one in found.tied),
        ungraded=tuple(_name(one.case_id, one.llm, one.embedding) for one in found.ungraded),
        unlabelled=dict(sorted(Counter(f"{row.llm} × {row.embedding}" for row in found.unlabelled).items())),
        annotators=tuple(found.annotators),
        alpha=alpha,
        pairs=pairs,
        overall=confusion("overall", used),
        systems=grouped(used, lambda one: f"{one.llm} × {one.embedding}"),
        types=grouped(used, lambda one: one.type),
        criteria=grouped(used, lambda one: one.criterion),
        threshold=findings(used, oracle.pass_mean, folds, seed),
    )


def _name(case_id: str, llm: str, embedding: str) -> str:
    return f"{case_id} ({llm} × {embedding})"


def _to_label(rows: Iterable[Result]) -> str:
    """The graded answers without a label, in the form that the command reads."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("case_id", "llm", "embedding", "label", "annotator"))
    writer.writerows((defused(row.case_id), defused(row.llm), defused(row.embedding), "", "") for row in rows)
    return out.getvalue()
