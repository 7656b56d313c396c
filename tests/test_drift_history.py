"""Runs over time: figures, breaches, strips, files, plots, and the command."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from ragtester.api import Project
from ragtester.cli import app
from ragtester.errors import UsageError
from ragtester.plots.drift import figures, questions
from ragtester.records import DriftHistory, DriftResult, HistoryFigure, Manifest
from ragtester.settings import load_settings
from ragtester.stages.drift import ASCII, history_document, read_history
from ragtester.storage import read_json, write_json
from ragtester.tables.markdown import markdown
from ragtester.workspace import Workspace
from tests.drift_runs import Asked, Made, write_run

SIX = tuple(
    Asked(f"q{n}", document="pump" if n < 3 else "ramp", claims=(5, 0, 0), recall=1.0, seconds=1.0) for n in range(6)
)
MONTHS = ("january", "february", "march", "april")


def failing(*numbers: int) -> list[Asked]:
    return [
        replace(one, status="fail", text="41 bar", claims=(5, 1, 1)) if n in numbers else one
        for n, one in enumerate(SIX)
    ]


def started(month: int) -> str:
    return f"2026-{month:02}-01T10:00:00Z"


@pytest.fixture
def four(tmp_path: Path) -> Workspace:
    """None fails, then q1, the same, then two others; the second run lacks a question, the last is another model."""
    for month, asked in enumerate((failing(), failing(1)[:5], failing(1), failing(2, 3)), start=1):
        llm = "openai:n-2026-04-01" if month == 4 else "openai:m-2025-01-01"
        write_run(tmp_path, MONTHS[month - 1], asked, Made(llm=llm, served=llm, started=started(month)))
    return Workspace(tmp_path)


def history(workspace: Workspace, runs: Sequence[str] = ()) -> DriftHistory:
    return read_history(workspace, load_settings(workspace.root), runs).history


def figure(found: DriftHistory, run: str, name: str) -> HistoryFigure:
    own = next(one for one in found.runs if one.run == run)
    return next(one for one in own.figures if one.name == name)


def test_every_figure_of_four_runs(four: Workspace) -> None:
    found = history(four)
    assert [run.run for run in found.runs] == list(MONTHS)
    assert [run.answers for run in found.runs] == [6, 5, 6, 6]
    assert [run.pairs for run in found.runs] == [0, 5, 5, 6]
    rates = [figure(found, month, "pass_rate") for month in MONTHS]
    assert [(one.value, one.n) for one in rates] == [
        (1.0, 6),
        (0.8, 5),
        (pytest.approx(5 / 6), 6),
        (pytest.approx(4 / 6), 6),
    ]
    claims = [figure(found, month, "unsupported") for month in MONTHS]
    assert [(one.value, one.n) for one in claims] == [
        (0.0, 30),
        (0.04, 25),
        (pytest.approx(1 / 30), 30),
        (pytest.approx(2 / 30), 30),
    ]
    assert all(
        one.low is not None and one.high is not None and one.low <= (one.value or 0) <= one.high for one in rates
    )
    assert figure(found, "january", "pass_rate").change is None


def test_changes_are_since_the_run_before(four: Workspace) -> None:
    found = history(four)
    change = figure(found, "february", "contradicted").change
    # 1 of 25 against 0 of 25 over the five questions that both have: four points, past two.
    assert change is not None
    assert (change.before_n, change.after_n) == (25, 25)
    assert change.difference == pytest.approx(0.04)
    assert change.breach
    assert [run.breached for run in found.runs] == [False, True, False, True]
    assert found.breached
    assert found.runs[1].only_before == 1
    assert found.runs[3].explanation.startswith("Rule out first: ")
    assert found.runs[3].causes == ("the model was openai:m-2025-01-01 and is openai:n-2026-04-01",)


def test_only_the_newest_run_decides(four: Workspace) -> None:
    assert not history(four, ["march", "january", "february"]).breached


def test_strips_of_the_questions_that_flipped(four: Workspace) -> None:
    found = history(four)
    told = [(strip.case_id, "".join(ASCII[mark] for mark in strip.marks), strip.flips) for strip in found.strips]
    # By hand: q1 fails in February and March; q2 and q3 in April alone; the others never.
    assert told == [("q1", "+xx+", 2), ("q2", "+++x", 1), ("q3", "+++x", 1)]
    # A new model goes on with the strips of the one whose place it took.
    assert {strip.system for strip in found.strips} == {"openai:n-2026-04-01 × embedded:hashing"}


def test_a_question_that_was_not_asked_leaves_a_gap(four: Workspace) -> None:
    every = read_history(four, load_settings(four.root)).strips
    marks = {strip.case_id: "".join(ASCII[mark] for mark in strip.marks) for strip in every}
    assert marks == {"q0": "++++", "q1": "+xx+", "q2": "+++x", "q3": "+++x", "q4": "++++", "q5": "+.++"}


def test_the_document_draws_the_strips_with_either_marks(four: Workspace) -> None:
    found = history(four)
    assert "✓✗✗✓" in markdown(history_document(found))
    plain = markdown(history_document(found, marks=ASCII))
    assert "+xx+" in plain.replace("\\", "")
    assert "✓" not in plain
    rows = history_document(found).table("pass_rate").rows
    assert [row[0] for row in rows] == list(MONTHS)
    assert [row[-1] for row in history_document(found).table("contradicted").rows] == ["", "DRIFT", "", "DRIFT"]


def test_repeats_controls_experiments_and_other_suites_are_left_out(four: Workspace) -> None:
    for name, suite in (
        ("march.repeat-2", "suite"),
        ("march.closed-book", "suite"),
        ("march.conflicts", "suite"),
        ("tried", "suite"),
        ("other", "another"),
    ):
        write_run(four.root, name, SIX, Made(suite=suite))
    write_run(four.root, "empty", [replace(one, status=None) for one in SIX])
    plan = Manifest(stage="experiment", name="sweep", parameters={"runs": ["tried"]}, seed=1, started=started(1))
    write_json(four.experiment("sweep") / "manifest.json", plan)
    found = history(four)
    assert [run.run for run in found.runs] == list(MONTHS)
    assert found.left_out == {
        "empty": "it holds no answers",
        "march.closed-book": "a closed-book control",
        "march.conflicts": "the run under the instruction to surface contradicting evidence",
        "march.repeat-2": "a repeat of march",
        "other": "of the suite another",
        "tried": "made by the experiment sweep",
    }


def test_repeats_make_the_noise_of_a_history(four: Workspace) -> None:
    write_run(four.root, "february.repeat-2", failing(1, 2)[:5], Made(started=started(2)))
    change = figure(history(four), "february", "contradicted").change
    # The repeat has 2 of 25 contradicted, the run 1 of 25: a change of four points is no more than that.
    assert change is not None
    assert change.band == pytest.approx(0.04)
    assert (change.within_noise, change.breach) == (True, False)


def test_runs_of_different_suites_are_refused(four: Workspace) -> None:
    write_run(four.root, "other", SIX, Made(suite="another"))
    with pytest.raises(
        UsageError, match="runs of different suites have no question in common: january of suite, other of another"
    ):
        history(four, ["january", "other"])


def test_no_run_at_all(tmp_path: Path) -> None:
    (tmp_path / "answers").mkdir()
    with pytest.raises(UsageError, match="no run of the suite main"):
        history(Workspace(tmp_path))


def test_one_run_is_a_history_without_a_change(four: Workspace) -> None:
    found = history(four, ["april"])
    assert not found.breached
    assert "the only run" in markdown(history_document(found))


def test_runs_without_a_common_question_are_set_beside_each_other(four: Workspace) -> None:
    write_run(four.root, "may", [Asked("z")], Made(started=started(5)))
    found = history(four)
    assert found.runs[-1].notes[0].startswith("april and may have no answer to a common question")
    assert all(one.change is None for one in found.runs[-1].figures)


# Files


def test_the_files_of_a_history(four: Workspace) -> None:
    project = Project(four.root)
    found = project.drift_history()
    folder = four.drift_history("suite")
    assert sorted(path.name for path in folder.iterdir()) == [
        "figures.png",
        "figures.svg",
        "history.csv",
        "history.json",
        "history.md",
        "questions.png",
        "questions.svg",
    ]
    assert read_json(folder / "history.json", DriftHistory) == found
    with (folder / "history.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["case_id"] for row in rows] == ["q1", "q2", "q3", "q0", "q4", "q5"]
    assert [rows[0][month] for month in MONTHS] == ["pass", "fail", "fail", "pass"]
    assert rows[5]["february"] == "missing"


def test_the_files_of_two_runs_are_the_same_bytes_twice(four: Workspace) -> None:
    project = Project(four.root)
    result = project.drift("march", "april")
    folder = four.drift("march", "april")
    assert read_json(folder / "result.json", DriftResult) == result
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    project.drift("march", "april")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first
    assert {"result.json", "result.md", "history.csv", "figures.svg", "questions.png"} <= set(first)


def test_questions_are_hostile_text(tmp_path: Path) -> None:
    hostile = "=cmd|' /C calc'!A0\x1b[31m<script>"
    write_run(tmp_path, "a", [Asked("q", question=hostile), Asked("r")])
    write_run(tmp_path, "b", [Asked("q", question=hostile, status="fail"), Asked("r")])
    Project(tmp_path).drift("a", "b")
    folder = Workspace(tmp_path).drift("a", "b")
    assert "<script>" not in (folder / "result.md").read_text(encoding="utf-8")
    table = (folder / "history.csv").read_text(encoding="utf-8")
    assert "\x1b" not in table
    assert "'=cmd" in table


# Plots


def test_a_line_for_each_figure_and_a_ring_for_each_breach(four: Workspace) -> None:
    drawn = figures(history(four))
    panels = {axes.get_title(loc="left"): axes for axes in drawn.axes if axes.axison}
    assert list(panels) == [
        "Claims, % of those sent",
        "Pass rate, % of graded answers",
        "Retrieval",
        "Latency, seconds an answer",
    ]
    rate = panels["Pass rate, % of graded answers"].lines[0]
    assert np.asarray(rate.get_ydata()).tolist() == pytest.approx([100, 80, 100 * 5 / 6, 100 * 4 / 6])
    # Days since the first run: January has 31, February 28, March 31.
    assert np.asarray(rate.get_xdata()).tolist() == pytest.approx([0, 31, 59, 90])
    rings = [line for line in panels["Claims, % of those sent"].lines if line.get_markersize() == 10]
    assert sum(np.asarray(line.get_xdata()).size for line in rings) == 2


def test_dates_that_lie_too_close_are_drawn_apart(tmp_path: Path) -> None:
    for name, when in (("a", "2026-01-01T10:00:00Z"), ("b", "2026-01-01T10:05:00Z"), ("c", "2026-03-01T10:00:00Z")):
        write_run(tmp_path, name, SIX, Made(started=when))
    drawn = figures(history(Workspace(tmp_path)))
    assert np.asarray(drawn.axes[0].lines[0].get_xdata()).tolist() == [0, 1, 2]
    assert "equally far apart" in " ".join(text.get_text() for text in drawn.texts) + drawn.get_supxlabel()


def test_many_runs_stand_by_number(tmp_path: Path) -> None:
    for number in range(1, 8):
        write_run(tmp_path, f"run-{number}", failing(number % 2), Made(started=started(number)))
    found = history(Workspace(tmp_path))
    for drawn in (figures(found), questions(found)):
        assert [label.get_text() for label in drawn.axes[0].get_xticklabels()] == list("1234567")
        assert "1: run-1 2026-01-01, 2: run-2 2026-02-01" in " ".join(drawn.get_supxlabel().split())


def test_the_map_has_a_cell_a_run_and_question(four: Workspace) -> None:
    axes = questions(history(four)).axes[0]
    assert len(axes.patches) == 3 * 4
    assert [label.get_text() for label in axes.get_yticklabels()] == ["q1", "q2", "q3"]


def test_rows_of_the_map_are_named_on_as_many_lines_as_they_have_room_for(tmp_path: Path) -> None:
    long = [replace(one, case=f"operating-rules-of-the-cable-car/ragtester/complexity-{one.case}") for one in SIX]
    write_run(tmp_path, "a", long)
    write_run(tmp_path, "b", [replace(one, status="fail") for one in long])
    found = history(Workspace(tmp_path))
    systems = ("embedded:eager × embedded:wordllama", "embedded:rules × embedded:wordllama")
    rows = tuple(strip.model_copy(update={"system": system}) for strip in found.strips for system in systems)
    labels = questions(found.model_copy(update={"strips": rows})).axes[0].get_yticklabels()
    texts = [label.get_text() for label in labels]
    assert len(set(texts)) == 12
    assert not any("\n" in text for text in texts)


def test_a_history_says_what_could_not_be_pinned(tmp_path: Path) -> None:
    for month, name in enumerate(("a", "b"), start=1):
        write_run(tmp_path, name, SIX, Made(llm="openai:gpt-latest", started=started(month)))
    said = markdown(history_document(history(Workspace(tmp_path))))
    assert "passed no threshold since a; openai:gpt-latest being a floating alias, that is a timestamp (2026-02" in said
    assert "openai:gpt-latest is a floating alias: it may mean another model tomorrow" in said


def test_a_history_without_flips_says_so(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_run(tmp_path, name, SIX)
    axes = questions(history(Workspace(tmp_path))).axes[0]
    assert "No question changed its verdict" in axes.texts[0].get_text()


# The command


@pytest.fixture
def no_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plots take a second each; they have tests of their own."""
    monkeypatch.setattr("ragtester.plots.drift.export_drift", lambda *_: [])


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["drift", *arguments], env={**os.environ, "COLUMNS": "160"})
    return done.exit_code, done.output


