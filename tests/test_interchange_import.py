"""Imported cases and answers stand in the files that the other stages read."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from ragtester import storage
from ragtester.api import Project
from ragtester.errors import ChangedInputsError, DataError, UsageError
from ragtester.interchange import ExportOptions, ImportOptions
from ragtester.progress import SilentProgress
from ragtester.records import Answer, Case, Chunk, Document, DocumentRow, Manifest, Verdict
from ragtester.results import load_results
from ragtester.searching.suite import open_suite
from ragtester.settings import Settings, parse_settings
from ragtester.stages.cases.reading import read
from ragtester.storage import read_json, read_rows, write_json, write_rows
from ragtester.workspace import Workspace
from tests.interchange_suite import DATA, FERRY, case, cases_of, make_suite

KNOWN = [case("How many passengers fit on the Alma?", "At most 120.", 48, 82)]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_suite(tmp_path, KNOWN)


def project(workspace: Workspace) -> Project:
    return Project(workspace.root)


def plain(path: Path, *rows: str, header: str = "question,expected_answer,document,contexts") -> Path:
    path.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    return path


def manifest(path: Path) -> Manifest:
    found = read_json(path / "manifest.json", Manifest)
    assert found is not None
    return found


def executable(workspace: Workspace, technique: str = "all") -> dict[str, list[Case]]:
    """The suite as execute reads and checks it."""
    settings: Settings = parse_settings({"execute": {"technique": technique}}, "test")
    return {share.document.id: share.cases for share in open_suite(workspace, settings).check()}


def test_a_ragas_testset_is_executed_without_change(workspace: Workspace) -> None:
    result = project(workspace).import_suite(DATA / "ragas_testset.csv")
    cases = cases_of(workspace, "main", "ragas")
    first, second = (one for one in cases if one.document_id == "ferry")
    assert [(span.start, span.end, span.pages) for span in first.evidence] == [(0, 81, (1, 2))]
    assert [(span.start, span.end) for span in second.evidence] == [(83, 136), (137, 180)]
    assert (second.type, second.subtype) == ("baseline", "multi_hop_specific_query_synthesizer")
    assert (second.language, second.style, second.model) == ("en", "WEB_SEARCH_LIKE", "imported:ragas")
    # "bicycle" and "fare" of the stems bicycl, fare, last, ferri: three of four stand in the evidence.
    assert second.lexical_overlap == 0.75
    # The third context is in no document: one is made of it.
    made = [row for row in read_rows(workspace.documents_file("main"), DocumentRow) if row.format == "imported"]
    assert [(row.id, row.path, row.language) for row in made] == [("imported-ragas", "imported-ragas.txt", "fr")]
    text = workspace.text_file("main", "imported-ragas").read_text(encoding="utf-8")
    assert text == "On achète les billets « Été » au kiosque, l'après-midi."
    found = executable(workspace)
    assert [len(found[name]) for name in ("ferry", "shed-rules", "imported-ragas")] == [3, 0, 1]
    assert len(executable(workspace, "ragas")["ferry"]) == 2
    told = manifest(workspace.suite("main") / "ragas")
    assert told.ledger is not None
    assert (told.stage, told.ledger.planned, told.ledger.ok) == ("import", 3, 3)
    assert told.counts["dropped"] == {"persona_name": 3, "query_length": 3}
    assert result.counts["made_documents"] == ["imported-ragas"]


def test_the_same_file_again_changes_nothing_and_another_file_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    def rows() -> dict[str, bytes]:
        folder = workspace.suite("main")
        return {str(path): path.read_bytes() for path in folder.rglob("*") if path.suffix in (".jsonl", ".txt")}

    project(workspace).import_suite(DATA / "ragas_testset.csv")
    before = rows()
    project(workspace).import_suite(DATA / "ragas_testset.csv")
    assert rows() == before
    with pytest.raises(ChangedInputsError, match=r"the file differ; then ragas_testset.csv, now ragas_0.1_testset.csv"):
        project(workspace).import_suite(DATA / "ragas_0.1_testset.csv")
    assert rows() == before
    project(workspace).import_suite(DATA / "ragas_0.1_testset.csv", ImportOptions(overwrite=True))
    assert [one.type for one in cases_of(workspace, "main", "ragas")] == ["baseline", "rejection"]
    # What the first import made for itself alone is gone with it.
    assert not workspace.text_file("main", "imported-ragas").exists()
    assert sorted(executable(workspace)) == ["ferry", "shed-rules"]


def test_an_import_that_was_killed_is_made_again(workspace: Workspace) -> None:
    project(workspace).import_suite(DATA / "ragas_testset.csv")
    place = workspace.suite("main") / "ragas"
    whole = {path.name: path.read_bytes() for path in place.glob("*.jsonl")}
    write_json(place / "manifest.json", manifest(place).model_copy(update={"ended": None, "ledger": None}))
    (place / "imported-ragas.jsonl").unlink()
    project(workspace).import_suite(DATA / "ragas_testset.csv")
    assert {path.name: path.read_bytes() for path in place.glob("*.jsonl")} == whole
    assert manifest(place).ended is not None


def test_documents_are_known_by_the_names_other_tools_give_them(workspace: Workspace, tmp_path: Path) -> None:
    names = ("ferry", "boats/ferry.pdf", "/home/anna/docs/boats/ferry.pdf", r"C:\docs\ferry.pdf", "ferry.docx")
    rows = [f"q{number},a,{name}," for number, name in enumerate(names)]
    project(workspace).import_suite(plain(tmp_path / "x.csv", *rows))
    assert [one.document_id for one in cases_of(workspace, "main", "csv")] == ["ferry"] * 5


def test_contexts_are_found_up_to_white_space_and_by_likeness_only_where_asked(
    workspace: Workspace, tmp_path: Path
) -> None:
    path = plain(
        tmp_path / "x.csv",
        "q1,a,,It  carries\tat most 120 passengers. Dogs travel",
        "q2,a,ferry,The last ferry leaves at 22.10 on weekday",
        "q3,a,,Keys hang behind the door.",
    )
    result = project(workspace).import_suite(path)
    found = {one.question: (one.document_id, one.evidence) for one in cases_of(workspace, "main", "csv")}
    assert [(span.start, span.end) for span in found["q1"][1]] == [(47, 94)]
    assert FERRY[47:94] == "It carries at most 120 passengers.\n\nDogs travel"
    assert found["q2"] == ("ferry", ())
    assert found["q3"][0] == "shed-rules"
    assert "a context was not found in its document; it is no evidence" in result.counts["notes"]
    project(workspace).import_suite(path, ImportOptions(near=90, technique="near"))
    second = {one.question: one.evidence for one in cases_of(workspace, "main", "near")}["q2"]
    assert FERRY[second[0].start : second[0].end].startswith("The last ferry leaves at 22:10")


def test_a_record_without_document_contexts_or_answer_is_skipped_by_name(workspace: Workspace, tmp_path: Path) -> None:
    path = plain(
        tmp_path / "x.csv", "q1,a,,", "q2,,ferry,", "q3,I don't know,ferry,", "q3,I don't know,ferry,", "q4,a,lost.pdf,"
    )
    result = project(workspace).import_suite(path)
    assert (result.ledger.planned, result.ledger.ok, result.ledger.skipped, result.exit_code) == (5, 1, 4, 3)
    assert result.counts["skipped"] == {
        "its document is not in the suite, and there are no contexts to make one of (--document NAME)": 1,
        "no document is named, and there are no contexts to make one of (--document NAME)": 1,
        "no expected answer: such a case cannot be judged": 1,
        "the same question and answer as an earlier record": 1,
    }
    assert [(one.question, one.type) for one in cases_of(workspace, "main", "csv")] == [("q3", "rejection")]


def test_names_cannot_leave_the_workspace(workspace: Workspace, tmp_path: Path) -> None:
    rows = ['q1,a,../../../../etc/passwd,"Some text."', "q2,a,/etc/hosts,Other text.", "q3,a,..\\..\\x,Third text."]
    project(workspace).import_suite(plain(tmp_path / "x.csv", *rows))
    made = [row for row in read_rows(workspace.documents_file("main"), DocumentRow) if row.format == "imported"]
    assert len(made) == 3
    assert all(isinstance(row, Document) and "/" not in row.id and ".." not in row.path for row in made)
    assert all(workspace.text_file("main", row.id).is_relative_to(workspace.root) for row in made)
    assert {path.parent.parent for path in workspace.root.rglob("imported-*.txt")} == {workspace.suite("main")}
    for technique in ("../x", "ragtester", "texts", "a b", "all", "x/y"):
        with pytest.raises(UsageError, match="technique"):
            project(workspace).import_suite(DATA / "ragas_testset.csv", ImportOptions(technique=technique))


def test_a_file_with_a_fault_leaves_the_suite_as_it_is(workspace: Workspace, tmp_path: Path) -> None:
    before = sorted(path for path in workspace.root.rglob("*") if ".ragtester" not in path.parts)
    faulty = tmp_path / "x.json"
    faulty.write_text(json.dumps([{"input": "q", "expected_output": "a"}, {"expected_output": "a", "input": None}]))
    with pytest.raises(DataError, match="1 fault"):
        project(workspace).import_suite(faulty, ImportOptions(format="deepeval"))
    after = sorted(path for path in workspace.root.rglob("*") if ".ragtester" not in path.parts)
    assert after == sorted([*before, faulty])


def test_results_of_another_system_stand_beside_the_suites_cases(workspace: Workspace) -> None:
    options = ImportOptions(system="acme", document="ferry")
    result = project(workspace).import_suite(DATA / "deepeval_test_run.json", options)
    assert (result.ledger.planned, result.ledger.ok, result.counts["matched"], result.counts["new_cases"]) == (
        3,
        3,
        1,
        2,
    )
    found = load_results(workspace, ["imported-acme"])
    rows = {row.case_id: row for row in found.rows}
    # The first question is that of the suite's own case, which has 1 gold chunk, and it was retrieved.
    assert rows[KNOWN[0].id].status == "pass"
    assert (rows[KNOWN[0].id].gold, rows[KNOWN[0].id].gold_seen) == (1, 1)
    assert {row.judge for row in found.rows} == {"imported:deepeval"}
    assert sorted(row.status for row in found.rows) == ["fail", "pass", "pass"]
    assert {row.system for row in found.rows} == {("acme", "imported")}
    answers = read_rows(workspace.answers_file("imported-acme", "acme", "imported", "ferry"), Answer)
    assert [one.outcome for one in answers] == ["answered", "answered", "abstained"]
    assert answers[0].call is not None
    assert (answers[0].call.cost, answers[0].call.seconds, answers[0].call.prompt_tokens) == (0.0004, 1.25, 210)
    chunks = {one.id: one for one in read_rows(workspace.chunks_file("imported-acme", "ferry"), Chunk)}
    assert answers[0].trace is not None
    # The file has a space where the document has a line break: the chunk is the document's own text.
    assert [chunks[name].text for name in answers[0].trace.context_ids] == [FERRY[:81], FERRY[137:180]]
    assert all(FERRY[one.start : one.end] == one.text for one in chunks.values())
    again = project(workspace).import_suite(DATA / "deepeval_test_run.json", options)
    assert again.counts["matched"] == 3
    assert read_rows(workspace.answers_file("imported-acme", "acme", "imported", "ferry"), Answer) == answers


def test_evidence_that_was_not_retrieved_is_a_gold_chunk_that_was_missed(workspace: Workspace, tmp_path: Path) -> None:
    rows = ['How many passengers fit on the Alma?,120,"[""The last ferry leaves"", ""From nowhere.""]"']
    path = plain(tmp_path / "x.csv", *rows, header="question,answer,retrieved_contexts")
    result = project(workspace).import_suite(path, ImportOptions(system="acme"))
    row = load_results(workspace, ["imported-acme"]).rows[0]
    assert (row.gold, row.gold_seen, row.status, row.reason) == (1, 0, "missing", "not judged")
    assert result.counts["verdicts"] == 0
    chunks = read_rows(workspace.chunks_file("imported-acme", "ferry"), Chunk)
    assert [(one.start, one.end, one.text) for one in chunks] == [
        (137, 158, "The last ferry leaves"),
        (0, 0, "From nowhere."),
        (48, 82, FERRY[48:82]),
    ]


def test_systems_that_a_file_names_itself_and_failed_answers(workspace: Workspace) -> None:
    result = project(workspace).import_suite(DATA / "promptfoo_results.json")
    assert result.counts["systems"] == ["ollama:llama3.2 × imported", "openai:gpt-4.1-mini × imported"]
    assert (result.ledger.ok, result.ledger.failed) == (3, 1)
    found = load_results(workspace, ["imported-promptfoo_results"])
    assert sorted((row.llm, row.status) for row in found.rows) == [
        ("ollama:llama3.2", "fail"),
        ("ollama:llama3.2", "missing"),
        ("openai:gpt-4.1-mini", "pass"),
        ("openai:gpt-4.1-mini", "pass"),
    ]
    with pytest.raises(UsageError, match="holds answers of 2 systems"):
        project(workspace).import_suite(DATA / "promptfoo_results.json", ImportOptions(system="x"))
    with pytest.raises(UsageError, match="holds no answers"):
        project(workspace).import_suite(DATA / "ragas_testset.csv", ImportOptions(system="x"))
    with pytest.raises(UsageError, match="closed-book"):
        project(workspace).import_suite(DATA / "ragas_results.csv", ImportOptions(system="x", embedding="none"))


def test_a_score_grades_where_the_user_says_how(workspace: Workspace) -> None:
    options = ImportOptions(system="rag", passes=("answer_correctness", 0.7))
    result = project(workspace).import_suite(DATA / "ragas_results.csv", options)
    paths = sorted(workspace.verdicts("imported-rag").glob("*/*.jsonl"))
    rows: list[Verdict] = [row for path in paths for row in read_rows(path, Verdict)]
    assert [(row.status, row.mean) for row in rows] == [("pass", 0.91), ("fail", 0.12), ("pass", 0.7)]
    assert rows[0].reasons == {"answer_correctness": "score 0.91", "faithfulness": "score 1"}
    assert result.counts["verdicts"] == 3


def test_verdicts_that_were_paid_for_stay(workspace: Workspace) -> None:
    options = ImportOptions(system="rag", passes=("answer_correctness", 0.7))
    project(workspace).import_suite(DATA / "ragas_results.csv", options)
    place = workspace.verdicts("imported-rag")
    write_json(place / "manifest.json", manifest(place).model_copy(update={"stage": "judge"}))
    path = next(place.glob("*/ferry.jsonl"))
    paid = [row.model_copy(update={"judge": "openai:judge"}) for row in read_rows(path, Verdict)]
    write_rows(path, paid)
    project(workspace).import_suite(DATA / "ragas_results.csv", options)
    assert read_rows(path, Verdict) == paid
    assert manifest(place).stage == "judge"


def test_an_executed_run_is_never_written_over(workspace: Workspace) -> None:
    options = ImportOptions(system="rag", run="main")
    other = Manifest(stage="execute", name="main", seed=7, started="2026-01-01T00:00:00Z")
    write_json(workspace.answers("main") / "manifest.json", other)
    with pytest.raises(UsageError, match="this run was executed, not imported"):
        project(workspace).import_suite(DATA / "ragas_results.csv", options)
    assert not (workspace.suite("main") / "ragas").exists()


@pytest.mark.parametrize("name", ["deepeval", "csv", "ragas", "promptfoo"])
def test_answers_come_back_from_a_run(workspace: Workspace, tmp_path: Path, name: str) -> None:
    project(workspace).import_suite(DATA / "deepeval_test_run.json", ImportOptions(system="acme", document="ferry"))
    out = tmp_path / f"out.{'csv' if name == 'csv' else 'json' if name != 'ragas' else 'jsonl'}"
    found = project(workspace).export_suite(out, ExportOptions(name, run="imported-acme", answers=True))
    assert found.records == 3
    system = "acme" if name == "ragas" else ""
    options = ImportOptions(format=name, system=system, run="back")
    result = project(workspace).import_suite(out, options)
    # Every answer finds its case again, so nothing new is made.
    assert (result.counts["matched"], result.counts["new_cases"]) == (3, 0)
    one, two = (load_results(workspace, [run]).rows for run in ("imported-acme", "back"))
    lost = {"ragas": 3, "promptfoo": 0}.get(name, 0)
    assert [row.status for row in two].count("missing") == lost
    assert [(row.case_id, row.llm, row.outcome) for row in one] == [(row.case_id, row.llm, row.outcome) for row in two]
    if name in ("deepeval", "csv"):
        assert [(row.status, row.gold, row.cost) for row in one] == [(row.status, row.gold, row.cost) for row in two]
        assert "answer: cost" not in found.dropped
    else:
        assert found.dropped["answer: cost"] == 1


def test_a_question_that_several_cases_ask_is_not_guessed(workspace: Workspace, tmp_path: Path) -> None:
    path = plain(tmp_path / "x.csv", "How many passengers fit on the Alma?,At most 120.,ferry,")
    project(workspace).import_suite(path, ImportOptions(technique="other"))
    results = plain(tmp_path / "y.csv", "How many passengers fit on the Alma?,120", header="question,answer")
    result = project(workspace).import_suite(results, ImportOptions(system="acme"))
    assert result.counts["matched"] == 0
    assert any("several cases of the suite ask the same question" in note for note in result.counts["notes"])
    chosen = project(workspace).import_suite(results, ImportOptions(system="acme", technique="other"))
    assert chosen.counts["matched"] == 1


def test_exporting_a_run_of_several_systems_to_ragas_asks_which(workspace: Workspace) -> None:
    project(workspace).import_suite(DATA / "promptfoo_results.json")
    options = ExportOptions("ragas", run="imported-promptfoo_results", answers=True)
    with pytest.raises(UsageError, match=r"choose one with --system \(ollama:llama3.2 × imported, openai"):
        project(workspace).export_suite(None, options)
    found = project(workspace).export_suite(
        None, ExportOptions("ragas", run="imported-promptfoo_results", answers=True, system="ollama:llama3.2")
    )
    assert [json.loads(line)["response"] for line in found.text.splitlines()] == ["About 90.", ""]
    with pytest.raises(UsageError, match="needs a run"):
        project(workspace).export_suite(None, ExportOptions("csv", answers=True))
    with pytest.raises(UsageError, match="no cases of technique x"):
        project(workspace).export_suite(None, ExportOptions("csv", technique="x"))
    with pytest.raises(UsageError, match=r"ragas is written as \.jsonl, \.csv"):
        project(workspace).export_suite(Path("x.yaml"), ExportOptions("ragas"))


def rows_of(workspace: Workspace) -> dict[str, bytes]:
    """Every row and text of the workspace."""
    found = (path for path in workspace.root.rglob("*") if path.suffix in (".jsonl", ".txt"))
    return {str(path.relative_to(workspace.root)): path.read_bytes() for path in found}


class Killed(BaseException):
    """The process ends here."""


def test_killed_at_any_write_the_same_command_makes_the_same_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ImportOptions(system="acme", passes=("answer_correctness", 0.7))
    whole = make_suite(tmp_path / "whole", KNOWN)
    project(whole).import_suite(DATA / "ragas_results.csv", options)
    real, left = storage.write_bytes, 0

    def write(path: Path, parts: Iterable[bytes]) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed
        real(path, parts)

    monkeypatch.setattr(storage, "write_bytes", write)
    writes = 0
    while True:
        workspace = make_again(tmp_path / str(writes), monkeypatch, real)
        monkeypatch.setattr(storage, "write_bytes", write)
        left = writes
        try:
            project(workspace).import_suite(DATA / "ragas_results.csv", options)
        except Killed:
            left = 1000
            project(workspace).import_suite(DATA / "ragas_results.csv", options)
            assert rows_of(workspace) == rows_of(whole), writes
            writes += 1
        else:
            break
    # Texts, documents.jsonl, two case files, chunks, answers and verdicts of two documents, and four manifests.
    assert writes >= 12


def make_again(root: Path, monkeypatch: pytest.MonkeyPatch, real: Any) -> Workspace:
    monkeypatch.setattr(storage, "write_bytes", real)
    return make_suite(root, KNOWN)


def test_a_suite_without_documents_reads_the_corpus_and_keeps_what_was_made(tmp_path: Path) -> None:
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "ferry.txt").write_text(FERRY, encoding="utf-8")
    one = Project(tmp_path)
    one.import_suite(DATA / "ragas_testset.csv")
    cases = cases_of(one.workspace, "main", "ragas")
    assert sorted(row.document_id for row in cases) == ["ferry", "ferry", "imported-ragas"]
    # The stage `cases` reads the corpus anew; the document that is in no corpus stays.
    asyncio.run(read(one.workspace, one.settings, SilentProgress(), None, overwrite=False))
    rows = read_rows(one.workspace.documents_file("main"), DocumentRow)
    assert [row.id for row in rows if isinstance(row, Document)] == ["ferry", "imported-ragas"]
    assert len(executable(one.workspace)["imported-ragas"]) == 1
    # A document that leaves the corpus has imported cases: they are not lost in silence.
    (tmp_path / "corpora" / "ferry.txt").rename(tmp_path / "corpora" / "other.txt")
    with pytest.raises(ChangedInputsError, match=r"1 document\(s\) with cases are no longer in the corpus \(ferry\)"):
        asyncio.run(read(one.workspace, one.settings, SilentProgress(), None, overwrite=False))
    asyncio.run(read(one.workspace, one.settings, SilentProgress(), None, overwrite=True))
    assert sorted(executable(one.workspace)) == ["imported-ragas", "other"]


def test_hostile_names_of_fields_and_files_are_stored_as_one_line(workspace: Workspace, tmp_path: Path) -> None:
    data = [{"input": "q\ud800\x00?", "expected_output": "a", "source_file": "ferry", "\ud800\x1b[31m\nkey": "x"}]
    path = tmp_path / os.fsdecode(b"caf\xe9\n.json")
    path.write_text(json.dumps(data), encoding="utf-8")
    result = project(workspace).import_suite(path)
    assert result.counts["dropped"] == {"[31m key": 1}
    assert cases_of(workspace, "main", "deepeval")[0].question == "q?"
    assert list(manifest(workspace.suite("main") / "deepeval").inputs) == ["caf\\xe9\n.json"]


def test_a_record_without_an_answer_among_results_keeps_its_place(workspace: Workspace, tmp_path: Path) -> None:
    rows = ["q1,a1,ferry,said", "q2,a2,ferry,", "q1,a1,ferry,said again", "q1,a1,ferry,"]
    path = plain(tmp_path / "x.csv", *rows, header="question,expected_answer,document,answer")
    result = project(workspace).import_suite(path, ImportOptions(system="acme"))
    assert (result.ledger.planned, result.ledger.ok, result.ledger.skipped) == (4, 1, 3)
    assert result.counts["skipped"] == {
        "a second answer of the same system to the same question": 1,
        "no answer of the system: its case alone was taken": 2,
    }
    found = load_results(workspace, ["imported-acme"]).rows
    assert [(row.status, row.reason) for row in found] == [("missing", "not judged"), ("missing", "not executed")]
