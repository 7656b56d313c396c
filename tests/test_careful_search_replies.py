"""Replies of a careful reader to the prompts of rewrite, rank and claims are read as they were meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragtester.models.rendering import Renderer
from ragtester.models.replies import parse
from ragtester.statistics.claims import claim_metrics
from ragtester.tasks import TASKS, TRACE_CLAIMS, ClaimsTraced, PassagesRanked, QueryRewritten, Task, TraceClaims
from ragtester.text.claim_cover import trace_by_words
from ragtester.text.quantities import codes, quantities

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "careful_search_replies.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['task']} {row['request']['question'][:30]}")
def test_the_reply_is_read_as_it_was_meant(row: dict[str, Any]) -> None:
    task: Task[Any, Any] = TASKS[row["task"]]
    request = task.request.model_validate(row["request"])
    system, user = Renderer(None).render(task, request)
    assert "$" not in system
    for passage in row["request"].get("passages", []):
        assert passage["text"].replace("</passage>", "‹/passage>") in user
    reply = parse(row["raw"], task, request)
    match reply:
        case QueryRewritten():
            assert reply.query == row["expected"]
            assert len(reply.query) < len(row["request"]["question"])
        case PassagesRanked():
            assert list(reply.order) == row["expected"]
        case ClaimsTraced():
            assert [list(claim.passages) for claim in reply.claims] == row["expected"]


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["task"] == "rewrite_query"], ids=lambda row: row["expected"]
)
def test_a_careful_query_holds_the_quantities_and_codes_that_bear_on_the_answer(row: dict[str, Any]) -> None:
    language, question = row["request"]["language"], row["request"]["question"]
    assert codes(row["expected"], language) == codes(question, language)
    assert len(quantities(row["expected"], language)) == len(quantities(question, language))


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["task"] == "trace_claims"], ids=lambda row: row["request"]["question"][:30]
)
def test_words_find_no_support_that_a_careful_reader_does_not(row: dict[str, Any]) -> None:
    request = row["request"]
    passages = TraceClaims.model_validate(request).passages
    by_words = trace_by_words(request["answer"], passages, request["language"])
    order = [passage.label for passage in passages]
    careful = parse(row["raw"], TRACE_CLAIMS)
    assert claim_metrics(by_words, order, by="words").recall <= claim_metrics(careful, order, by="m:m").recall
    found = {label for claim in by_words.claims for label in claim.passages}
    assert found <= {label for labels in row["expected"] for label in labels}
