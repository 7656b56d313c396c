"""Replies of a careful reader to the prompts of split and check are read as they were meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragtester.models.embedded.engine import EmbeddedEngine
from ragtester.models.rendering import Renderer
from ragtester.models.replies import parse
from ragtester.prompts import defuse
from ragtester.tasks import TASKS, AnswerSplit, ClaimChecked, SplitAnswer, Task
from ragtester.text.quantities import quantities, same_quantity

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "careful_claim_replies.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
SPLITS = [row for row in ROWS if row["task"] == "split_answer"]


def name(row: dict[str, Any]) -> str:
    return f"{row['task']} {row['request'].get('claim', row['request']['question'])[:30]}"


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_the_reply_is_read_as_it_was_meant(row: dict[str, Any]) -> None:
    task: Task[Any, Any] = TASKS[row["task"]]
    request = task.request.model_validate(row["request"])
    system, user = Renderer(None).render(task, request)
    assert "$" not in system
    for passage in row["request"]["passages"]:
        assert defuse(passage["text"]) in user
    match parse(row["raw"], task, request):
        case AnswerSplit() as split:
            assert [list(claim.passages) for claim in split.claims] == row["expected"]
        case ClaimChecked() as checked:
            assert checked.verdict == row["expected"]
            assert set(checked.passages) <= {passage["label"] for passage in row["request"]["passages"]}


@pytest.mark.parametrize("row", SPLITS, ids=name)
def test_a_careful_split_holds_every_value_of_the_answer(row: dict[str, Any]) -> None:
    request = SplitAnswer.model_validate(row["request"])
    claims = parse(row["raw"], TASKS["split_answer"], request)
    assert isinstance(claims, AnswerSplit)
    said = [value for one in claims.claims for value in quantities(one.claim, request.language)]
    for wanted in quantities(request.answer, request.language):
        assert any(same_quantity(wanted, one) for one in said)


def test_the_rules_agree_with_the_careful_reader_on_most_checks() -> None:
    checks = [row for row in ROWS if row["task"] == "check_claim"]
    task = TASKS["check_claim"]
    engine = EmbeddedEngine()
    asked = [task.request.model_validate(row["request"]) for row in checks]
    found = [engine.perform("embedded:judge", task, one).model_dump()["verdict"] for one in asked]
    right = sum(verdict == row["expected"] for verdict, row in zip(found, checks, strict=True))
    assert right >= 0.7 * len(checks)
