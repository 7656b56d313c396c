"""A Python function as the system under test, through the real execute stage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragtester.console import open_console
from ragtester.errors import ChangedInputsError, DataError, UsageError
from ragtester.records import NO_CHUNKS, NO_CITATIONS, TARGET, Answer, LeftOut
from ragtester.searching.from_target import NO_IDS, NO_SCORES
from ragtester.summary import print_results
from tests.execute_fakes import World
from tests.target_world import FILE, TargetWorld

PUMP = "the pump has 3 marks and the pump is checked each year."
NAME = "python:app:ask"
FULL = """
def ask(question, tags):
    if "filter" in question:
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
        "about": {"model": "model-2026-01-01", "index": "v7", "prompt": 3, "none": None},
    }
"""


def told(tmp_path: Path, code: str, **more: Any) -> Answer:
    """The row of the first case, whose question is "How many marks has the pump of manual-0, variant 0?"."""
    world = TargetWorld(tmp_path, {"name": NAME, **more}, code, cases=1)
    world.go()
    return world.rows()[0]


def test_a_target_that_tells_all(tmp_path: Path) -> None:
    world = TargetWorld(tmp_path, {"name": NAME}, FULL)
    result = world.go()
    assert (result.ledger.planned, result.ledger.ok, result.exit_code) == (4, 4, 0)
    row = world.rows()[0]
    assert (row.llm, row.embedding, row.outcome, row.answer) == (NAME, TARGET, "answered", "Three marks.")
    assert row.call and row.call.served_model == "model-2026-01-01" and row.call.attempts == 1
    trace = row.trace
    assert trace and trace.index == "v7" and trace.embedding == TARGET and trace.k == 2
    assert [(one.rank, one.score, one.arm) for one in trace.retrieved] == [(1, 0.9, TARGET), (2, 0.5, TARGET)]
    assert trace.context_ids == tuple(one.id for one in trace.retrieved)
    kept = {one.id: one for one in world.chunks()}
    found = kept[trace.context_ids[0]]
    text = world.workspace.text_file("main", "manual-0").read_text(encoding="utf-8")
    assert found.text == PUMP and text[found.start : found.end] == PUMP
    # The evidence of the first case begins with "the pump".
    assert trace.gold_ids == (found.id,) and row.cited == (found.id,) and row.unknown_citations == ()
    lost = kept[trace.context_ids[1]]
    assert (lost.start, lost.end, lost.text) == (0, 0, "Wholly other words, of another book.")
    assert trace.notes == (
        "1 of 2 returned texts stand in no document of the suite",
        "the target says of itself: prompt = 3",
    )
    manifest = world.manifest()
    assert manifest.models == {NAME: "model-2026-01-01"} and manifest.prompts == {}
    assert manifest.parameters["target"]["name"] == NAME and len(manifest.parameters["target"]["module"]) == 64
    assert manifest.parameters["groups"] == "not asked: a target"
    # The fourth case must be refused and has no gold; of the second, the evidence stands for what was not returned.
    _, valve, oil, fuse = (one.trace for one in world.rows())
    assert valve and oil and fuse and fuse.gold_ids == ()
    assert kept[valve.gold_ids[0]].text == "the valve " and valve.gold_ids[0] not in valve.context_ids


def test_an_abstention_is_known_by_its_words_where_the_target_does_not_say(tmp_path: Path) -> None:
    row = told(tmp_path, 'def ask(question):\n    return "I don\'t know"\n')
    assert (row.outcome, row.refuses) == ("abstained", True)


@pytest.mark.parametrize(
    "code",
    [
        "def ask(question): return question",
        "def ask(q): return q",
        "def ask(question, tags): return question + '|'.join(tags)",
        "def ask(q, user): return q + '|'.join(user)",
        "def ask(*, question, tags=()): return question + '|'.join(tags)",
        "def ask(**given): return given['question'] if given['tags'] == [] else 'x'",
        "def ask(q, /, depth=4): return q if depth == 4 else 'x'",
        "async def ask(question, tags): return question",
        "class Ask:\n    async def __call__(self, question): return question\nask = Ask()",
        "def ask(question):\n    yield question[:9]\n    yield question[9:]",
        "async def ask(question):\n    for letter in question:\n        yield letter",
        "def ask(question):\n    async def later(): return question\n    return later()",
    ],
)
def test_every_way_to_be_called(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code).answer == "How many marks has the pump of manual-0, variant 0?"


@pytest.mark.parametrize(
    "given",
    [
        "{'answer': 'A', 'chunks': [{'text': T, 'id': 1, 'score': 0.5}]}",
        "Reply('A', [Piece(T, '1', numpy.float32(0.5))])",
        "Named('A', [{'text': T, 'id': '1', 'score': fractions.Fraction(1, 2)}])",
        "Model(answer='A', chunks=[{'text': T, 'id': '1', 'score': 0.5}])",
        "types.SimpleNamespace(answer='A', chunks=({'text': T, 'id': '1', 'score': 0.5},), _private=1)",
    ],
)
def test_every_shape_of_a_reply(tmp_path: Path, given: str) -> None:
    code = f"""
