"""What stands on the answers of a target: every audit, the estimate, the doctor, the report and the exports."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ragtester import Project
from ragtester.errors import UsageError
from ragtester.estimate import estimate_run
from ragtester.interchange import ExportOptions
from ragtester.models.targets.reading import FIELDS, USUAL
from ragtester.progress import StageResult
from ragtester.records import AnswerClaims, AnswerCoverage, AuditedQuery, Case, Evidence, RetrievalResult
from ragtester.settings import TargetSettings, parse_settings
from ragtester.storage import read_json, read_rows, write_rows
from tests.execute_fakes import World
from tests.servers.rag_app import RagServer
from tests.target_world import FILE

DOCS = Path(__file__).parents[1] / "docs" / "targets.md"
TELLS_ALL = """
import re
def ask(question):
    word = re.search(r"has the (\\w+) of", question)[1]
    marks = ["pump", "valve", "oil", "filter", "pressure", "bolt", "cable", "fuse"].index(word) + 3
    own = f"the {word} has {marks} marks and the {word} is checked each year."
    texts = [own, "the bolt has 8 marks"] if word != "oil" else ["the bolt has 8 marks"]
    return {"answer": f"The {word} has {marks} marks.", "cited": ["0"],
            "chunks": [{"id": str(i), "text": text, "score": 1 - i / 10} for i, text in enumerate(texts)]}
