"""`ragtester adversarial` on the embedded engine: from folders to rows, resumed, changed, and by tags."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ragtester import Project
from ragtester.cli import app
from ragtester.errors import ChangedInputsError, DataError
from ragtester.rag.similarity import document_of
from ragtester.records import AdversarialResult, Answer, Case, DocumentRow
from ragtester.storage import read_rows
from tests.adversarial_fixtures import CASE, NEW, OLD, write

ONE_SYSTEM = 'execute.groups=[{llms=["embedded:rules"], embeddings=["embedded:hashing"]}]'
ONE_WORKER = "reading.workers=1"  # more of them take longer to start than these documents to read


def project(root: Path, *overrides: str) -> Project:
    return Project(root, [ONE_SYSTEM, ONE_WORKER, *overrides])


def answers(made: Project, run: str) -> list[Answer]:
    folder = made.workspace.answers(run)
    paths = sorted(path for path in folder.glob("*/*.jsonl") if path.parent.name != "chunks")
    return [row for path in paths for row in read_rows(path, Answer)]


def contents(root: Path) -> dict[str, bytes]:
    """All rows below a workspace; manifests hold times."""
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*.jsonl"))}


def test_folders_become_a_suite_a_run_and_rows(tmp_path: Path) -> None:
    write(tmp_path / "mine")
    write(tmp_path / "mine", {**CASE, "id": "short", "k": 1})
    made = project(tmp_path)
    results = made.adversarial(["mine"])
    assert [result.stage for result in results] == ["execute", "judge", "execute", "judge", "adversarial"]
    assert results[-1].exit_code == 0
    rows = made.adversarial_rows()
    assert [(row.fixture_id, row.set, row.k, row.run) for row in rows] == [
        ("short", "mine", 1, "main.adversarial-mine.k1"),
        ("stale", "mine", 4, "main.adversarial-mine"),
    ]
    # Each fixture has two documents of one chunk: the whole fixture fits into K = 4, and one chunk into K = 1.
    assert {len(one.trace.context_ids) for one in answers(made, "main.adversarial-mine") if one.trace} == {2}
    assert {len(one.trace.context_ids) for one in answers(made, "main.adversarial-mine.k1") if one.trace} == {1}
    full = rows[1]
    assert {full.gold_rank, full.poison_rank} == {1, 2}
    assert full.recall == 1.0
    assert full.poison_first is (full.poison_rank == 1)
    # The engine answers with a sentence as it stands.
    value = "30 days" if full.followed == "gold" else "14 days"
    assert full.said == (value,)
    assert full.verdict == ("pass" if full.followed == "gold" else "fail")
    result = made.adversarial_result()
    assert isinstance(result, AdversarialResult)
    assert result.runs == ("main.adversarial-mine", "main.adversarial-mine.k1")
    assert result.complete
    assert "Fixture by fixture" in (made.workspace.adversarial("main") / "result.md").read_text(encoding="utf-8")


def test_no_fixture_sees_the_documents_of_another(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        write(tmp_path / "mine", {**CASE, "id": name})
    made = project(tmp_path)
    made.adversarial(["mine"])
    documents = {row.id: row.tags for row in read_rows(made.workspace.documents_file("adversarial-mine"), DocumentRow)}
    assert len(documents) == 6
    found = answers(made, "main.adversarial-mine")
    assert len(found) == 3
    for one in found:
        assert one.trace is not None
        seen = {document_of(hit.id) for hit in one.trace.retrieved}
        assert {documents[name] for name in seen} == {one.trace.user_tags}


def test_a_user_sees_only_what_the_tags_allow(tmp_path: Path) -> None:
    tags = {"new": ["tenant:a"], "old": ["tenant:b"]}
    write(tmp_path / "mine", {**CASE, "userTags": ["tenant:a"], "documentTags": tags})
    write(
        tmp_path / "mine",
        {
            **CASE,
            "id": "hidden",
            "userTags": ["tenant:b"],
            "documentTags": tags,
            "mustRefuse": True,
            "relevantIds": ["new"],
        },
    )
    made = project(tmp_path)
    made.adversarial(["mine"])
    hidden, own = made.adversarial_rows()
    assert (own.gold_rank, own.poison_rank, own.followed, own.reading) == (1, None, "gold", "well")
    # The other tenant has nothing but the old text: there is no gold, and following it is the generator's fault.
    assert (hidden.gold_rank, hidden.recall, hidden.poison_rank) == (None, None, 1)
    assert hidden.reading == ("well" if hidden.followed == "abstained" else "reground")


def test_the_same_command_makes_the_same_files_and_asks_nothing_again(tmp_path: Path) -> None:
    write(tmp_path / "mine")
    made = project(tmp_path)
    made.adversarial(["mine"])
    before = contents(tmp_path)
    path = next(made.workspace.answers("main.adversarial-mine").glob("embedded-*/*.jsonl"))
    stamp = path.stat().st_mtime_ns
    project(tmp_path).adversarial(["mine"])
    assert contents(tmp_path) == before
    assert path.stat().st_mtime_ns == stamp


def test_what_a_kill_left_is_gone_on_with(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / "mine", {**CASE, "id": name})
    made = project(tmp_path)
    made.adversarial(["mine"])
    before = contents(tmp_path)
    first, second = sorted(made.workspace.answers("main.adversarial-mine").glob("embedded-*/*.jsonl"))
    first.write_bytes(first.read_bytes()[:-40])  # a line that was cut short
    second.unlink()
    for path in made.workspace.verdicts("main.adversarial-mine").glob("*/*.jsonl"):
        path.unlink()
    (made.workspace.adversarial("main") / "rows.jsonl").unlink()
    project(tmp_path).adversarial(["mine"])
    assert contents(tmp_path) == before


def test_changed_documents_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    folder = write(tmp_path / "mine")
    made = project(tmp_path)
    made.adversarial(["mine"])
    before = contents(tmp_path)
    (folder / "docs" / "new.md").write_text(NEW.replace("30", "31"), encoding="utf-8")
    (folder / "case.json").write_text(
        json.dumps({**CASE, "expectedAnswer": "31 days", "keywords": []}), encoding="utf-8"
    )
    with pytest.raises(ChangedInputsError, match="changed: stale"):
        made.adversarial(["mine"])
    assert contents(tmp_path) == before
    made.adversarial(["mine"], overwrite=True)
    assert made.adversarial_rows()[0].said in (("31 days",), ("14 days",))


def test_what_must_not_be_said_may_be_mended_without_asking_again(tmp_path: Path) -> None:
    folder = write(tmp_path / "mine", {**CASE, "mustNotContain": ["14 days", "30 months"]})
    made = project(tmp_path)
    made.adversarial(["mine"])
    before = contents(made.workspace.answers("main.adversarial-mine"))
    (folder / "case.json").write_text(
        json.dumps({**CASE, "poisonDocIds": [], "relevantIds": ["new"]}), encoding="utf-8"
    )
    made.adversarial(["mine"])
    assert contents(made.workspace.answers("main.adversarial-mine")) == before
    assert made.adversarial_rows()[0].poison_rank is None


def test_a_hostile_id_stays_in_the_workspace(tmp_path: Path) -> None:
    root = tmp_path / "w"
    hostile = "../../evil $(touch x) <b>|`"
    write(root / "mine", {**CASE, "id": hostile}, name="one")
    made = project(root)
    made.adversarial(["mine"])
    assert [path.name for path in tmp_path.iterdir()] == ["w"]
    assert made.adversarial_rows()[0].fixture_id == hostile
    case_file = next((made.workspace.suite("adversarial-mine") / "adversarial").glob("*.jsonl"))
    (case,) = read_rows(case_file, Case)
    assert all(tag.startswith("fixture:") and " " not in tag for tag in case.user_tags)


def test_a_document_that_cannot_be_read_is_told_with_all_others(tmp_path: Path) -> None:
    folder = write(tmp_path / "mine")
    (folder / "docs" / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    (folder / "docs" / "other.docx").write_bytes(b"PK broken")
    with pytest.raises(DataError) as caught:
        project(tmp_path).adversarial(["mine"])
    assert [fault.partition(":")[0].rpartition("/")[2] for fault in caught.value.faults] == ["broken.pdf", "other.docx"]


def test_a_passage_of_an_html_document_is_looked_for_in_its_text(tmp_path: Path) -> None:
    docs = {"old.md": OLD, "new.html": "<html><body><h1>New</h1><p>Refunds within <b>30</b> days.</p></body></html>"}
    write(tmp_path / "mine", {**CASE, "relevantText": ["Refunds within 30 days."]}, docs)
    write(tmp_path / "other", {**CASE, "id": "x", "relevantText": ["Refunds within 31 days."]}, docs)
    made = project(tmp_path)
    made.adversarial(["mine"])
    assert made.adversarial_rows()[0].recall == 1.0
    with pytest.raises(DataError, match="stands in no relevant document as it was read"):
        made.adversarial(["other"])


def test_failed_rows_leave_with_3_and_are_in_no_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    write(tmp_path / "mine")
    groups = 'execute.groups=[{llms=["openai:gpt-4.1-mini"], embeddings=["embedded:hashing"]}]'
    done = CliRunner().invoke(
        app, ["adversarial", "-w", str(tmp_path), "--fixtures", "mine", "--set", groups, "--set", ONE_WORKER]
    )
    assert done.exit_code == 3
    assert "1 planned = 0 read + 1 failed + 0 skipped" in done.output
    result = Project(tmp_path, [groups]).adversarial_result()
    assert result is not None
    assert (result.whole.failed, result.whole.followed_poison.n) == (1, 0)


def test_the_command_prints_the_reading_and_an_estimate(tmp_path: Path) -> None:
    write(tmp_path / "mine")
    base = ["adversarial", "-w", str(tmp_path), "--fixtures", "mine", "--set", ONE_SYSTEM, "--set", ONE_WORKER]
    done = CliRunner().invoke(app, [*base, "--estimate"])
    assert done.exit_code == 0
    assert "2 document(s), 0 not readable, 1 cases, 1 system(s)" in done.output
    assert not (tmp_path / "generated").exists()
    done = CliRunner().invoke(app, base)
    assert done.exit_code == 0
    assert "What to do" in done.output
    assert "adversarial: 1 planned = 1 read + 0 failed + 0 skipped" in done.output
    done = CliRunner().invoke(app, ["adversarial", "-w", str(tmp_path), "--fixtures", "none"])
    assert done.exit_code == 2 or "no such folder" in str(done.exception)


TARGET = """
def ask(question, tags):
    return {"answer": "Within 14 days.", "chunks": CHUNKS}
