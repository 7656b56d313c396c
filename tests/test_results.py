"""The joined view of a run holds every planned row once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ragtester import Project
from ragtester.errors import UsageError
from ragtester.results import load_results
from tests.test_cli import TEXT

SMALL = ["cases.per_document=4"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "boiler.md").write_text(TEXT, encoding="utf-8")
    project = Project(tmp_path, SMALL)
    project.run()
    return project


def test_every_case_and_system_once(project: Project) -> None:
    found = load_results(project.workspace, ["main"])
    cases = [case for case in project.iter_cases() if case.status == "ok"]
    assert len(found.rows) == len(cases) * 4
    assert len({(row.case_id, row.system) for row in found.rows}) == len(found.rows)
    verdicts = {(row.case_id, row.llm, row.embedding): row for row in project.iter_verdicts()}
    for row in found.rows:
        assert row.status == verdicts[row.case_id, *row.system].status
        assert row.mean == verdicts[row.case_id, *row.system].mean
        assert row.source == "manual"
        assert found.case(row) is not None
    assert found.notes == []
    assert len(found.systems) == 4


def test_rows_that_are_not_on_disk_are_missing_with_a_reason(project: Project) -> None:
    answers = next(project.workspace.root.glob("answers/main/*rules*__*hash*/boiler.jsonl"))
    verdicts = project.workspace.verdicts("main") / answers.parent.name / answers.name
    lines = answers.read_text(encoding="utf-8").splitlines(keepends=True)
    answers.write_text("".join(lines[1:]), encoding="utf-8")
    judged = verdicts.read_text(encoding="utf-8").splitlines(keepends=True)
    verdicts.write_text("".join(judged[:1] + judged[2:]), encoding="utf-8")
    before = len(lines) * 4
    found = load_results(project.workspace, ["main"])
    assert len(found.rows) == before
    missing = [row for row in found.rows if row.status == "missing"]
    assert Counter(row.reason for row in missing) == {"not executed": 1, "not judged": 1}
    assert {row.system for row in missing} == {("embedded:rules", "embedded:hashing")}
    assert not any(row.graded for row in missing)


def test_a_run_without_answers_is_named(project: Project) -> None:
    with pytest.raises(UsageError, match="nowhere: no answers"):
        load_results(project.workspace, ["nowhere"])
