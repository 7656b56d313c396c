"""Labels are of the answer that people read, and not of another one in its place."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from ragtester.cli import app
from ragtester.errors import DataError, UsageError
from ragtester.records import CalibrationResult
from ragtester.settings import Settings
from ragtester.stages import calibration
from ragtester.stages.calibration.document import calibration_document
from ragtester.stages.calibration.labels import read_labels
from ragtester.stages.calibration.texts import folded
from ragtester.storage import append_row, read_json
from ragtester.tables.csv_files import defused
from ragtester.workspace import Workspace
from tests.stability_fakes import VaryingJudge
from tests.test_stage_judge import answer, run, workspace

HOSTILE = '=HYPERLINK("http://x")\r\n  six\tyears\x1b[31m'


def judged(root: Path, texts: list[str]) -> Workspace:
    space = workspace(root, [answer(n, text) for n, text in enumerate(texts)])
    run(space, VaryingJudge({text: ["tttt"] for text in texts}), Settings())  # type: ignore[arg-type]
    return space


def executed_anew(space: Workspace, texts: list[str]) -> None:
    """Other answers under the same cases and system, and judged."""
    rows = [answer(n, text) for n, text in enumerate(texts)]
    path = space.answers_file("main", rows[0].llm, rows[0].embedding, "d1")
    path.unlink()
    for row in rows:
        append_row(path, row)
    run(space, VaryingJudge({text: ["tttt"] for text in texts}), Settings(), overwrite=True)  # type: ignore[arg-type]


def labelled_sheet(space: Workspace, path: Path) -> list[dict[str, str]]:
    """Writes a sheet and passes all its answers."""
    calibration.write_sheet(space, Settings(), path, None, 7)
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
    saved(path, [row | {"label": "pass"} for row in rows])
    return rows


def saved(path: Path, rows: list[dict[str, str]], mark: str = ",") -> None:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), delimiter=mark, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(b"\xef\xbb\xbf" + out.getvalue().encode("utf-8"))


def said(result: CalibrationResult) -> str:
    parts = (part for section in calibration_document(result).sections for part in section.parts)
    return " ".join(part.text for part in parts if hasattr(part, "text"))


def test_a_label_of_an_answer_that_is_gone_does_not_count_and_is_named(tmp_path: Path) -> None:
    space, path = judged(tmp_path, ["Six years.", "Ten years.", "Two days."]), tmp_path / "sheet.csv"
    labelled_sheet(space, path)
    before = calibration.run(space, Settings(), path)
    assert (before.answers, before.other_answer) == (3, ())
    assert "another answer" not in said(before)

    executed_anew(space, ["Six years.", "Nine years.", "Two days."])
    after = calibration.run(space, Settings(), path)
    assert (after.labels, after.answers, after.overall.tn) == (3, 2, 2)
    (name,) = after.other_answer
    assert name.endswith(": c1 (embedded:eager × embedded:hashing)") and name.startswith("line ")
    assert after.unmatched == after.ungraded == after.tied == ()
    assert sum(after.unlabelled.values()) == 1, "the new answer has no label"
    folder = space.audits("main") / "calibration"
    assert "c1," in (folder / "to_label.csv").read_text(encoding="utf-8")
    assert read_json(folder / "result.json", CalibrationResult) == after
    assert f"1 label(s) are of another answer than the run now holds: {name}. They do not count" in said(after)
    shown = CliRunner().invoke(app, ["audit", "calibrate", "-w", str(tmp_path), "--labels", str(path)]).stdout
    assert "1 label(s) are of another answer than the run now holds" in " ".join(shown.split())


def test_the_first_three_are_named_and_nothing_left_is_refused_with_the_count(tmp_path: Path) -> None:
    space, path = judged(tmp_path, [f"Old {n}" for n in range(6)]), tmp_path / "sheet.csv"
    labelled_sheet(space, path)
    executed_anew(space, ["Old 0", *(f"New {n}" for n in range(1, 6))])
    result = calibration.run(space, Settings(), path)
    assert len(result.other_answer) == 5
    assert f"{'; '.join(result.other_answer[:3])}; and 2 more in result.json." in said(result)
    assert result.other_answer[3] not in said(result)
    executed_anew(space, [f"New {n}" for n in range(6)])
    with pytest.raises(UsageError, match="6 are of another answer than the run now holds"):
        calibration.run(space, Settings(), path)


def test_without_the_column_nothing_can_be_noticed(tmp_path: Path) -> None:
    space, path = judged(tmp_path, ["Six years.", "Ten years."]), tmp_path / "labels.csv"
    path.write_text("case_id,label\nc0,pass\nc1,pass\n", encoding="utf-8")
    executed_anew(space, ["Six years.", "Nine years."])
    assert calibration.run(space, Settings(), path).answers == 2


@pytest.mark.parametrize(
    "changed",
    [
        lambda text: text,
        lambda text: text.removeprefix("'"),
        lambda text: text.replace("  ", "\r\n"),
        lambda text: f" {text} \n",
        lambda text: text.replace(" ", "\u00a0"),
    ],
)
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_what_a_spreadsheet_does_to_an_answer_makes_no_other_one(
    tmp_path: Path, changed: Callable[[str], str], mark: str
) -> None:
    space, path = judged(tmp_path, [HOSTILE, "- one\n- two"]), tmp_path / "sheet.csv"
    rows = labelled_sheet(space, path)
    assert sum(row["answer"].startswith("'") for row in rows) == 2
    saved(path, [row | {"label": "pass", "answer": changed(row["answer"])} for row in rows], mark)
    result = calibration.run(space, Settings(), path)
    assert (result.answers, result.other_answer) == (2, ())


@given(st.text(max_size=30))
@settings(max_examples=200, deadline=None)
def test_an_answer_is_itself_after_a_sheet_and_again(text: str) -> None:
    assert folded(text) == folded(defused(text)) == folded(folded(text)) == folded(f"\r\n{text}\t")


@pytest.mark.parametrize(
    ("one", "other"), [("=1+1", "=1+2"), ("-5", "5"), ("a b", "ab"), ("", "-"), ("Ja", "ja"), ("'tis", "tis")]
)
def test_other_texts_are_other_answers(one: str, other: str) -> None:
    assert folded(one) != folded(other)


def test_people_of_the_old_and_of_the_new_answer_do_not_contradict_each_other(tmp_path: Path) -> None:
    space, path = judged(tmp_path, ["Old"]), tmp_path / "labels.jsonl"
    executed_anew(space, ["New"])
    rows: list[dict[str, object]] = [
        {"case_id": "c0", "label": "fail", "annotator": "ann", "answer": "Old"},
        {"case_id": "c0", "label": "pass", "annotator": "ann", "answer": " New\r\n"},
        {"case_id": "c0", "label": "pass", "annotator": "bob", "answer": None},
        {"case_id": "c0", "label": "pass", "annotator": "cy"},
        {"case_id": "c0", "label": "pass", "annotator": "dee", "answer": ""},
        {"case_id": "c0", "label": "", "annotator": "eve", "answer": "Old"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    result = calibration.run(space, Settings(), path)
    assert result.annotators == ("ann", "bob", "cy"), "an empty text is that of an empty answer, none is not given"
    assert [name.partition(":")[0] for name in result.other_answer] == ["line 1", "line 5"]
    assert (result.labels, result.blank, result.overall.tn) == (5, 1, 1)
    path.write_text('{"case_id": "c0", "label": "pass", "answer": ["New"]}\n', encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_labels(path)
    assert "answer is no text" in caught.value.faults[0]
