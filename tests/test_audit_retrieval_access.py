"""What the retrieval audit says of access rules that were not kept, and of arms and gold of other systems' traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ragtester.api import Project
from ragtester.cli import app
from ragtester.interchange.traces_out import trace_line
from ragtester.progress import SilentProgress
from ragtester.records import AuditedQuery, Case, Document, RetrievalResult, Retrieved, Trace
from ragtester.stages.retrieval.items import Item
from ragtester.storage import read_rows, write_rows
from ragtester.workspace import slug
from tests import builders
from tests.retrieval_workspace import FOUR_IN_TWO, SUITE, Query, build, chunk_id

HIT = Retrieved(id="g", rank=1, score=0.5)
TAGS: dict[str, tuple[str, ...]] = {"secret": ("tenant:acme",)}


def result_of(project: Project) -> RetrievalResult:
    found = project.retrieval_result()
    assert found is not None
    return found


def test_a_leak_of_an_own_run_is_the_first_note(tmp_path: Path) -> None:
    leaking = [
        Query(f"leak{number}", 1, (2, 1), document="secret", changes={"hidden_ids": (chunk_id("secret", 1),)})
        for number in range(4)
    ]
    other = Query("other", 0, (0,), changes={"context_ids": (chunk_id("pump", 0), chunk_id("secret", 3))})
    member = Query("member", 1, (2, 1), document="secret", user_tags=("tenant:acme",))
    build(tmp_path, [*leaking, member, other], tags=TAGS)
    project = Project(tmp_path)
    done = project.audit_retrieval()
    rows = {row.query_id: row for row in read_rows(done.output / "queries.jsonl", AuditedQuery)}
    both = (chunk_id("secret", 2), chunk_id("secret", 1))
    assert {name: row.leaked for name, row in rows.items()} == {
        **dict.fromkeys(("leak0", "leak1", "leak2", "leak3"), both),
        "member": (),
        "other": (chunk_id("secret", 3),),
    }
    found = result_of(project)
    assert (found.access.leaking_queries, found.access.leaked_chunks) == (5, 9)  # four with two chunks, one with one
    told = found.notes[0]
    assert told.startswith("LEAK: ")
    assert "5 queries (9 chunks; leak0, leak1, leak2 and others)" in told
    assert done.exit_code == 0
    report = (done.output / "result.md").read_text(encoding="utf-8")
    assert report.split("## To know when reading this")[1].strip().startswith("LEAK: ")
    assert "LEAK: " in (done.output / "access.md").read_text(encoding="utf-8")


def test_where_rules_are_kept_nothing_is_said(tmp_path: Path) -> None:
    build(tmp_path, FOUR_IN_TWO, tags=TAGS)
    project = Project(tmp_path)
    done = project.audit_retrieval()
    assert not any("LEAK" in path.read_text(encoding="utf-8") for path in done.output.rglob("*.md"))
    assert "leaked" not in (done.output / "queries.jsonl").read_text(encoding="utf-8")
    assert result_of(project).access.leaking_queries == 0


OTHER = {"secret": ("tenant:other",)}


@pytest.mark.parametrize(
    ("tags", "user", "judged"),
    [
        (OTHER, ("tenant:acme",), False),  # the document's tags are others now
        ({}, ("tenant:acme",), False),
        (TAGS, ("tenant:else",), False),  # its user's are
        (TAGS, ("tenant:acme",), True),
    ],
)
def test_a_run_of_other_rules_is_told_and_is_no_leak(
    tmp_path: Path, tags: dict[str, tuple[str, ...]], user: tuple[str, ...], judged: bool
) -> None:
    workspace = build(tmp_path, [Query("member", 1, (2, 1), document="secret", user_tags=("tenant:acme",))], tags=TAGS)
    rows = read_rows(workspace.documents_file(SUITE), Document)
    write_rows(workspace.documents_file(SUITE), [row.model_copy(update={"tags": tags.get(row.id, ())}) for row in rows])
    path = workspace.cases_file(SUITE, "ragtester", "secret")
    write_rows(path, [case.model_copy(update={"user_tags": user}) for case in read_rows(path, Case)])
    project = Project(tmp_path)
    done = project.audit_retrieval()
    found = result_of(project)
    assert found.access.leaking_queries == 0
    assert not any("LEAK" in path.read_text(encoding="utf-8") for path in done.output.rglob("*.md"))
    told = [note for note in found.notes if "rules changed since the run" in note]
    assert [note.endswith("for 1 query (member). Run ragtester execute again.") for note in told] == [True] * (
        not judged
    )


# Another system's traces


def trace(name: str, arms: dict[str, list[str]], **changes: Any) -> dict[str, Any]:
    hits = {
        arm: [{"id": one, "rank": rank, "score": 1 / rank} for rank, one in enumerate(ids, 1)]
        for arm, ids in arms.items()
    }
    known = {
        "query_id": name,
        "query_text": f"What is {name}?",
        "user_acl": ["tenant:acme"],
        "index_revision": "i",
        "embedding_model": "bge-m3",
        "k_final": 2,
        "query_rewrite": None,
        "filters_applied": {},
        "arms": hits,
        "fused": [],
        "after_rerank": [],
        "final_context_ids": ["g"],
        "final_context_chars": 10,
        "gold_ids": ["g"],
        "notes": "",
    }
    return known | changes


def audited(root: Path, lines: list[dict[str, Any]], **options: Any) -> RetrievalResult:
    path = root / "traces.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    project = Project(root, ["execute.run='theirs'"])
    project.audit_retrieval(traces=path, **options)
    return result_of(project)


@pytest.mark.parametrize(
    ("name", "options", "run"),
    [
        ("mine.jsonl", [], "mine"),
        ("my run.jsonl", [], slug("my run")),
        ("mine.jsonl", ["--run", "theirs"], "theirs"),
        ("mine.jsonl", ["--set", "execute.run='set'"], "set"),
    ],
)
def test_traces_replace_no_audit_of_another_run(tmp_path: Path, name: str, options: list[str], run: str) -> None:
    workspace = build(tmp_path, FOUR_IN_TWO, tags=TAGS)
    own = Project(tmp_path).audit_retrieval().output / "result.json"
    before = own.read_bytes()
    (tmp_path / name).write_text(json.dumps(trace("kept", {"dense": ["g"]})) + "\n", encoding="utf-8")
    found = CliRunner().invoke(
        app, ["audit", "retrieval", "-w", str(tmp_path), "--traces", str(tmp_path / name), *options]
    )
    assert found.exit_code == 0, found.output
    assert own.read_bytes() == before
    assert (workspace.retrieval_audit(run) / "result.json").is_file()
    assert (f"The run is {run}, as the file of traces" in found.output) is not bool(options)
    assert "replaces that" not in found.output


def test_a_search_in_the_place_of_an_audit_of_answers_is_told(tmp_path: Path) -> None:
    build(tmp_path, FOUR_IN_TWO, tags=TAGS)
    told = []
    for search in (False, True, True):
        progress = SilentProgress()
        Project(tmp_path, progress=progress).audit_retrieval(search=search)
        told.append([note for note in progress.notes if "replaces that of run run's answers" in note])
    assert list(map(len, told)) == [0, 1, 0]


def test_hidden_gold_in_another_systems_context_is_a_leak(tmp_path: Path) -> None:
    lines = [
        trace("kept", {"dense": ["g"]}, hidden_gold_ids=["h"]),
        trace("leaks", {"dense": ["g", "h"]}, hidden_gold_ids=["h"], final_context_ids=["g", "h"]),
        trace("all", {"dense": ["h"]}, gold_ids=[], hidden_gold_ids=["h"], final_context_ids=["h"]),
    ]
    found = audited(tmp_path, lines)
    assert found.access.leaks == ("leaks", "all")
    assert "2 queries (2 chunks; leaks, all)" in found.notes[0]


def test_an_arm_is_measured_over_the_queries_that_it_was_asked(tmp_path: Path) -> None:
    lines = [
        trace("both", {"dense": ["g"], "bm25": ["x", "g"]}),
        trace("no hit", {"dense": ["x", "g"], "bm25": []}),  # asked, and found nothing
        *(trace(f"dense {number}", {"dense": ["g"]}) for number in range(4)),
    ]
    found = {one.arm: one.found for one in audited(tmp_path, lines).arms}
    assert {arm: (one.successes, one.n) for arm, one in found.items()} == {"dense": (6, 6), "bm25": (1, 2)}


@pytest.mark.parametrize(("labelled", "without"), [(("a", "b"), 0), (("a",), 1)])
def test_labels_give_gold_to_traces_that_name_none(tmp_path: Path, labelled: tuple[str, ...], without: int) -> None:
    lines = [trace(name, {"dense": ["g"]}, gold_ids=[]) for name in ("a", "b")]
    labels = tmp_path / "labels.jsonl"
    labels.write_text(
        "".join(json.dumps({"query_id": name, "gold_ids": ["g"]}) + "\n" for name in labelled), encoding="utf-8"
    )
    told = [note for note in audited(tmp_path, lines, labels=labels).notes if "without gold" in note]
    assert len(told) == without
    assert all("1 query" in note for note in told)
    assert any("2 traces of 2" in note for note in audited(tmp_path, lines).notes)


@pytest.mark.parametrize(
    ("context", "retrieved", "arms"),
    [
        (
            ("g",),
            (Retrieved(id="g", rank=1, score=0.5),),
            {"dense": [{"id": "g", "rank": 1, "score": 0.5}], "bm25": []},
        ),
        ((), (), {"dense": [], "bm25": []}),
        (("g",), (), {}),  # imported: which arms were asked is not known
    ],
)
def test_an_arm_without_hits_goes_out_as_asked(
    context: tuple[str, ...], retrieved: tuple[Retrieved, ...], arms: dict[str, Any]
) -> None:
    trace = Trace(query="q", index="i", embedding="e", k=1, retrieved=retrieved, context_ids=context)
    line = trace_line(Item(0, builders.case("a"), "e", trace), ("dense", "bm25"))
    assert json.loads(line)["arms"] == arms
