"""What becomes of a reply: one outcome each, nothing lost."""

from __future__ import annotations

import asyncio

import pytest

from ragtester.rag.answering import System
from ragtester.rag.contexts import Context, Found, Query
from ragtester.rag.route import Route
from ragtester.records import Call, Case, Chunk, Failure, Origin
from ragtester.tasks import REFUSAL_PHRASES, Asked, Passage, QuestionAnswered

SYSTEM = System("main", "toy:a", "toy:words", REFUSAL_PHRASES, "json")
CASE = Case(
    id="c1",
    key="k",
    document_id="d",
    document_sha256="0",
    technique="ragtester",
    type="complexity",
    language="en",
    question="What {is} $it?",
    expected_answer="12 bar",
    model="embedded:rules",
    prompt_sha256="p",
)
CHUNKS = [
    Chunk(
        id=f"d:{number}:0", document_id="d", ordinal=number, start=number * 10, end=number * 10 + 9, text=f"t{number}"
    )
    for number in range(3)
]
CALL = Call(model="toy:a")


def context(case: Case = CASE, scope: str = "document") -> Context:
    by_id = {one.id: one for one in CHUNKS}
    route = Route("index", "toy:words", 2, "corpus" if scope == "corpus" else "document")
    found = Found(Query.plain(case), {"dense": [("d:1:0", 0.9), ("d:0:0", 0.5)]})
    return asyncio.run(route.contexts([route.merge(found)], CHUNKS, by_id.__getitem__))[0]


def reply(answer: str, refuses: bool = False, cited: tuple[str, ...] = ()) -> Asked[QuestionAnswered]:
    return Asked(QuestionAnswered(answer=answer, refuses=refuses, cited=cited), CALL)


def test_the_context_is_what_the_model_gets() -> None:
    made = context()
    assert made.trace.context_ids == ("d:1:0", "d:0:0")
    assert made.trace.context_characters == 4
    assert [(one.id, one.rank, one.score) for one in made.trace.retrieved] == [("d:1:0", 1, 0.9), ("d:0:0", 2, 0.5)]
    request = SYSTEM.request(made)
    assert request.sections == (Passage(label="d:1:0", text="t1"), Passage(label="d:0:0", text="t0"))
    assert request.question == "What {is} $it?"


@pytest.mark.parametrize(
    ("asked", "outcome", "failure"),
    [
        (reply("12 bar"), "answered", None),
        (reply("I don't know.", refuses=True), "abstained", None),
        (reply("I don't know."), "abstained", None),
        (reply("", refuses=True), "abstained", None),
        (reply("  "), "failed", "empty"),
        (Asked(None, CALL, Failure(type="refused", message="no")), "refused", "refused"),
        (Asked(None, CALL, Failure(type="content_filter", message="no")), "refused", "content_filter"),
        (Asked(None, CALL, Failure(type="truncated", message="cut")), "failed", "truncated"),
        (Asked(None, CALL, Failure(type="too_long", message="8,000 of 4,096 tokens")), "failed", "too_long"),
        (Asked(None, CALL, Failure(type="quota", message="used up")), "failed", "quota"),
        (Asked(None, CALL, None), "failed", "empty"),
    ],
)
def test_outcomes(asked: Asked[QuestionAnswered], outcome: str, failure: str | None) -> None:
    row = SYSTEM.row("key", context(), asked)
    assert row.outcome == outcome
    assert (row.failure.type if row.failure else None) == failure
    assert row.call == CALL and row.trace is not None and row.key == "key"


def test_a_flag_and_words_that_disagree_are_noted() -> None:
    denied = SYSTEM.row("key", context(), reply("Insufficient information to answer this question"))
    assert denied.outcome == "abstained" and denied.refuses is False
    assert denied.trace and "refuses = false" in denied.trace.notes[0]
    claimed = SYSTEM.row("key", context(), reply("The valve opens at 12 bar.", refuses=True))
    assert claimed.outcome == "abstained" and claimed.trace and "refuses = true" in claimed.trace.notes[0]
    agreed = SYSTEM.row("key", context(), reply("I don't know", refuses=True))
    assert agreed.trace and agreed.trace.notes == ()


def test_a_hedge_before_an_invention_is_an_answer() -> None:
    assert SYSTEM.row("key", context(), reply("I don't know, but the valve opens at 12 bar.")).outcome == "answered"


def test_citations_outside_the_context_are_kept_apart() -> None:
    row = SYSTEM.row("key", context(), reply("12 bar", cited=("d:1:0", "d:2:0", "d:1:0", "made up")))
    assert row.cited == ("d:1:0",)
    assert row.unknown_citations == ("d:2:0", "made up")


def test_a_question_of_another_document_is_noted_where_all_share_a_store() -> None:
    case = CASE.model_copy(
        update={"type": "rejection", "subtype": "cross_document", "origin": Origin(document_id="e", start=0, end=9)}
    )
    assert context(case).trace.notes == ()
    assert context(case).trace.gold_ids == ()
    assert "e" in context(case, "corpus").trace.notes[0]