import collections, dataclasses, fractions, types
import numpy, pydantic
T = {PUMP!r}
@dataclasses.dataclass
class Piece:
    text: str
    id: str
    score: object
@dataclasses.dataclass
class Reply:
    answer: str
    chunks: list
class Model(pydantic.BaseModel):
    answer: str
    chunks: list
Named = collections.namedtuple("Named", "answer chunks")
def ask(question):
    return {given}
"""
    row = told(tmp_path, code)
    assert row.answer == "A" and row.trace and row.trace.retrieved[0].score == 0.5
    assert row.trace.notes == (NO_CITATIONS,)


@pytest.mark.parametrize(
    ("given", "notes"),
    [
        ("'A'", (NO_CHUNKS,)),
        ("{'answer': 'A', 'chunks': None}", (NO_CHUNKS,)),
        ("{'answer': 'A', 'chunks': []}", (NO_CITATIONS,)),
        ("{'answer': 'A', 'chunks': [T]}", (NO_IDS, NO_SCORES, NO_CITATIONS)),
        ("{'answer': 'A', 'cited': [], 'chunks': [{'text': T, 'id': 'a', 'score': float('nan')}]}", (NO_SCORES,)),
        ("{'answer': 'A', 'cited': [], 'chunks': [{'text': T, 'score': 2}]}", (NO_IDS,)),
    ],
)
def test_what_is_not_revealed_is_noted(tmp_path: Path, given: str, notes: tuple[str, ...]) -> None:
    row = told(tmp_path, f"T = {PUMP!r}\ndef ask(question): return {given}\n")
    assert row.trace and row.trace.notes == notes and row.trace.reveals_chunks is (notes[0] != NO_CHUNKS)


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ("None", "empty", "the target sent an empty reply"),
        ("{}", "unparseable", 'no answer at "answer"; the reply has: nothing'),
        ("{'text': 'A', 'took': 3}", "unparseable", 'no answer at "answer"; the reply has: text, took'),
        ("{'error': 'no index'}", "unparseable", 'no answer at "answer"; the reply says: no index'),
        ("7", "unparseable", 'no answer at "answer"; the reply is a number'),
        ("{'answer': 7}", "unparseable", 'the answer at "answer" is a number, no text'),
        ("{'answer': ['A']}", "unparseable", 'the answer at "answer" is a list, no text'),
        ("{'answer': ''}", "empty", "the answer is empty, though the reply says that it is none"),
        ("{'answer': 'A', 'chunks': 3}", "unparseable", 'the chunks at "chunks" are a number, no list'),
        ("{'answer': 'A', 'chunks': ['x'] * 1001}", "too_long", "the reply has 1001 chunks; 1000 are the most"),
        ("{'answer': 'A', 'chunks': [{'text': 3}]}", "unparseable", "the text of a chunk is a number, no text"),
        ("{'answer': 'A', 'refuses': 'no'}", "unparseable", '"refuses" is a text, neither true nor false'),
    ],
)
def test_replies_that_cannot_be_used_are_rows(tmp_path: Path, given: str, kind: str, message: str) -> None:
    row = told(tmp_path, f"def ask(question): return {given}\n")
    assert row.outcome == "failed" and row.failure
    assert (row.failure.type, row.failure.message) == (kind, message)


def test_what_the_function_raises_costs_its_question_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_API_KEY", "sk-very-secret-1234")
    code = """
calls = []
def ask(question, tags):
    calls.append(question)
    if "pump" in question:
        raise ValueError("no index for sk-very-secret-1234")
    if "valve" in question:
        raise SystemExit("leaving")
    if "oil" in question:
        raise StopIteration
    if calls.count(question) == 1:
        raise ConnectionResetError("gone")
    return "Answered at the second try."