def test_the_command_leaves_with_one_past_a_threshold(four: Workspace, no_plots: None) -> None:
    code, output = run("march", "april", "-w", str(four.root))
    assert code == 1
    assert "Drift from march to april" in output
    assert "Drift: contradicted claims +3.3 points, allowed is 2.0 points." in output
    assert run("february", "march", "-w", str(four.root))[0] == 0
    assert run("march", "april", "-w", str(four.root), "--set", "drift.contradicted=0.05")[0] == 0


def test_the_command_over_time(four: Workspace, no_plots: None) -> None:
    code, output = run("--history", "-w", str(four.root))
    assert code == 1
    assert "Drift of suite suite over 4 runs" in output
    assert "✓✗✗✓" in output
    assert run("--history", "january", "march", "-w", str(four.root))[0] == 1
    assert run("--history", "february", "march", "-w", str(four.root))[0] == 0


def test_the_command_as_json(four: Workspace, no_plots: None) -> None:
    code, output = run("march", "april", "-w", str(four.root), "--json")
    assert code == 1
    assert json.loads(output)["after"] == "april"
    assert len(json.loads(run("--history", "--json", "-w", str(four.root))[1])["runs"]) == 4


@pytest.mark.parametrize("arguments", [(), ("one",), ("one", "two", "three")])
def test_the_command_wants_two_runs(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    code, output = run(*arguments, "-w", str(tmp_path))
    assert code == 2
    assert "name two runs" in output
