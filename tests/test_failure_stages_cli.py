"""The stage of failure through the command line: cases, execute, judge, audit, with one fault put in at a time."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ragtester.cli import app
from ragtester.records import AuditedQuery, Case, CaseRow, RetrievalResult, UnfilledCase
from ragtester.storage import read_json, read_rows, write_rows
from ragtester.workspace import Workspace
from tests.fault_corpus import BACKWARDS

# A chunk holds one of these paragraphs: two have more than 120 characters.
TEXTS = {
    "crane": (
        "The crane lifts 18 tonnes over the quay and 12 tonnes over the ship.",
        "Wind above 20 metres a second stops all work with the crane at once.",
        "The driver tests the brake of the hoist twice before the first load of a shift.",
        "The hook is replaced when its throat has widened by more than 10 percent.",
        "The cabin holds a fire blanket, a torch and a rope of 35 metres for escape.",
        "The rails are greased on the first Monday of every month before six.",
    ),
    "pump": (
        "The feed pump runs at 40 bar in normal service and is stopped at 55 bar.",
        "The oil of the gearbox is changed every 600 hours by the fitter on duty.",
        "A blue lamp on the panel shows that the ramp is locked in its upper place.",
        "The spare filter is kept in cabinet 12 beside the eastern stairs of the hall.",
        "Each bolt of the flange is tightened with 85 Nm and checked after one day.",
        "The cooling water must not be warmer than 32 degrees when the pump is started.",
    ),
}
TOML = """
[cases]
per_document = 6
[execute]
k = 6
technique = "baseline"
[[execute.groups]]
llms = ["embedded:rules"]
embeddings = ["embedded:hashing"]
[execute.index]
chunk_size = 120
chunk_overlap = 0
"""
# k is 6, as many as a document has chunks: without a fault all evidence is found.
FAULTS = {
    "cut": ("chunk", "too_long", ("execute.index.chunk_size=50", "execute.k=1")),
    "floor": ("fuse/threshold", "floor", ('execute.retrieval.arms=[{kind="dense",floor=0.999}]',)),
    "filter": ("filter/ACL", "filtered", ('execute.retrieval.filters={format="pdf"}',)),
    "post": (
        "filter/ACL",
        "filtered",
        ('execute.retrieval.filters={format="pdf"}', 'execute.retrieval.filter_mode="post"'),
    ),
    "budget": ("rerank/pack", "budget", ("execute.retrieval.budget=30",)),
}


def command(folder: Path, *arguments: str) -> str:
    done = CliRunner().invoke(app, [*arguments, "-w", str(folder), "-q"], env={"COLUMNS": "400"})
    assert done.exit_code == 0, done.output
    return done.stdout


def run(folder: Path, name: str, *settings: str) -> tuple[list[AuditedQuery], RetrievalResult, str]:
    changes = [part for one in settings for part in ("--set", one)]
    command(folder, "execute", "--run", name, *changes)
    command(folder, "judge", "--run", name)
    return audited(folder, name, "--run", name)


def audited(folder: Path, name: str, *arguments: str) -> tuple[list[AuditedQuery], RetrievalResult, str]:
    printed = command(folder, "audit", "retrieval", *arguments)
    made = Workspace(folder).retrieval_audit(name)
    result = read_json(made / "result.json", RetrievalResult)
    assert result is not None
    return read_rows(made / "queries.jsonl", AuditedQuery), result, printed


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite")
    (folder / "corpora").mkdir()
    for name, lines in TEXTS.items():
        (folder / "corpora" / f"{name}.txt").write_text("\n\n".join(lines), encoding="utf-8")
    (folder / "ragtester.toml").write_text(TOML, encoding="utf-8")
    command(folder, "cases", "--technique", "baseline")
    return folder


@pytest.fixture
def folder(suite: Path, tmp_path: Path) -> Path:
    shutil.copytree(suite, tmp_path, dirs_exist_ok=True)
    return tmp_path


def ask_beside(folder: Path) -> None:
    """Every question has the words of the paragraph after its evidence, and the two first ones of its own."""
    for name, lines in TEXTS.items():
        path = Workspace(folder).cases_file("main", "baseline", name)
        write_rows(path, [_beside(row, lines) for row in read_rows(path, CaseRow)])


def _beside(row: Case | UnfilledCase, lines: tuple[str, ...]) -> Case | UnfilledCase:
    if not isinstance(row, Case):
        return row
    at = "\n\n".join(lines)[: row.evidence[0].start].count("\n\n")
    question = f"{lines[(at + 1) % len(lines)]} {' '.join(lines[at].split()[1:3])}?"
    return row.model_copy(update={"question": question})


def stages(rows: list[AuditedQuery]) -> Counter[tuple[str, str]]:
    return Counter((row.diagnosis.stage, row.diagnosis.cause) for row in rows if row.diagnosis)


def test_without_a_fault_nothing_is_lost(folder: Path) -> None:
    rows, _, printed = run(folder, "plain")
    assert len(rows) >= 10
    assert not [row for row in rows if row.missed]
    assert {stage for stage, _ in stages(rows)} <= {"generate"}
    assert f"whole in {len(rows)}/{len(rows)}" in printed


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_from_traces_and_verdicts(folder: Path, name: str) -> None:
    stage, cause, settings = FAULTS[name]
    rows, result, printed = run(folder, name, *settings)
    missed = [row for row in rows if row.missed]
    assert len(missed) >= 5
    assert set(stages(missed)) == {(stage, cause)}
    assert [row for row in missed if row.failed]
    # The lead sentence, the table and the telling cases say the same.
    assert {one.stage for one in result.stages if one.missed} == {stage}
    (lead,) = result.reading
    assert f"{len(missed)}" in lead
    look_at = {"chunk": "chunker", "fuse/threshold": "floor", "filter/ACL": "filter", "rerank/pack": "the budget"}
    assert look_at[stage] in lead
    assert "Try first: " in printed


def test_wrong_answers_without_labels_have_no_stage_and_are_no_matter_of_generation(folder: Path) -> None:
    path = Workspace(folder).cases_file("main", "baseline", "crane")
    bare = [
        row.model_copy(update={"evidence": ()}) if isinstance(row, Case) else row for row in read_rows(path, CaseRow)
    ]
    write_rows(path, bare)
    rows, result, printed = run(folder, "bare", 'execute.retrieval.arms=[{kind="dense",floor=0.999}]')
    blind = [row for row in rows if row.document_id == "crane" and row.failed]
    assert len(blind) >= 3
    assert not [row for row in blind if row.diagnosis]
    assert all(any("failed without labels" in note for note in row.notes) for row in blind)
    # Nothing reached the contexts, so no claim of any answer is supported.
    assert result.unlabelled.model_dump() == {"failed": len(blind), "traced": len(blind), "supported": 0}
    assert f"at no stage: {len(blind)}; the context supports" in printed
    bucket = Workspace(folder).retrieval_audit("bare") / "not_retrieval.jsonl"
    assert not read_rows(bucket, AuditedQuery)
    command(folder, "report", "bare")
    (page,) = folder.rglob("*.html")
    assert f"at no stage: {len(blind)}; the context supports" in page.read_text(encoding="utf-8")


def test_a_rank_beyond_k_has_two_names_and_one_reading(folder: Path) -> None:
    ask_beside(folder)
    asked, _, _ = run(folder, "few", "execute.k=1")
    deeper, _, _ = run(folder, "deep", "execute.k=1", 'execute.retrieval.arms=[{kind="dense",fetch_k=6}]')
    missed = {row.query_id: row.diagnosis for row in asked if row.missed}
    again = {row.query_id: row.diagnosis for row in deeper if row.missed}
    assert missed
    assert missed.keys() == again.keys()
    for name, first in missed.items():
        second = again[name]
        assert first is not None
        assert second is not None
        assert (first.cause, second.cause) == ("not_in_candidates", "truncated")
        rank = next(row.gold[0].fused for row in deeper if row.query_id == name)
        assert f"true dense rank is {rank} " in first.seen
        # BM25 finds it first, or the rank says what would reach it.
        assert ("Add a bm25 arm" in first.fix) == ("Add a bm25 arm" in second.fix)
        assert "Add a bm25 arm" in first.fix or f"Raise k to at least {rank}, or add a reranker" in second.fix


# Each loses at other steps what the questions beside the point ask for.
MIXED = {
    "reranked": (
        "execute.k=2",
        'execute.index.scope="corpus"',
        'execute.retrieval.arms=[{kind="dense",fetch_k=5,floor=0.2},{kind="bm25",fetch_k=5,weight=2}]',
        'execute.retrieval.filters={path="crane*"}',
        'execute.retrieval.filter_mode="post"',
        'execute.retrieval.rerank="python:backwards:score"',
        "execute.retrieval.rerank_k=4",
        "execute.retrieval.budget=90",
    ),
    "fused": ("execute.k=1", 'execute.retrieval.arms=[{kind="dense",fetch_k=2,floor=0.3},{kind="bm25",fetch_k=1}]'),
}
SEEN = {
    "reranked": {"filter/ACL", "rerank/pack"},
    "fused": {"retrieve", "fuse/threshold"},
}


@pytest.mark.parametrize("name", MIXED)
def test_an_exported_run_is_diagnosed_as_the_run_itself(folder: Path, name: str) -> None:
    ask_beside(folder)
    (folder / "backwards.py").write_text(BACKWARDS, encoding="utf-8")
    rows, _, _ = run(folder, name, *MIXED[name])
    command(folder, "export", "--as", "traces", "--run", name, "-o", str(folder / "traces.jsonl"))
    others, result, _ = audited(folder, "theirs", "--traces", str(folder / "traces.jsonl"), "--run", "theirs")
    told = {row.query_id: row.diagnosis for row in others if row.diagnosis}
    missed = [row for row in rows if row.missed]
    assert {stage for stage, _ in stages(missed)} >= SEEN[name]
    for row in missed:
        theirs = told[row.query_id]
        assert row.diagnosis is not None
        assert (theirs.stage, theirs.cause) == (row.diagnosis.stage, row.diagnosis.cause), row.query_id
    # The index of another system is not looked at: nothing there, and no zero.
    blind = [one.stage for one in result.stages if one.queries is None]
    assert blind == ["ingestion", "parse", "chunk", "embed/index"]
    assert [note for note in result.notes if note.startswith("Not checked")]
