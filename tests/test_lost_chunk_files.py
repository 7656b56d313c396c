"""A run's chunk files that are lost, emptied or shortened are told, and never read as an index without chunks."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragtester.api import Project
from ragtester.errors import DataError
from ragtester.records import Chunk, Retrieved
from ragtester.storage import read_rows, write_rows
from ragtester.workspace import Workspace
from tests.execute_fakes import World
from tests.retrieval_workspace import RUN, Query, build, chunk_id

TOML = """
[workspace]
suite = "main"

[execute]
run = "main"
k = 2

[[execute.groups]]
llms = ["embedded:rules"]
embeddings = ["embedded:hashing"]
"""
# The context holds the chunks 0 and 1, and the gold is 3: nothing of 2 is named.
QUERIES = (Query("first", 0, (0, 1)), Query("lost", 3, (0, 1), ("fail",)))


def test_a_lost_chunk_file_is_no_index_without_chunks(tmp_path: Path) -> None:
    path = build(tmp_path, QUERIES).chunks_file(RUN, "pump")
    path.unlink()
    with pytest.raises(
        DataError, match=r"pump\.jsonl: the file is gone, with chunks that traces .*run `ragtester execute`"
    ) as it:
        Project(tmp_path).audit_retrieval()
    assert it.value.faults == sorted(f"no chunk {chunk_id('pump', at)}" for at in (0, 1))


@pytest.mark.parametrize(("kept", "missing"), [((), (0, 1)), ((0, 1, 2), (3,)), ((0, 3), (1,))])
def test_a_chunk_file_that_lacks_what_traces_name_is_refused(
    tmp_path: Path, kept: tuple[int, ...], missing: tuple[int, ...]
) -> None:
    path = build(tmp_path, QUERIES).chunks_file(RUN, "pump")
    rows = read_rows(path, Chunk)
    write_rows(path, [rows[at] for at in kept])
    with pytest.raises(DataError, match=r"the file lacks chunks .*delete it and run `ragtester execute`") as it:
        Project(tmp_path).audit_retrieval()
    assert it.value.faults == sorted(f"no chunk {chunk_id('pump', at)}" for at in missing)


def test_chunks_that_no_trace_names_are_not_asked_for(tmp_path: Path) -> None:
    path = build(tmp_path, QUERIES).chunks_file(RUN, "pump")
    rows = read_rows(path, Chunk)
    write_rows(path, [rows[at] for at in (0, 1, 3)])
    assert Project(tmp_path).audit_retrieval().exit_code == 0


def test_hits_of_other_documents_are_asked_for_too(tmp_path: Path) -> None:
    other = Retrieved(id=chunk_id("lamp", 1), rank=1, score=0.9)
    queries = (
        Query("own", 0, (0,), document="lamp"),
        Query("first", 0, (0, 1), changes={"retrieved": (other,), "context_ids": (other.id,)}),
    )
    path = build(tmp_path, queries).chunks_file(RUN, "lamp")
    assert Project(tmp_path).audit_retrieval().exit_code == 0
    rows = read_rows(path, Chunk)
    write_rows(path, [row for row in rows if row.id != other.id])
    with pytest.raises(DataError, match=r"lamp\.jsonl: the file lacks chunks that"):
        Project(tmp_path).audit_retrieval()


def test_an_imported_run_needs_no_chunk_files(tmp_path: Path) -> None:
    changes = {"index": "imported", "retrieved": ()}
    path = build(tmp_path, [Query("first", 0, (1, 0), changes=changes)]).chunks_file(RUN, "pump")
    path.unlink()
    assert Project(tmp_path).audit_retrieval().exit_code == 0


def test_executing_again_writes_the_file_anew_and_keeps_the_answers(tmp_path: Path) -> None:
    World(tmp_path)
    (tmp_path / "ragtester.toml").write_text(TOML, encoding="utf-8")
    project = Project(tmp_path)
    project.execute()
    workspace = Workspace(tmp_path)
    files = sorted(workspace.answers("main").glob("chunks/*.jsonl"))
    before = {path: path.read_bytes() for path in workspace.answers("main").rglob("*.jsonl")}
    files[0].unlink()
    with pytest.raises(DataError, match="the file is gone"):
        project.audit_retrieval()
    project.execute()
    assert {path: path.read_bytes() for path in workspace.answers("main").rglob("*.jsonl")} == before
    project.audit_retrieval()
