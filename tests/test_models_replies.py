from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.models.reasoning import strip_reasoning
from ragtester.models.replies import UnusableReply, parse
from ragtester.tasks import (
    ANSWER_QUESTION,
    JUDGE_ANSWER,
    WRITE_CASES,
    WRITE_DOCUMENT,
    AnswerQuestion,
    Passage,
    QuestionAnswered,
    Task,
    WriteDocument,
)
from tests.servers.helpers import question
from tests.servers.openai_api import GOOD, TEXTS

SHARED = Path(__file__).parents[1].parent / "shared" / "cases" / "judge_replies.jsonl"
SIX = QuestionAnswered(answer="Six years.", refuses=False, cited=("d#1",))


def judged(rating: object = "true", **changes: object) -> str:
    one = {"reason": "It says so.", "rating": rating}
    return json.dumps(dict.fromkeys(("faithfulness", "relevance", "completeness", "clarity"), one) | changes)


@pytest.mark.parametrize(
    "form", ["think", "thinkclose", "fenced", "prose", "array", "trailing", "twice", "surrogate", "nul"]
)
def test_a_good_reply_is_read_in_every_wrapping_that_changes_no_value(form: str) -> None:
    raw = TEXTS[form](GOOD)
    assert raw is not None
    assert parse(raw, ANSWER_QUESTION, question()) == SIX


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ("nonjson", "unparseable"),
        ("two", "unparseable"),
        ("nan", "unparseable"),
        ("missing", "unparseable"),
        ("empty", "empty"),
        ("refusaltext", "refused"),
    ],
)
def test_anything_else_is_a_named_fault_and_never_a_default(form: str, kind: str) -> None:
    raw = TEXTS[form](GOOD)
    assert raw is not None
    with pytest.raises(UnusableReply) as fault:
        parse(raw, ANSWER_QUESTION, question())
    assert fault.value.failure.type == kind


@pytest.mark.parametrize("raw", [GOOD[:20], "<think>Let me", ""])
def test_a_reply_that_the_limit_cut_is_truncated(raw: str) -> None:
    with pytest.raises(UnusableReply) as fault:
        parse(raw, ANSWER_QUESTION, question(), truncated=True)
    assert fault.value.failure.type == "truncated"


def test_a_whole_object_is_used_though_what_follows_is_cut() -> None:
    assert parse(f"{GOOD} And furtherm", ANSWER_QUESTION, question(), truncated=True) == SIX


def test_a_second_object_that_breaks_off_is_no_second_guess() -> None:
    with pytest.raises(UnusableReply, match="breaks off"):
        parse(f'{GOOD}\n{{"answer": "Two', ANSWER_QUESTION, question())


def test_braces_in_prose_and_in_strings_are_no_objects() -> None:
    raw = 'In {user} style {"answer": "Use {x} and ```y``` and \\"}\\".", "refuses": false}'
    assert parse(raw, ANSWER_QUESTION).answer == 'Use {x} and ```y``` and "}".'


def test_marks_of_reasoning_inside_the_answer_stay() -> None:
    raw = '{"answer": "The tag </think> ends it, <think> begins it.", "refuses": false}'
    assert parse(raw, ANSWER_QUESTION).answer == "The tag </think> ends it, <think> begins it."


def test_comments_and_a_url_in_a_string() -> None:
    raw = '{"answer": "See http://a.b/c", // where\n "refuses": false, /* none */ "cited": [],}'
    assert parse(raw, ANSWER_QUESTION).answer == "See http://a.b/c"


def test_a_key_with_two_values_is_a_fault() -> None:
    raw = '{"answer": "x", "refuses": true, "refuses": false}'
    with pytest.raises(UnusableReply, match="twice with different values"):
        parse(raw, ANSWER_QUESTION)


@pytest.mark.parametrize("value", ['"yes"', "1", "null", '"maybe"'])
def test_refuses_is_true_or_false_and_nothing_that_resembles_it(value: str) -> None:
    with pytest.raises(UnusableReply, match="refuses"):
        parse(f'{{"answer": "x", "refuses": {value}}}', ANSWER_QUESTION)


def test_refuses_in_words_and_an_answer_that_is_a_number() -> None:
    assert parse('{"answer": 6, "refuses": " False "}', ANSWER_QUESTION).answer == "6"


def test_an_empty_answer_is_a_fault_unless_it_refuses() -> None:
    assert parse('{"answer": null, "refuses": true}', ANSWER_QUESTION).refuses
    with pytest.raises(UnusableReply, match="empty"):
        parse('{"answer": " ", "refuses": false}', ANSWER_QUESTION)


def test_the_refusal_phrase_alone_is_an_abstention_though_it_is_no_json() -> None:
    reply = parse('"I don\u2019t know."', ANSWER_QUESTION, question())
    assert reply.refuses


@pytest.mark.parametrize(
    ("rating", "read"), [("TRUE", "true"), (" Partially\n", "partially"), (True, "true"), (False, "false")]
)
def test_labels_are_exact_after_trimming_and_casefolding(rating: object, read: str) -> None:
    assert parse(judged(rating), JUDGE_ANSWER).clarity.rating == read


