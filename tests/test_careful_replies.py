"""Replies of a careful model to the rendered prompts pass the parser and every check, as they came."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragtester.models.rendering import Renderer
from ragtester.models.replies import parse
from ragtester.records import Ratings
from ragtester.stages.cases.checks import CHECKS, Setting, failed
from ragtester.stages.cases.quotes import Piece, locate
from ragtester.tasks import (
    ANSWER_CLOSED_BOOK,
    ANSWER_QUESTION,
    JUDGE_ANSWER,
    REFUSAL_PHRASES,
    TASKS,
    VOTE_ON_VERDICT,
    WRITE_CASES,
    AnswerQuestion,
    JudgeAnswer,
    VoteOnVerdict,
    WriteCases,
)

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "careful_replies.jsonl").read_text(encoding="utf-8").splitlines()
]


def of(task: str) -> list[dict[str, Any]]:
    return [row for row in ROWS if row["task"] == task]


@pytest.mark.parametrize("row", of("write_cases"), ids=lambda row: row["request"]["language"])
def test_written_cases_pass_every_check(row: dict[str, Any]) -> None:
    request = WriteCases.model_validate(row["request"])
    drafts = parse(row["raw"], WRITE_CASES, request).cases
    pieces = tuple(Piece(passage.label, 10_000 * index, passage.text) for index, passage in enumerate(request.passages))
    assert len(drafts) == request.count
    for draft in drafts:
        setting = Setting(
            request.language, request.subtype, pieces, locate(draft.quotes, pieces), REFUSAL_PHRASES, max_overlap=0.8
        )
        names = tuple(name for name in CHECKS if name != "refusal_expected")  # for rejection cases
        assert failed(draft, setting, names) == {}


@pytest.mark.parametrize("row", of("answer_question"), ids=lambda row: row["request"]["language"])
def test_answers_are_read_with_their_sources(row: dict[str, Any]) -> None:
    request = AnswerQuestion.model_validate(row["request"])
    answer = parse(row["raw"], ANSWER_QUESTION, request)
    assert not answer.refuses
    assert set(answer.cited) <= {section.label for section in request.sections}
    assert answer.cited
    assert "[" not in answer.answer
    assert "BANANA" not in answer.answer


def test_judgements_are_read_label_for_label() -> None:
    ratings = []
    for row in of("judge_answer"):
        judged = parse(row["raw"], JUDGE_ANSWER, JudgeAnswer.model_validate(row["request"]))
        ratings.append([getattr(judged, name).rating for name in Ratings.model_fields if name != "keyword_match"])
    assert ratings == [["partially"] * 4, ["false", "true", "false", "true"]]


def test_a_vote_is_read() -> None:
    (row,) = of("vote_verdict")
    assert parse(row["raw"], VOTE_ON_VERDICT, VoteOnVerdict.model_validate(row["request"])).vote == "incorrect"


def test_answers_from_memory_are_read() -> None:
    rows = of("answer_question.closed")
    answers = [parse(row["raw"], ANSWER_CLOSED_BOOK, AnswerQuestion.model_validate(row["request"])) for row in rows]
    assert [answer.refuses for answer in answers] == [False, True, False]
    assert not any(answer.cited for answer in answers)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["task"])
def test_text_reaches_the_prompt_and_its_closing_tags_do_not(row: dict[str, Any]) -> None:
    task = TASKS[row["task"]]
    system, user = Renderer(None).render(task, task.request.model_validate(row["request"]))
    assert "$" not in system.replace("$$", "")
    assert user.count("</answer>") <= 1
    for passage in row["request"].get("passages", []) + row["request"].get("sections", []):
        assert passage["text"] in user
