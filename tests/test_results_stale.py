"""Verdicts that were given for another answer than stands there now count as missing, one by one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragtester import Project
from ragtester.judgement import verdict_key
from ragtester.records import Answer
from ragtester.results import Results, load_results
from tests.test_cli import TEXT

OTHER = "judged for another answer"


SMALL = ["cases.per_document=4"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("judged")
    (root / "corpora").mkdir()
    (root / "corpora" / "boiler.md").write_text(TEXT, encoding="utf-8")
    Project(root, SMALL).run()
    return root


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Project:
    return Project(shutil.copytree(made, tmp_path / "ws"), SMALL)


def change(project: Project, pattern: str, edit: Callable[[dict[str, Any]], dict[str, Any]]) -> str:
    """Edit the first answered row of the first file that fits; gives its case."""
    path = min(project.workspace.answers("main").glob(pattern))
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    place = next(number for number, row in enumerate(rows) if row["outcome"] == "answered")
    rows[place] = edit(rows[place])
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(rows[place]["case_id"])


def stale(found: Results) -> list[tuple[str, tuple[str, str]]]:
    return [(row.case_id, row.system) for row in found.rows if (row.status, row.reason) == ("missing", OTHER)]


@pytest.mark.parametrize(
    "edit",
    [
        lambda row: {**row, "answer": row["answer"] + " Or so."},
        lambda row: {**row, "trace": {**row["trace"], "context_ids": row["trace"]["context_ids"][1:]}},
        lambda row: {**row, "key": "of another execution"},
    ],
    ids=["text", "context", "key"],
)
def test_the_one_verdict_of_a_changed_answer_is_missing(project: Project, edit: Callable[..., dict[str, Any]]) -> None:
    before = {(row.case_id, row.system): row for row in load_results(project.workspace, ["main"]).rows}
    case = change(project, "*rules*__*hash*/boiler.jsonl", edit)
    found = load_results(project.workspace, ["main"])
    assert stale(found) == [(case, ("embedded:rules", "embedded:hashing"))]
    for row in found.rows:
        if row.reason != OTHER:
            assert row == before[row.case_id, row.system]
        else:
            assert (row.ratings, row.mean, row.judge, row.graded) == (None, None, "", False)
    assert any("1 verdict(s) were given for another answer" in note for note in found.notes)
    project.judge(overwrite=True)
    assert load_results(project.workspace, ["main"]).notes == []


def test_keys_are_computed_only_where_answers_changed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counting(answer: Answer, *rest: Any) -> str:
        asked.append(f"{answer.llm} {answer.embedding}")
        return verdict_key(answer, *rest)

    monkeypatch.setattr("ragtester.results.answers.verdict_key", counting)
    rows = load_results(project.workspace, ["main"]).rows
    assert asked == []
    change(project, "*eager*__*word*/boiler.jsonl", lambda row: {**row, "answer": "Something else."})
    load_results(project.workspace, ["main"])
    assert set(asked) == {"embedded:eager embedded:wordllama"}
    assert len(asked) == len(rows) / 4


def test_verdicts_of_another_judge_are_not_measured_by_this_ones_key(project: Project) -> None:
    change(project, "*rules*__*hash*/boiler.jsonl", lambda row: {**row, "answer": "Something else."})
    for path in project.workspace.verdicts("main").glob("*/boiler.jsonl"):
        path.write_text(path.read_text(encoding="utf-8").replace("embedded:judge", "promptfoo"), encoding="utf-8")
    found = load_results(project.workspace, ["main"])
    assert stale(found) == []
    assert any("are not those that were judged" in note for note in found.notes)


def test_a_judgement_with_repeats_has_keys_of_its_own(project: Project) -> None:
    thrice = Project(project.workspace.root, [*SMALL, "judge.repeats=3"])
    thrice.judge(overwrite=True)
    case = change(project, "*rules*__*hash*/boiler.jsonl", lambda row: {**row, "answer": "Something else."})
    assert stale(load_results(project.workspace, ["main"])) == [(case, ("embedded:rules", "embedded:hashing"))]
