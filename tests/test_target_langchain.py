"""A LangChain Runnable as the system under test, through the real execute stage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragtester.records import NO_CHUNKS, Answer
from tests.target_world import TargetWorld

PUMP = "the pump has 3 marks and the pump is checked each year."
HEAD = f"""
from langchain_core.documents import Document
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
T = {PUMP!r}
D = Document(page_content=T, id="a", metadata={{"source": "manual-0.txt", "score": 0.25}})
"""


def told(tmp_path: Path, code: str, **more: Any) -> Answer:
    """The row of the first case."""
    world = TargetWorld(tmp_path, {"name": "langchain:app:chain", **more}, HEAD + code, cases=1)
    world.go()
    return world.rows()[0]


@pytest.mark.parametrize(
    "given",
    [
        "{'answer': 'Three.', 'context': [D]}",
        "{'result': 'Three.', 'source_documents': [D]}",
        "{'answer': AIMessage('Three.'), 'context': [D]}",
        "{'output': AIMessage([{'type': 'text', 'text': 'Thr'}, {'type': 'text', 'text': 'ee.'}]), 'documents': [D]}",
        "{'messages': [AIMessage('No.'), AIMessage('Three.')], 'context': [D]}",
    ],
)
def test_replies_with_their_documents(tmp_path: Path, given: str) -> None:
    row = told(tmp_path, f"chain = RunnableLambda(lambda asked: {given})\n")
    assert row.answer == "Three." and row.trace
    assert [one.score for one in row.trace.retrieved] == [0.25]
    assert row.trace.gold_ids == row.trace.context_ids


@pytest.mark.parametrize(
    ("code", "answer", "served"),
    [
        ("chain = RunnableLambda(lambda asked: asked)", "How many marks has the pump of manual-0, variant 0?", None),
        (
            "chain = RunnableLambda(lambda _: AIMessage('A', response_metadata={'model_name': 'm-2026-01-01'}))",
            "A",
            "m-2026-01-01",
        ),
        ("async def later(asked): return 'Later.'\nchain = RunnableLambda(later)", "Later.", None),
    ],
)
def test_replies_without(tmp_path: Path, code: str, answer: str, served: str | None) -> None:
    row = told(tmp_path, code)
    assert row.answer == answer and row.trace and row.trace.notes == (NO_CHUNKS,)
    assert row.call and row.call.served_model == served


def test_the_question_under_a_key_with_the_tags_beside_it_and_in_the_configuration(tmp_path: Path) -> None:
    code = """
def answer(asked, config):
    return f"{sorted(asked)} {asked['query']} {asked['tags']} {config['configurable']['tags']}"
chain = RunnableLambda(answer)
"""
    row = told(tmp_path, code, input="query")
    assert row.answer == "['query', 'tags'] How many marks has the pump of manual-0, variant 0? [] []"


def test_what_hangs_or_raises_costs_its_question_only(tmp_path: Path) -> None:
    code = """
import threading
def answer(asked):
    if "valve" in asked:
        threading.Event().wait()
    if "oil" in asked:
        raise KeyError("index")
    return "Answered."
chain = RunnableLambda(answer)
"""
    target = {"name": "langchain:app:chain"}
    world = TargetWorld(tmp_path, target, HEAD + code)
    world.set(target, providers={"target": {"timeout_seconds": 0.5, "retries": 0}})
    world.go()
    failures = [row.failure for row in world.rows()]
    assert [one.type if one else "" for one in failures] == ["", "timeout", "raised", ""]
    assert failures[2] and failures[2].message == "it raised KeyError: 'index'"
