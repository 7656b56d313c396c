"""Executing one technique of a run that holds others: the technique chooses the work, and no answer is lost by it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from ragtester.errors import ChangedInputsError, DataError, StorageError
from ragtester.provenance import sha256_text
from ragtester.records import Case, CaseRow, Chunk, Failure
from ragtester.results import load_results
from ragtester.settings import parse_settings
from ragtester.storage import read_rows, write_rows, write_text
from tests.execute_fakes import World, full_disk
from tests.test_stage_execute import Stage


def add_technique(world: World, name: str, cases: int = 3) -> None:
    """Cases of another technique, made from the first ones of each document."""
    for document in world.documents:
        rows: list[Case] = read_rows(world.workspace.cases_file("main", "ragtester", document.id), CaseRow)
        made = [
            row.model_copy(update={"id": f"{row.id}-{name}", "technique": name, "question": f"{name}: {row.question}"})
            for row in rows[:cases]
        ]
        write_rows(world.workspace.cases_file("main", name, document.id), made)


def two_techniques(root: Path, **execute: Any) -> Stage:
    """Two documents, two systems; 4 cases a document of `ragtester` (16 answers) and 3 of `baseline` (12 answers)."""
    world = World(root, **execute)
    add_technique(world, "baseline")
    return Stage(world)


def techniques(stage: Stage) -> dict[str, int]:
    rows = stage.rows()
    return {name: sum(row.technique == name for row in rows) for name in sorted({row.technique for row in rows})}


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return two_techniques(tmp_path)


def test_all_then_each_then_all_again_asks_nothing_twice_and_changes_no_byte(stage: Stage) -> None:
    assert stage.go().ledger.ok == 28
    before, inputs = stage.world.files(), stage.manifest().inputs
    for technique, planned in (("baseline", 12), ("ragtester", 16), ("all", 28)):
        stage.world.set(technique=technique)
        result = stage.go()
        assert result.ledger.planned == result.ledger.ok == planned and result.exit_code == 0
        assert result.counts["outcomes"] == {"answered": planned}
        assert stage.world.files() == before
        assert stage.manifest().inputs == inputs
    assert stage.asked() == 28


def test_what_stands_beside_the_work_is_said_and_kept_in_the_manifest(stage: Stage) -> None:
    stage.go()
    stage.world.set(technique="baseline")
    stage.go()
    note = "run main: 16 answer(s) of techniques that are not asked for stay as they are (ragtester 16)"
    assert stage.progress.notes.count(note) == 1
    assert stage.manifest().counts["other_techniques"] == {"planned": 16, "answers": {"ragtester": 16}}
    stage.world.set(technique="all")
    stage.go()
    assert "other_techniques" not in stage.manifest().counts


def test_one_technique_after_the_other_is_the_same_as_all_at_once(stage: Stage, tmp_path: Path) -> None:
    for technique in ("ragtester", "baseline"):
        stage.world.set(technique=technique)
        stage.go()
    whole = two_techniques(tmp_path / "whole")
    whole.go()
    assert stage.world.files() == whole.world.files()
    assert stage.manifest().inputs == whole.manifest().inputs
    assert stage.asked() == 28


def test_a_technique_that_was_never_executed_is_no_part_of_the_run(stage: Stage) -> None:
    stage.world.set(technique="ragtester")
    stage.go()
    assert not [name for name in stage.manifest().inputs if "baseline" in name]
    # Nor is one of which nothing but a plan was made: no call, no answer.
    stage.models.says = lambda *_: Failure(type="budget", message="used up")
    stage.world.set(technique="all")
    stage.go()
    assert [name for name in stage.manifest().inputs if "baseline" in name]
    stage.world.set(technique="ragtester")
    stage.go()
    assert not [name for name in stage.manifest().inputs if "baseline" in name]


def test_an_imported_technique_is_added_to_an_executed_run(stage: Stage) -> None:
    stage.go()
    before = stage.rows()
    add_technique(stage.world, "ragas", cases=1)
    stage.world.set(technique="ragas")
    assert stage.go().ledger.ok == 4 and stage.asked() == 32
    assert [row for row in stage.rows() if row.technique != "ragas"] == before
    found = load_results(stage.world.workspace, ["main"])
    assert len(found.rows) == 32 and not [row for row in found.rows if row.reason == "not executed"]
    assert len(found.cases) == 16 and not [note for note in found.notes if "no answer" in note or "changed" in note]


def test_an_interrupted_technique_stays_in_the_run_with_its_missing_answers(stage: Stage) -> None:
    stage.world.set(technique="ragtester")
    stage.models.says = lambda *_: Failure(type="budget", message="used up") if stage.asked() > 5 else None
    stage.go()
    stage.models.says = None
    stage.world.set(technique="baseline")
    assert stage.go().ledger.ok == 12
    assert techniques(stage) == {"baseline": 12, "ragtester": 5}
    assert stage.manifest().counts["other_techniques"] == {"planned": 16, "answers": {"ragtester": 5}}
    missing = [row for row in load_results(stage.world.workspace, ["main"]).rows if row.reason == "not executed"]
    assert len(missing) == 11 and {row.technique for row in missing} == {"ragtester"}


def test_a_system_without_any_answer_is_still_missed(stage: Stage) -> None:
    stage.go()
    stage.world.set(technique="baseline")
    stage.go()
    shutil.rmtree(stage.world.workspace.answers_file("main", "toy:b", "toy:words", "manual-0").parent)
    missing = [row for row in load_results(stage.world.workspace, ["main"]).rows if row.reason == "not executed"]
    assert len(missing) == 14 and {row.llm for row in missing} == {"toy:b"}


def test_failed_answers_of_other_techniques_are_left_alone(stage: Stage) -> None:
    stage.models.says = lambda *_: Failure(type="timeout", message="so it is")
    stage.go()
    stage.models.says = None
    stage.world.set(technique="baseline", retry_failed=True)
    result = stage.go()
    assert result.ledger.ok == 12 and result.exit_code == 0 and stage.asked() == 28 + 12
    assert {row.technique for row in stage.rows() if row.outcome == "failed"} == {"ragtester"}
    assert len(stage.rows()) == 28


def test_a_changed_k_is_refused_for_the_whole_run_and_overwrite_says_what_it_drops(
    stage: Stage, tmp_path: Path
) -> None:
    stage.go()
    before = stage.world.files()
    stage.world.set(technique="baseline", k=3)
    with pytest.raises(ChangedInputsError, match=r"28 answer row.*k was 2 and is 3.*drops 16 .*ragtester 16") as caught:
        stage.go()
    assert "no longer there" not in str(caught.value)
    assert stage.world.files() == before and stage.asked() == 28
    assert stage.go(overwrite=True).ledger.ok == 12
    assert (
        "run main: 12 answer(s) were made from other inputs and are made again; 16 answer(s) are dropped: 16 of "
        "techniques that are not asked for now, made from other inputs (ragtester 16)"
    ) in stage.progress.notes
    assert techniques(stage) == {"baseline": 12} and stage.asked() == 28 + 12
    stage.world.set(k=3)
    assert stage.go().ledger.ok == 28
    whole = two_techniques(tmp_path / "whole", k=3)
    whole.go()
    assert stage.world.files() == whole.world.files()


def test_overwrite_replaces_only_what_was_made_from_other_inputs(stage: Stage) -> None:
    stage.go()
    data = stage.world.set(technique="baseline").model_dump(mode="json")
    stage.world.settings = parse_settings({**data, "models": {"toy:b": {"temperature": 0.7}}}, "test")
    assert stage.go(overwrite=True).ledger.ok == 12 and stage.asked() == 28 + 6
    kept = [(row.llm, row.technique) for row in stage.rows()]
    assert kept.count(("toy:a", "ragtester")) == 8 and ("toy:b", "ragtester") not in kept
    # Nothing is stale any more: a second time there is nothing to replace.
    before = stage.world.files()
    assert stage.go(overwrite=True).ledger.ok == 12 and stage.asked() == 34 and stage.world.files() == before


@pytest.mark.parametrize("technique", ["ragtester", "all"])
def test_a_technique_that_left_the_suite_is_an_error_and_its_answers_are_counted(stage: Stage, technique: str) -> None:
    stage.go()
    before = stage.world.files()
    shutil.rmtree(stage.world.workspace.cases_file("main", "baseline", "manual-0").parent)
    stage.world.set(technique=technique)
    with pytest.raises(
        ChangedInputsError, match=r"12 answer row.*cases baseline/manual-0 is no longer there.*drops 12"
    ):
        stage.go()
    assert stage.world.files() == before
    assert stage.go(overwrite=True).ledger.ok == 16
    assert "run main: 12 answer(s) are dropped: 12 of cases that left the suite (baseline 12)" in stage.progress.notes
    assert techniques(stage) == {"ragtester": 16} and stage.asked() == 28


def test_a_case_of_another_technique_that_left_its_file_is_an_error(stage: Stage) -> None:
    stage.go()
    path = stage.world.workspace.cases_file("main", "baseline", "manual-1")
    write_rows(path, read_rows(path, CaseRow)[1:])
    stage.world.set(technique="ragtester")
    with pytest.raises(ChangedInputsError, match=r"2 answer row.*cases baseline/manual-1 changed"):
        stage.go()
    stage.go(overwrite=True)
    assert techniques(stage) == {"baseline": 10, "ragtester": 16}
    assert stage.manifest().counts["other_techniques"] == {"planned": 10, "answers": {"baseline": 10}}


def test_only_files_of_techniques_in_the_run_must_be_without_fault(stage: Stage) -> None:
    path = stage.world.workspace.cases_file("main", "baseline", "manual-0")
    whole = path.read_text(encoding="utf-8")
    path.write_text("{\n", encoding="utf-8")
    stage.world.set(technique="ragtester")
    assert stage.go().ledger.ok == 16
    path.write_text(whole, encoding="utf-8")
    stage.world.set(technique="all")
    stage.go()
    path.write_text("{\n", encoding="utf-8")
    stage.world.set(technique="ragtester")
    with pytest.raises(DataError, match="fault"):
        stage.go()
    assert techniques(stage) == {"baseline": 12, "ragtester": 16}


def test_a_lost_manifest_costs_no_answer(stage: Stage) -> None:
    stage.go()
    before, inputs = stage.world.files(), stage.manifest().inputs
    (stage.world.workspace.answers("main") / "manifest.json").unlink()
    stage.world.set(technique="baseline")
    stage.go()
    assert stage.world.files() == before and stage.manifest().inputs == inputs


def test_a_stop_while_a_technique_is_added_loses_nothing(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.world.set(technique="ragtester")
    stage.go()
    full_disk(monkeypatch, 5)
    stage.world.set(technique="baseline")
    with pytest.raises(StorageError):
        stage.go()
    monkeypatch.undo()
    assert techniques(stage) == {"baseline": 5, "ragtester": 16}
    # Going on with the other technique first leaves the five where they are.
    stage.world.set(technique="ragtester")
    stage.go()
    assert techniques(stage) == {"baseline": 5, "ragtester": 16}
    stage.world.set(technique="baseline")
    stage.go()
    whole = two_techniques(tmp_path / "whole")
    whole.go()
    assert stage.world.files() == whole.world.files()
    assert stage.models.served.keys() == whole.models.served.keys()


def test_the_control_without_retrieval_keeps_other_techniques_too(stage: Stage) -> None:
    stage.world.settings = stage.world.settings.control()
    stage.go()
    before = stage.world.files()
    stage.world.settings = stage.world.set(technique="baseline").control()
    assert stage.go().ledger.ok == 12
    assert stage.world.files() == before and stage.asked() == 28


def test_documents_that_k_takes_whole_are_counted_and_told_once(tmp_path: Path) -> None:
    world = World(tmp_path, documents=3, k=3, index={"chunk_size": 330, "chunk_overlap": 20})
    # One document becomes three times as long, so that k takes a part of it.
    long = world.documents[1]
    text = world.workspace.text_file("main", long.id).read_text(encoding="utf-8")
    lengthen(world, long.id, "\n\n".join([text] * 3))
    stage = Stage(world)
    for _ in range(2):
        stage.progress.notes.clear()
        stage.go()
        assert stage.manifest().counts["whole_documents"] == {"documents": 3, "whole": 2}
        assert sum("2 of 3 documents have at most 3 chunks" in note for note in stage.progress.notes) == 1
    for row in stage.rows():
        chunks = read_rows(world.workspace.chunks_file("main", row.document_id), Chunk)
        assert row.trace
        assert (set(row.trace.context_ids) == {one.id for one in chunks}) == (row.document_id != long.id)


def test_no_document_is_taken_whole_where_k_is_small_or_the_store_is_shared(tmp_path: Path) -> None:
    stage = Stage(World(tmp_path))
    stage.go()
    assert stage.manifest().counts["whole_documents"] == {"documents": 2, "whole": 0}
    stage.world.set(run="shared", k=50, index={"chunk_size": 120, "chunk_overlap": 20, "scope": "corpus"})
    counts = stage.go().counts
    assert "whole_documents" not in counts
    assert not [note for note in stage.progress.notes if "whole document" in note]


def lengthen(world: World, document_id: str, text: str) -> None:
    """Give a document of the suite another text, and its cases with it."""
    write_text(world.workspace.text_file("main", document_id), [text])
    world.documents = [
        one.model_copy(update={"text_sha256": sha256_text(text), "characters": len(text)})
        if one.id == document_id
        else one
        for one in world.documents
    ]
    write_rows(world.workspace.documents_file("main"), world.documents)