@pytest.mark.parametrize("rating", ["mostly true", "untrue", "", None, 1, 0.5, "true."])
def test_labels_that_were_not_offered_are_faults(rating: object) -> None:
    with pytest.raises(UnusableReply, match="rating"):
        parse(judged(rating), JUDGE_ANSWER)


def test_two_differing_verdicts_are_none() -> None:
    with pytest.raises(UnusableReply, match="differing objects"):
        parse(f"{judged('false')} On reflection: {judged('true')}", JUDGE_ANSWER)


def test_a_missing_criterion_is_a_fault() -> None:
    raw = json.dumps({name: part for name, part in json.loads(judged()).items() if name != "clarity"})
    with pytest.raises(UnusableReply, match="clarity"):
        parse(raw, JUDGE_ANSWER)


def test_drafts_come_in_a_list_alone_or_one_after_the_other() -> None:
    one = {"question": "How long?", "expected_answer": "Six years.", "keywords": "six", "extra": 1}
    two = {**one, "question": "Who?"}
    for raw in (json.dumps({"cases": [one, two]}), json.dumps([one, two]), f"{json.dumps(one)}\n{json.dumps(two)}"):
        assert [draft.question for draft in parse(raw, WRITE_CASES).cases] == ["How long?", "Who?"]
    assert parse(json.dumps(one), WRITE_CASES).cases[0].keywords == ("six",)
    with pytest.raises(UnusableReply):
        parse('{"cases": []}', WRITE_CASES)


def test_a_document_is_named_by_its_first_heading() -> None:
    reply = parse("<think>plan</think>\n```markdown\n# Pump manual\n\nText.\n```", WRITE_DOCUMENT, WriteDocument())
    assert (reply.name, reply.markdown) == ("Pump manual", "# Pump manual\n\nText.\n")


def test_plain_text_answers_cite_in_brackets() -> None:
    request = AnswerQuestion(
        language="English",
        question="How long?",
        sections=(Passage(label="log-1", text="x"), Passage(label="log-2", text="y")),
        reply_format="text",
    )
    reply = parse("Six years [log-1]. Two people sign [log-1, log-9]. See [note].", ANSWER_QUESTION, request)
    assert reply.answer == "Six years. Two people sign. See [note]."
    assert (reply.cited, reply.refuses) == (("log-1", "log-9"), False)
    assert parse("I don't know. [log-2]", ANSWER_QUESTION, request).refuses
    with pytest.raises(UnusableReply) as cut:
        parse("Six ye", ANSWER_QUESTION, request, truncated=True)
    assert cut.value.failure.type == "truncated"


WRAPS = st.sampled_from(["{}", "```json\n{}\n```", "<think>draft</think>{}", "Here: {} Done.", "[{}]"])


@given(st.text(), st.booleans(), st.lists(st.text(min_size=1)), WRAPS)
def test_what_json_can_hold_comes_back(answer: str, refuses: bool, cited: list[str], wrap: str) -> None:
    from ragtester.text.normalise import clean

    raw = json.dumps({"answer": answer, "refuses": refuses, "cited": cited})
    try:
        reply = parse(wrap.replace("{}", raw), ANSWER_QUESTION)
    except UnusableReply:
        assert not clean(answer).strip()
        assert not refuses
    else:
        assert (reply.answer, reply.refuses) == (clean(answer).strip(), refuses)


@given(st.text(alphabet='{}[]":,\\/*<>think truefalse\n0') | st.text())
def test_no_text_does_worse_than_an_unusable_reply(raw: str) -> None:
    tasks: list[Task[Any, Any]] = [ANSWER_QUESTION, JUDGE_ANSWER, WRITE_CASES]
    for task in tasks:
        try:
            parse(raw, task)
        except UnusableReply as fault:
            assert fault.failure.message


@pytest.mark.parametrize("raw", ["{" * 50_000, '{"a":' * 50_000, '{"' * 50_000, "[" * 50_000, '{"a": "' + "{" * 50_000])
def test_hostile_nesting_is_read_in_no_time(raw: str) -> None:
    with pytest.raises(UnusableReply):
        parse(raw, ANSWER_QUESTION)


def test_reasoning_in_the_middle_is_cut_out() -> None:
    assert strip_reasoning("Six <thinking>hm</thinking>years").split() == ["Six", "years"]


def _as_ratings(raw: str) -> str:
    """The shared replies speak of one verdict; ours of four ratings: `correct` is `true`, `incorrect` is `false`."""

    def four(verdict: re.Match[str]) -> str:
        word = {"correct": "true", "incorrect": "false", "INCORRECT": "FALSE"}.get(verdict[1], verdict[1])
        return json.dumps({name: {"reason": "r", "rating": word} for name in json.loads(judged())})[1:-1]

    return re.sub(r'"verdict": "([^"]*)"', four, raw)


def test_shared_judge_replies() -> None:
    if not SHARED.is_file():
        pytest.skip("the shared cases are not here")
    for row in map(json.loads, SHARED.read_text(encoding="utf-8").splitlines()):
        if row["id"] == "score_text":
            continue  # ratings have no score
        try:
            read = {"false": "incorrect", "true": "flag"}[parse(_as_ratings(row["raw"]), JUDGE_ANSWER).clarity.rating]
        except UnusableReply:
            read = "error"
        assert read in row["expect"], (row, read)