"""
TELLS_NOTHING = 'def ask(question): return "The pump has 3 marks."\n'


def project(root: Path, code: str, *overrides: str) -> Project:
    """A project of one toy document with four cases (the fourth must be refused), executed and judged."""
    World(root, documents=1, cases=4)
    (root / FILE).write_text(code, encoding="utf-8")
    made = Project(root, ['target.name="python:app:ask"', *overrides])
    assert made.execute().ledger.ok == 4
    made.judge()
    return made


def queries(root: Path) -> list[AuditedQuery]:
    return read_rows(root / "verdicts" / "main" / "retrieval" / "queries.jsonl", AuditedQuery)


def test_retrieval_by_what_was_returned(tmp_path: Path) -> None:
    made = project(tmp_path, TELLS_ALL)
    result: StageResult = made.audit_retrieval()
    assert result.exit_code == 0
    pump, valve, oil, fuse = queries(tmp_path)
    # Gold: the returned sentence over the evidence; of the oil, whose sentence is not returned, the evidence itself.
    assert [(one.status, one.missed, one.metrics and one.metrics.recall) for one in (pump, valve, oil, fuse)] == [
        ("measured", False, 1.0),
        ("measured", False, 1.0),
        ("measured", True, 0.0),
        ("no_gold", None, None),
    ]
    assert pump.gold[0].arms == {"target": 1} and pump.gold[0].context == 1
    assert oil.diagnosis and oil.diagnosis.stage == "retrieve" and "application's index" in oil.diagnosis.fix
    assert "another system's index is not looked at" in oil.diagnosis.seen
    assert {"ingestion", "parse", "chunk", "embed/index"} <= set(oil.diagnosis.unchecked)
    assert fuse.diagnosis and fuse.diagnosis.cause == "not_refused"
    audited = read_json(tmp_path / "verdicts/main/retrieval/result.json", RetrievalResult)
    assert audited and any(note.endswith("An application that returns more shows more.") for note in audited.notes)
    assert not any("fetch_k" in note for note in audited.notes)
    configuration = json.loads((tmp_path / "verdicts/main/retrieval/configuration.json").read_text(encoding="utf-8"))
    assert configuration["target"]["name"] == "python:app:ask" and "k" not in configuration


def test_evidence_of_another_query_is_no_gold_that_could_be_returned(tmp_path: Path) -> None:
    World(tmp_path, documents=1, cases=3)
    path = tmp_path / "generated/main/ragtester/manual-0.jsonl"
    cases: list[Case] = read_rows(path, Case)
    # The oil's evidence, which nothing returned holds alone, lies within the sentence that the pump's case gets.
    start = cases[0].evidence[0].start
    write_rows(path, [cases[0], cases[2].model_copy(update={"evidence": (Evidence(start=start + 4, end=start + 8),)})])
    (tmp_path / FILE).write_text(TELLS_ALL, encoding="utf-8")
    made = Project(tmp_path, ['target.name="python:app:ask"'])
    made.execute()
    made.judge()
    made.audit_retrieval()
    pump = queries(tmp_path)[0]
    assert len(pump.gold) == 1 and pump.metrics and pump.metrics.recall == 1.0


def test_what_an_application_says_it_leaves_out_is_no_silent_exclusion(tmp_path: Path) -> None:
    silent, telling = tmp_path / "silent", tmp_path / "telling"
    for root in (silent, telling):
        root.mkdir()
    project(silent, TELLS_ALL).audit_coverage()
    code = TELLS_ALL.replace('"cited": ["0"]', '"cited": ["0"], "left_out": {"1": "it is of the bolt"}')
    project(telling, code).audit_coverage()

    def stated(root: Path) -> set[tuple[str, str]]:
        rows: list[AnswerCoverage] = read_rows(root / "verdicts/main/coverage/answers.jsonl", AnswerCoverage)
        return {(one.reason, one.by) for row in rows for one in row.excluded}

    assert stated(silent) == {("", "")}
    assert stated(telling) == {("it is of the bolt", "answer")}
    said = (silent / "verdicts/main/coverage/result.md").read_text(encoding="utf-8").replace("\\", "")
    assert "[target] left_out reads reasons from the application's replies" in said
    assert "surface_conflicts" not in said


def test_without_chunks_nothing_is_said_of_retrieval_claims_and_coverage(tmp_path: Path) -> None:
    made = project(tmp_path, TELLS_NOTHING)
    result = made.audit_retrieval()
    assert (result.ledger.planned, result.ledger.failed, result.exit_code) == (4, 4, 3)
    assert {one.failure.type for one in queries(tmp_path) if one.failure} == {"not_revealed"}
    found = read_json(tmp_path / "verdicts/main/retrieval/result.json", RetrievalResult)
    assert found and found.notes[0].startswith("Unfinished, and in no figure: 4 of 4 queries")
    assert "the target reveals no chunks" in found.notes[0]
    assert made.audit_claims().ledger.failed == 4
    claims: list[AnswerClaims] = read_rows(tmp_path / "verdicts/main/claims/answers.jsonl", AnswerClaims)
    assert {(one.status, one.failure.type if one.failure else "") for one in claims} == {("failed", "not_revealed")}
    made.audit_coverage()
    covered: list[AnswerCoverage] = read_rows(tmp_path / "verdicts/main/coverage/answers.jsonl", AnswerCoverage)
    assert {one.coverage for one in covered} == {None} and len(covered) == 4


def test_report_comparison_and_exports_hold_the_target(tmp_path: Path) -> None:
    made = project(tmp_path, TELLS_ALL, 'target.model="my-app"')
    page = made.report(junit=tmp_path / "tests.xml", csv=tmp_path / "rows.csv")
    assert page and "my-app" in (tmp_path / "reports/main/report.html").read_text(encoding="utf-8")
    assert "my-app" in (tmp_path / "tests.xml").read_text(encoding="utf-8")
    with (tmp_path / "rows.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["llm"], row["embedding"]) for row in rows} == {("my-app", "target")} and len(rows) == 4
    told = str(made.compare())
    assert "a target searches by itself and cannot be asked without" in told
    made.export_suite(tmp_path / "traces.jsonl", ExportOptions("traces", run="main"))
    traces = [json.loads(line) for line in (tmp_path / "traces.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(traces) == 4 and traces[0]["final_context_ids"]
    made.export_suite(tmp_path / "ragas.jsonl", ExportOptions("ragas", run="main", answers=True))
    first = json.loads((tmp_path / "ragas.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first["response"] == "The pump has 3 marks." and first["retrieved_contexts"][1] == "the bolt has 8 marks"


def test_asked_without_retrieval_or_searched_anew_it_is_refused(tmp_path: Path) -> None:
    made = project(tmp_path, TELLS_ALL)
    with pytest.raises(UsageError, match=r"a target .* searches by itself and cannot be asked without"):
        made.execute(closed_book=True)
    with pytest.raises(UsageError, match="cannot be asked without"):
        Project(tmp_path, ['target.name="python:app:ask"', "execute.closed_book=true"]).execute()
    with pytest.raises(UsageError, match="--search: a target"):
        made.audit_retrieval(search=True)


def test_the_estimate_counts_its_calls(tmp_path: Path) -> None:
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "one.txt").write_text("The pump is checked each year. " * 40, encoding="utf-8")
    (tmp_path / FILE).write_text(TELLS_NOTHING, encoding="utf-8")
    made = Project(tmp_path, ['target.name="python:app:ask"', "cases.per_document=5", "providers.target.concurrency=2"])
    found = estimate_run(made.workspace, made.settings)
    # One document, two techniques, five cases each; nothing is embedded.
    assert [(one.stage, one.model, one.calls, one.cost) for one in found.lines if one.stage.startswith("execute")] == [
        ("execute", "python:app:ask", 10, None)
    ]
    assert found.systems == 1


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        ({"answer": "ABC"}, "an answer of 3 characters; no chunks are revealed"),
        (
            {"answer": "ABC", "cited": [], "chunks": [{"text": "x", "id": "1"}, {"text": "y"}]},
            "an answer of 3 characters, 2 chunk(s) (texts 2, ids 1, scores 0, documents 0), citations",
        ),
        ({"reply": "ABC"}, 'unparseable: no answer at "answer"; the reply has: reply'),
    ],
)
def test_the_doctor_asks_one_question_where_that_is_wanted(tmp_path: Path, answer: Any, detail: str) -> None:
    with RagServer(lambda _: answer) as server:
        made = Project(tmp_path, [f'target.name="{server.host}/ask"'])
        quiet = [one for one in made.doctor() if one.name.startswith("target")]
        assert not server.requests and quiet[0].ok and quiet[0].detail == "is there; --probe asks it one question"
        asked = [one for one in made.doctor(probe=True) if one.name.startswith("target")]
    assert len(server.requests) == 1 and asked[0].detail == detail and asked[0].ok == (detail[:10] == "an answer ")


def test_the_doctor_says_that_nobody_listens(tmp_path: Path) -> None:
    with RagServer() as server:
        host = server.host
    found = [one for one in Project(tmp_path, [f'target.name="{host}/ask"']).doctor() if one.name.startswith("target")]
    assert not found[0].ok and found[0].needed and found[0].detail == "Connection refused"
    missing = [one for one in Project(tmp_path, ['target.name="python:gone:ask"']).doctor() if "gone" in one.name]
    assert not missing[0].ok and "no module gone" in missing[0].detail


def test_the_pages_settings_and_function_work(tmp_path: Path) -> None:
    page = DOCS.read_text(encoding="utf-8")
    blocks = re.findall(r"```toml\n(.*?)```", page, flags=re.DOTALL)
    assert len(blocks) == 4 and all(parse_settings(tomllib.loads(block), "docs") for block in blocks)
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    made = project(tmp_path, code)
    row = next(made.iter_answers())
    assert row.answer == "The log is kept for six years." and row.call and row.trace
    assert row.call.served_model == "gpt-4.1-mini-2025-04-14" and row.trace.index == "2026-11-30"


def test_the_page_names_every_setting_and_every_usual_name() -> None:
    page = DOCS.read_text(encoding="utf-8")
    table = page.partition("## All settings")[2]
    assert [name for name in TargetSettings.model_fields if f"`{name}`" not in table] == []
    usual = page.partition("names are tried in turn:")[2].partition("A chunk may be")[0]
    lines = {line.split("|")[1].strip().strip("`"): line.split("|")[2:] for line in usual.splitlines() if "| `" in line}
    assert set(lines) == set(FIELDS)
    for field, cells in lines.items():
        for kind, cell in zip(("python", "chat", "langchain"), cells, strict=False):
            # Deltas of a stream and objects that are made of names are told in words.
            names = [name for name in USUAL[kind][field] if "delta" not in name and not name.startswith("{")]
            assert [name for name in names if f"`{name}`" not in cell] == [], (field, kind)


def test_text_that_the_user_may_not_see_is_a_leak_wherever_it_was_found(tmp_path: Path) -> None:
    world = World(tmp_path, documents=1, cases=1)
    documents = [one.model_copy(update={"tags": ("tenant:a",)}) for one in world.documents]
    write_rows(world.workspace.documents_file("main"), documents)
    path = world.workspace.cases_file("main", "ragtester", "manual-0")
    case: Case = read_rows(path, Case)[0]
    write_rows(path, [case.model_copy(update={"user_tags": ("tenant:b",)})])
    (tmp_path / FILE).write_text(TELLS_ALL, encoding="utf-8")
    made = Project(tmp_path, ['target.name="python:app:ask"'])
    made.execute()
    (row,) = made.iter_answers()
    assert row.trace and row.trace.hides_evidence and row.trace.user_tags == ("tenant:b",)
    made.judge()
    made.audit_retrieval()
    (query,) = queries(tmp_path)
    assert query.status == "hidden_gold" and query.leaked == row.trace.context_ids
