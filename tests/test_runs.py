"""A corpus and a matrix that change between two runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragtester import Project
from ragtester.errors import ChangedInputsError, RagtesterError
from ragtester.runs import answer_files, verdict_files
from tests.test_cli import TEXT

SMALL = ["cases.per_document=3", "cases.technique=ragtester"]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "boiler.md").write_text(TEXT, encoding="utf-8")
    (tmp_path / "corpora" / "kettle.md").write_text(TEXT.replace("boiler", "kettle"), encoding="utf-8")
    Project(tmp_path, SMALL).run()
    return tmp_path


def test_a_document_that_leaves_takes_its_answers_out_of_the_run(workspace: Path) -> None:
    (workspace / "corpora" / "kettle.md").unlink()
    with pytest.raises(ChangedInputsError, match="kettle"):
        Project(workspace, SMALL).run()
    project = Project(workspace, SMALL)
    results = project.run(overwrite=True)
    current, left = answer_files(project.workspace, "main")
    assert {path.stem for path in current} == {"boiler"}
    assert {path.stem for path in left} == {"kettle"}
    assert {verdict.document_id for verdict in project.iter_verdicts()} == {"boiler"}
    assert results[-1].ledger.planned == sum(1 for _ in project.iter_answers())


def test_a_system_that_leaves_the_matrix_is_kept_and_not_judged(workspace: Path) -> None:
    one = 'execute.groups=[{llms=["embedded:rules"],embeddings=["embedded:hashing"]}]'
    before = {path: path.read_bytes() for path in workspace.glob("answers/main/*__*/*.jsonl")}
    project = Project(workspace, [*SMALL, one])
    project.run()
    assert {(row.llm, row.embedding) for row in project.iter_verdicts()} == {("embedded:rules", "embedded:hashing")}
    assert {path: path.read_bytes() for path in before} == before
    assert len(verdict_files(project.workspace, "main")) == 2


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("judge.model=foo:bar", "foo"),
        ("judge.model=openai:gpt-4.1-nano", "OPENAI_API_KEY"),
        ("cases.model=openai:gpt-4.1-nano", "OPENAI_API_KEY"),
        ("judge.model=anthropic:claude-x", "pip install langchain-anthropic"),
        ('execute.groups=[{llms=["embedded:rules"],embeddings=["embedded:worllama"]}]', "embedded:wordllama"),
    ],
)
def test_a_model_that_cannot_work_is_named_before_anything_is_made(tmp_path: Path, override: str, words: str) -> None:
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "boiler.md").write_text(TEXT, encoding="utf-8")
    with pytest.raises(RagtesterError, match=words) as caught:
        Project(tmp_path, [*SMALL, override]).run()
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "generated").exists()


def test_a_run_without_a_single_case_ends_with_its_ledgers(tmp_path: Path) -> None:
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "empty.md").write_text("# Nothing\n\nOh well.\n", encoding="utf-8")
    results = Project(tmp_path, [*SMALL, "cases.shares={complexity=1, rejection=0, coverage=0}"]).run()
    assert [result.stage for result in results] == ["documents", "cases", "execute"]
    assert results[1].ledger.unfilled == 3


def test_the_python_functions_mirror_the_commands(tmp_path: Path) -> None:
    import ragtester

    ragtester.write_workspace(tmp_path)
    (tmp_path / "corpora" / "boiler.md").write_text(TEXT, encoding="utf-8")
    project = Project(tmp_path, SMALL)
    assert (project.estimate().cases, project.estimate().systems) == (3, 4)
    assert all(finding.ok for finding in project.doctor() if finding.needed)
    assert set(ragtester.__all__) <= set(dir(ragtester))
    assert all(getattr(ragtester, name) is not None for name in ragtester.__all__)