"""


@pytest.mark.parametrize(
    ("chunks", "wanted"),
    [
        (
            [{"text": "Refunds of annual plans are possible within 14 days of the payment."}],
            {"recall": 0.0, "gold_rank": None, "poison_rank": 1, "reading": "both"},
        ),
        (
            [
                {"text": "Something of another book altogether."},
                {"text": "Refunds of annual plans are possible within 30 days of the payment."},
            ],
            {"recall": 1.0, "gold_rank": 2, "poison_rank": None, "reading": "reground"},
        ),
        (None, {"recall": None, "gold_rank": None, "poison_rank": None, "reading": "unmeasured"}),
    ],
)
def test_a_target_is_measured_by_the_texts_that_it_reveals(
    tmp_path: Path, chunks: list[dict[str, str]] | None, wanted: dict[str, Any]
) -> None:
    case = {**CASE, "relevantText": ["within 30 days of the payment"]}
    write(tmp_path / "mine", case)
    (tmp_path / f"app_{len(str(chunks))}.py").write_text(TARGET.replace("CHUNKS", repr(chunks)), encoding="utf-8")
    made = Project(tmp_path, [f'target.name="python:app_{len(str(chunks))}:ask"', ONE_WORKER])
    made.adversarial(["mine"])
    (row,) = made.adversarial_rows()
    assert row.followed == "poison"
    assert {name: getattr(row, name) for name in wanted} == wanted