"""
    world = TargetWorld(tmp_path, {"name": NAME}, code)
    result = world.go()
    rows = world.rows()
    assert [row.failure.type if row.failure else "" for row in rows] == ["raised", "raised", "raised", ""]
    assert rows[0].failure and rows[0].failure.message == "it raised ValueError: no index for [key]"
    assert rows[1].failure and rows[1].failure.message == "it raised RuntimeError: SystemExit"
    assert [row.call.attempts if row.call else 0 for row in rows] == [1, 1, 1, 2]
    assert (result.ledger.ok, result.ledger.failed, result.exit_code) == (1, 3, 3)


def test_each_type_of_failure_is_told_once_with_its_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = """
def ask(question):
    if "pump" in question or "valve" in question:
        return {"anwser": "Three."}
    raise ValueError(f"no index \\x1b[31m {'and so on ' * 99}")
"""
    world = TargetWorld(tmp_path, {"name": NAME}, code)
    result = world.go()
    print_results([result], world.workspace, world.settings, open_console())
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("(failed: 2 raised, 2 unparseable)")
    first = world.rows()[0].case_id
    assert f'  unparseable, as in {first}: no answer at "answer"; the reply has: anwser' in lines
    (raised,) = [line for line in lines if line.startswith("  raised, as in ")]
    assert "it raised ValueError: no index" in raised
    assert "\x1b" not in raised and len(raised) <= 302
    assert lines[3].startswith("execute   -> ")


def test_a_function_that_hangs_is_given_up_and_the_others_are_answered(tmp_path: Path) -> None:
    code = """
import threading
def ask(question):
    if "valve" in question:
        threading.Event().wait()
    return "Answered."
"""
    world = TargetWorld(tmp_path, {"name": NAME}, code)
    world.set({"name": NAME}, providers={"target": {"timeout_seconds": 0.3, "retries": 0}})
    world.go()
    assert [row.failure.type if row.failure else "" for row in world.rows()] == ["", "timeout", "", ""]
    failure = world.rows()[1].failure
    assert failure and "within 0.3 s (mend: [providers.target] timeout_seconds)" in failure.message


def test_functions_run_at_once_up_to_the_limit(tmp_path: Path) -> None:
    code = """
import threading
meet = threading.Barrier(2, timeout=10)
most = running = 0
lock = threading.Lock()
def ask(question):
    global most, running
    with lock:
        running += 1
        most = max(most, running)
    meet.wait()
    with lock:
        running -= 1
    return f"{most} at once"
