"""A Python function as the system under test, through the real execute stage."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragtester.errors import ChangedInputsError, UsageError
from ragtester.records import TARGET
from tests.target_world import FILE, TargetWorld

PUMP = "the pump has 3 marks and the pump is checked each year."
FULL = """
def ask(question, tags):
    if "fuse" in question:
        return {"answer": "I don't know", "chunks": []}
    return {
        "answer": "Three marks.",
        "refuses": False,
        "cited": ["a"],
        "chunks": [
            {"id": "a", "text": "the pump has 3 marks and the pump is checked each year.", "score": 0.9,
             "document": "manual-0.txt"},
            {"id": "b", "text": "Wholly other words, of another book.", "score": 0.5},
        ],
        "about": {"model": "model-2026-01-01", "index": "v7"},
    }
"""


def test_a_target_that_tells_all(tmp_path: Path) -> None:
    world = TargetWorld(tmp_path, {"name": "python:app:ask"}, FULL)
    result = world.go()
    assert (result.ledger.planned, result.ledger.ok, result.exit_code) == (4, 4, 0)
    row = world.rows()[0]
    assert (row.llm, row.embedding, row.outcome, row.answer) == ("python:app:ask", TARGET, "answered", "Three marks.")
    assert row.call and row.call.served_model == "model-2026-01-01" and row.call.attempts == 1
    trace = row.trace
    assert trace and trace.index == "v7" and trace.embedding == TARGET and trace.k == 2
    assert [(one.rank, one.score, one.arm) for one in trace.retrieved] == [(1, 0.9, TARGET), (2, 0.5, TARGET)]
    assert trace.context_ids == tuple(one.id for one in trace.retrieved)
    kept = {one.id: one for one in world.chunks()}
    found = kept[trace.context_ids[0]]
    text = world.workspace.text_file("main", "manual-0").read_text(encoding="utf-8")
    assert found.text == PUMP and text[found.start : found.end] == PUMP
    # The evidence of the first case is "the pump " and so on, within the first chunk.
    assert trace.gold_ids == (found.id,) and row.cited == (found.id,)
    lost = kept[trace.context_ids[1]]
    assert (lost.start, lost.end, lost.text) == (0, 0, "Wholly other words, of another book.")
    assert trace.notes == ("1 of 2 returned texts stand in no document of the suite",)
    manifest = world.manifest()
    assert manifest.models == {"python:app:ask": "model-2026-01-01"} and manifest.prompts == {}
    assert (
        manifest.parameters["target"]["name"] == "python:app:ask" and len(manifest.parameters["target"]["module"]) == 64
    )
