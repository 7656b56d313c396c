"""A suite's manifest says what making its cases cost, or that nobody knows."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragtester.records import Failure, Manifest
from ragtester.stages.cases import reading
from ragtester.stages.cases.spending import Metered
from ragtester.storage import read_json, write_json
from ragtester.tasks import ANSWER_QUESTION, AnswerQuestion, Asked
from tests.cases_fakes import FakeModels, corpus, read_here
from tests.test_stage_cases import make, manifest


@pytest.fixture(autouse=True)
def _read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "read_corpus", read_here)


class Priced(FakeModels):
    """Every call costs an eighth of a dollar."""

    asked = 0

    async def ask(self, model: str, task: Any, request: Any) -> Asked[Any]:
        self.asked += 1
        asked = await super().ask(model, task, request)
        return replace(asked, call=asked.call.model_copy(update={"cost": 0.125}))


def test_every_call_is_counted_and_a_start_that_asks_nothing_keeps_the_sum(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14, beta=14)
    models = Priced()
    make(tmp_path, models)
    assert models.asked >= 20
    assert manifest(tmp_path).counts["cost"] == 0.125 * models.asked
    again = Priced()
    make(tmp_path, again)
    assert again.asked == 0
    assert manifest(tmp_path).counts["cost"] == 0.125 * models.asked
    # a document more is paid on top
    corpus(tmp_path, alpha=14, beta=14, gamma=14)
    make(tmp_path, again)
    assert again.asked >= 10
    assert manifest(tmp_path).counts["cost"] == 0.125 * (models.asked + again.asked)


def test_what_a_killed_start_spent_on_rows_that_stand_is_not_known(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)
    make(tmp_path, Priced())
    path = tmp_path / "generated" / "main" / "ragtester" / "manifest.json"
    begun = read_json(path, Manifest)
    assert begun is not None
    write_json(path, begun.model_copy(update={"counts": {}, "ended": None}))
    make(tmp_path, Priced())
    assert manifest(tmp_path).counts["cost"] is None


def test_without_a_price_there_is_no_cost(tmp_path: Path) -> None:
    corpus(tmp_path, alpha=14)
    make(tmp_path)
    assert manifest(tmp_path).counts["cost"] is None


async def _ask(metered: Metered) -> None:
    await metered.ask("m", ANSWER_QUESTION, AnswerQuestion(language="en", question="?", sections=()))


def test_a_call_that_gave_nothing_and_has_no_price_is_not_counted() -> None:
    class Failing(FakeModels):
        async def ask(self, model: str, task: Any, request: Any) -> Asked[Any]:
            asked = await super().ask(model, task, request)
            return Asked(None, asked.call, Failure(type="timeout", message="no answer"))

    metered = Metered(Failing(), 0.5)
    asyncio.run(_ask(metered))
    assert metered.cost == 0.5