"""
    world = TargetWorld(tmp_path, {"name": NAME}, code)
    world.set({"name": NAME}, providers={"target": {"concurrency": 2, "retries": 0}})
    world.go()
    # The barrier only opens for two at once, and a third never came in.
    assert {row.answer for row in world.rows()} == {"2 at once"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("python:nowhere:ask", "target.name: no module nowhere: put nowhere.py into"),
        ("python:app:other", "target.name: python:app:other: other is not in it"),
        ("python:app:NUMBER", "NUMBER is no function"),
        ("python:app", "is not of the form python:MODULE:FUNCTION"),
        ("python:app:none", "it is called with (question, tags) or (question)"),
        ("python:app:three", "it is called with (question, tags) or (question)"),
        ("python:broken:ask", "cannot be imported: ZeroDivisionError"),
        ("langchain:app:ask", "is no LangChain Runnable, but function"),
    ],
)
def test_a_target_that_cannot_be_asked_is_refused_before_anything_runs(tmp_path: Path, name: str, message: str) -> None:
    code = "NUMBER = 1\ndef ask(question): return ''\ndef none(): return ''\ndef three(a, b, c): return ''\n"
    world = TargetWorld(tmp_path, {"name": name}, code)
    (tmp_path / "broken.py").write_text("1 / 0\n", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        world.go()
    assert message in str(caught.value)
    assert not world.folder.exists()


def test_what_stands_is_not_asked_again(tmp_path: Path) -> None:
    code = FULL.replace("tags):", "tags):\n    with open('LOG', 'a') as log: log.write(question + chr(10))", 1)
    log = tmp_path / "asked.log"
    world = TargetWorld(tmp_path, {"name": NAME}, code.replace("LOG", str(log)))
    result = world.go(max_calls=2)
    assert "--max-calls" in result.stopped and len(log.read_text().splitlines()) == 2
    assert len(world.rows()) == 2
    world.go()
    world.go()
    assert len(log.read_text().splitlines()) == len(set(log.read_text().splitlines())) == 4
    ids = [one.id for one in world.chunks()]
    assert len(ids) == len(set(ids)) and ids == sorted(ids, key=lambda one: int(one.rpartition(":")[2]))


def test_changed_inputs_are_refused_and_told(tmp_path: Path) -> None:
    (tmp_path / "prompt.txt").write_text("Be kind.", encoding="utf-8")
    target = {"name": NAME, "watch": {"prompt": ["prompt.txt"]}}
    world = TargetWorld(tmp_path, target, FULL)
    world.go()
    assert len(world.manifest().inputs["watch prompt: prompt.txt"]) == 64
    (tmp_path / "prompt.txt").write_text("Be brief.", encoding="utf-8")
    with pytest.raises(ChangedInputsError, match=r"watch prompt: prompt\.txt changed"):
        world.go()
    assert world.go(overwrite=True).ledger.ok == 4
    world.set({**target, "answer": "chunks[0].text"})
    with pytest.raises(ChangedInputsError, match=r"target answer was 'not set' and is|made from other inputs"):
        world.go()
    world.set(target)
    (tmp_path / FILE).write_text(FULL + "\n", encoding="utf-8")
    with pytest.raises(ChangedInputsError, match="target module was"):
        world.go()
    (tmp_path / "prompt.txt").unlink()
    with pytest.raises(UsageError, match=r"target.watch.prompt: .*prompt.txt is not there"):
        world.go()


def test_chunks_that_no_answer_names_any_more_are_dropped(tmp_path: Path) -> None:
    world = TargetWorld(tmp_path, {"name": NAME}, FULL, cases=1)
    world.go()
    assert [one.text for one in world.chunks()] == ["Wholly other words, of another book.", PUMP]
    (tmp_path / FILE).write_text(FULL.replace("Wholly other", "Quite different"), encoding="utf-8")
    world.go(overwrite=True)
    assert [one.text for one in world.chunks()] == ["Quite different words, of another book.", PUMP]


def test_chunks_that_are_gone_are_told_of(tmp_path: Path) -> None:
    world = TargetWorld(tmp_path, {"name": NAME}, FULL)
    world.go()
    world.workspace.chunks_file("main", "manual-0").unlink()
    with pytest.raises(DataError, match="only the target can give them again"):
        world.go()


def test_our_own_systems_and_a_target_do_not_share_a_run(tmp_path: Path) -> None:
    world = TargetWorld(tmp_path, {"name": NAME}, FULL)
    world.go()
    world.settings = World(tmp_path, build=False).settings
    with pytest.raises(ChangedInputsError, match="was executed with a target, and the settings name systems of"):
        world.go()


@pytest.mark.parametrize(
    ("text", "is_gold", "note"),
    [
        # Up to white space; in nearly the same words; with another number, which makes it another text.
        ("the pump has 3 marks\n and the pump  is checked each year.", True, ()),
        (
            "The pump has 3 marks, and the pump gets checked each year.",
            True,
            ("1 of 1 returned texts were found by likeness",),
        ),
        (
            "the pump has 9 marks and the pump is checked each year.",
            False,
            ("1 of 1 returned texts stand in no document of the suite",),
        ),
    ],
)
def test_returned_texts_are_found_by_overlap(tmp_path: Path, text: str, is_gold: bool, note: tuple[str, ...]) -> None:
    chunk = {"id": "a", "score": 1, "text": text}
    row = told(tmp_path, f"def ask(question): return {{'answer': 'A', 'cited': ['a'], 'chunks': [{chunk!r}]}}\n")
    assert row.trace and (row.trace.gold_ids == row.trace.context_ids) is is_gold
    assert row.trace.notes == note


def test_citations_are_ids_of_the_target_or_its_documents(tmp_path: Path) -> None:
    code = f"""
def ask(question):
    return {{"answer": "A", "cited": ["manual-0.txt", "b", "zzz"], "chunks": [
        {{"id": "a", "score": 1, "text": {PUMP!r}, "document": "manual-0.txt"}},
        {{"id": "b", "score": 1, "text": "Of another book.", "document": "other.txt"}}]}}
"""
    row = told(tmp_path, code)
    assert row.trace and row.cited == row.trace.context_ids and row.unknown_citations == ("zzz",)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ('["b", "b", "zzz", "a"]', ""),
        ('[{"id": "b", "reason": " of 2024 "}, {"id": "a", "reason": "it is cited"}, {"no": 1}]', "of 2024"),
        ('{"b": "of 2024", "zzz": "never returned"}', "of 2024"),
        ('{"id": "b", "reason": 7}', ""),
        ('"other.txt"', ""),
    ],
)
def test_results_that_the_answer_says_it_leaves_out(tmp_path: Path, given: str, reason: str) -> None:
    """By the target's own ids or its documents; what it cites, or never returned, is none."""
    code = f"""
def ask(question):
    return {{"answer": "A", "cited": ["a"], "left_out": {given}, "chunks": [
        {{"id": "a", "score": 1, "text": {PUMP!r}, "document": "manual-0.txt"}},
        {{"id": "b", "score": 1, "text": "Of another book.", "document": "other.txt"}}]}}
"""
    row = told(tmp_path, code)
    assert row.trace
    assert row.left_out == (LeftOut(id=row.trace.context_ids[1], reason=reason),)


def test_what_is_left_out_may_stand_elsewhere(tmp_path: Path) -> None:
    code = f"""
def ask(question):
    return {{"answer": "A", "cited": [], "why_not": [{{"id": 4, "reason": "old"}}], "chunks": [
        {{"id": 4, "score": 1, "text": {PUMP!r}}}]}}
"""
    row = told(tmp_path, code, left_out="why_not")
    assert [one.reason for one in row.left_out] == ["old"]


def test_mapped_with_expressions_of_ones_own(tmp_path: Path) -> None:
    code = f"""
def ask(question):
    return {{"data": {{"reply": "A", "hits": [{{"doc": {{"body": {PUMP!r}, "no": 4}}, "sim": 0.25}}]}}}}
"""
    paths = {"answer": "data.reply", "chunks": "data.hits[*]", "chunk_text": "doc.body", "chunk_id": "doc.no"}
    row = told(tmp_path, code, **paths, chunk_score="sim", model="my-app")
    assert row.answer == "A" and row.llm == "my-app" and row.trace
    assert [one.score for one in row.trace.retrieved] == [0.25] and row.trace.gold_ids == row.trace.context_ids


def test_an_expression_that_is_none_is_refused(tmp_path: Path) -> None:
    world = TargetWorld(tmp_path, {"name": NAME, "chunks": "hits[*"}, FULL)
    with pytest.raises(UsageError, match=r"target.chunks: 'hits\[\*' is no JMESPath expression"):
        world.go()


def test_the_reply_that_could_not_be_used_is_kept_in_the_account(tmp_path: Path) -> None:
    row = told(tmp_path, "def ask(question): return {'text': 'A'}\n")
    assert row.call and json.loads(row.call.raw) == [{"text": "A"}]


def test_names_of_documents_and_of_hostile_things(tmp_path: Path) -> None:
    """Names that a target gives are compared, and never become paths."""
    names = ["MANUAL-0", "sub/dir/manual-0.txt", "manual-0", "../../etc/passwd", "manual-1", "x" * 5000]
    chunks = [{"id": str(at), "text": f"Text number {at} of nowhere.", "document": one} for at, one in enumerate(names)]
    world = TargetWorld(
        tmp_path, {"name": NAME}, f"def ask(question): return {{'answer': 'A', 'chunks': {chunks!r}}}\n"
    )
    world.go()
    row = world.rows()[0]
    assert row.trace and {one.rpartition(":")[0].rpartition(":")[0] for one in row.trace.context_ids} == {"manual-0"}
    assert [path.name for path in (world.folder / "chunks").iterdir()] == ["manual-0.jsonl"]


@pytest.mark.parametrize(
    "code",
    [
        "class Node: pass\nnode = Node()\nnode.a = node.b = node.c = node\nanswer = node",
        "answer = {}\nanswer.update(a=answer, b=answer, c=answer)",
        "answer = ['x'] * 200_000",
    ],
)
def test_what_is_no_reply_but_a_structure_without_end_is_a_row(tmp_path: Path, code: str) -> None:
    row = told(tmp_path, f"{code}\ndef ask(question): return answer\n")
    assert row.failure and row.failure.type == "unparseable"
    assert row.failure.message.startswith("the reply holds more than 100000 values")
