from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from types import SimpleNamespace

import pytest

from ragtester.models.limits import ModelTurns, ProviderGate
from ragtester.models.prices import price_of, window_of
from ragtester.models.problems import Problem, examine, seconds_of
from ragtester.models.retry import BackOff, CallFailed, attempted
from ragtester.redaction import redact
from ragtester.settings import ModelSettings, ProviderSettings
from tests import virtual_time


class ServerError(Exception):
    def __init__(self, status: int, message: str, code: str = "", headers: dict[str, str] | None = None) -> None:
        self.status_code = status
        self.body = {"error": {"message": message, "code": code}}
        self.response = SimpleNamespace(status_code=status, headers=headers or {})
        super().__init__(message)


@pytest.mark.parametrize(
    ("status", "message", "code", "headers", "type_"),
    [
        (429, "You exceeded your current quota", "insufficient_quota", {}, "quota"),
        (429, "You exceeded your current quota. Please retry in 21.5s.", "429", {}, "rate_limited"),
        (429, "Quota exceeded for requests per minute", "RESOURCE_EXHAUSTED", {}, "rate_limited"),
        (429, "You exceeded your current quota", "", {"retry-after": "3"}, "rate_limited"),
        (429, "You exceeded your current quota", "", {}, "quota"),
        (429, "Your credit balance is too low", "", {}, "quota"),
        (429, "Too many requests", "", {}, "rate_limited"),
        (402, "Insufficient Balance", "", {}, "quota"),
        (401, "Unauthorized", "", {}, "auth"),
        (403, "Your chosen model requires moderation and your input was flagged", "", {}, "content_filter"),
        (404, "model not found", "", {}, "unknown_model"),
        (400, "This model's maximum context length is 8192 tokens", "", {}, "too_long"),
        (413, "Payload too large", "", {}, "too_long"),
        (400, "The response was filtered due to our content management policy", "content_filter", {}, "content_filter"),
        (422, "Input should be a valid list", "", {}, "bad_request"),
        (408, "Request timeout", "", {}, "server_error"),
        (503, "Overloaded", "", {"retry-after": "1"}, "server_error"),
    ],
)
def test_kinds_of_errors(status: int, message: str, code: str, headers: dict[str, str], type_: str) -> None:
    problem = examine(ServerError(status, message, code, headers))
    assert problem.type == type_
    assert problem.message == f"HTTP {status}: {message}"


@pytest.mark.parametrize(
    ("message", "parameter"),
    [
        ("Unsupported value: 'temperature' does not support 0 with this model.", "temperature"),
        ("Unrecognized request argument supplied: max_completion_tokens", "max_completion_tokens"),
        ("json mode is not available", "response_format"),
        ("the body is wrong", None),
    ],
)
def test_the_parameter_that_an_error_names(message: str, parameter: str | None) -> None:
    sent = ["temperature", "max_tokens", "max_completion_tokens", "response_format"]
    assert examine(ServerError(400, message), sent).parameter == parameter
    assert examine(ServerError(400, message), []).parameter is None


def test_retry_after_is_a_number_or_a_date() -> None:
    assert seconds_of("2") == 2.0
    assert seconds_of("0.5") == 0.5
    assert seconds_of(format_datetime(datetime.now(UTC) - timedelta(hours=1), usegmt=True)) == 0.0
    ahead = seconds_of(format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True))
    assert ahead is not None
    assert 55 < ahead <= 60
    assert [seconds_of(text) for text in (None, "", "soon", "-3", "nan", "inf")] == [None] * 6


def test_back_off_doubles_within_its_limit_and_is_jittered() -> None:
    most = BackOff(10.0, lambda: 1.0)
    least = BackOff(10.0, lambda: 0.0)
    problem = Problem("server_error", "x")
    # 0.5 s x 2^n, at most 10 s; jitter takes up to half of it away.
    assert [most.seconds(problem, attempt) for attempt in range(1, 8)] == [1, 2, 4, 8, 10, 10, 10]
    assert [least.seconds(problem, attempt) for attempt in range(1, 4)] == [0.5, 1, 2]
    assert most.seconds(Problem("rate_limited", "x", retry_after=7.0), 1) == 7.0
    assert most.seconds(Problem("rate_limited", "x", retry_after=700.0), 1) == 10.0


@pytest.mark.parametrize(("type_", "tries"), [("server_error", 4), ("timeout", 4), ("quota", 1), ("bad_request", 1)])
def test_attempts_are_bounded(type_: str, tries: int) -> None:
    made, waits = [], []

    async def attempt() -> None:
        made.append(1)
        raise CallFailed(Problem(type_, "x"))

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    with pytest.raises(CallFailed):
        asyncio.run(attempted(attempt, 3, BackOff(60.0, lambda: 1.0), sleep))
    assert (len(made), waits) == (tries, [1.0, 2.0, 4.0][: tries - 1])


def test_keys_are_taken_out_of_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRANGE_API_KEY", "zebra-crossing-77")
    said = "Incorrect key: sk-proj-abc123DEF456, sk-abcd*******wxyz or zebra-crossing-77. Bearer abc.def"
    assert redact(said) == "Incorrect key: [key], [key] or [key]. Bearer [key]"
    assert redact("asking a skilled task-force at risk-level 3") == "asking a skilled task-force at risk-level 3"


def test_an_ollama_server_keeps_its_model_until_no_call_of_it_waits() -> None:
    order: list[str] = []

    async def run() -> None:
        turns = ModelTurns()

        async def call(model: str) -> None:
            async with turns.turn(model):
                order.append(model)
                await asyncio.sleep(0.001)

        async def row(model: str) -> None:
            for _ in range(3):
                await call(model)
                await asyncio.sleep(0.001)

        await asyncio.gather(row("a"), row("b"), row("a"), row("c"))

    virtual_time.run(run())
    changes = sum(before != after for before, after in pairwise(order))
    assert (len(order), changes) == (12, 2)


def test_a_cancelled_caller_does_not_block_the_others() -> None:
    async def run() -> str:
        turns = ModelTurns()
        release = asyncio.Event()

        async def hold(model: str) -> str:
            async with turns.turn(model):
                await release.wait()
                return model

        first = asyncio.create_task(hold("a"))
        await asyncio.sleep(0)
        gone = asyncio.create_task(hold("b"))
        last = asyncio.create_task(hold("c"))
        await asyncio.sleep(0)
        gone.cancel()
        release.set()
        await first
        return await asyncio.wait_for(last, 2)

    assert virtual_time.run(run()) == "c"


def test_the_rate_limit_holds_calls_back() -> None:
    async def run() -> int:
        gate = ProviderGate(ProviderSettings(requests_per_minute=600))
        passed = 0

        async def call() -> None:
            nonlocal passed
            async with gate.place():
                passed += 1

        tasks = [asyncio.create_task(call()) for _ in range(50)]
        await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()
        return passed

    # 600 a minute: a bucket of one second, ten calls. The eleventh would pass after a tenth of a second.
    assert virtual_time.run(run()) == 10


def test_prices() -> None:
    # GPT-4.1 mini at its launch and since: 0.40 USD a million tokens in, 1.60 out, 0.10 for cached ones.
    assert price_of("openai:gpt-4.1-mini", 1_000_000, 0, ModelSettings()) == pytest.approx(0.4)
    assert price_of("openai:gpt-4.1-mini", 0, 1_000_000, ModelSettings()) == pytest.approx(1.6)
    assert price_of("openai:gpt-4.1-mini", 1_000_000, 0, ModelSettings(), 1_000_000) == pytest.approx(0.1)
    assert price_of("openai:no-such-model", 1, 1, ModelSettings()) is None
    assert price_of("openai:gpt-4.1-mini", 1, 1, ModelSettings(base_url="http://127.0.0.1/v1")) is None
    assert price_of("openai:x", 10**6, 10**6, ModelSettings(prompt_price=1, completion_price=2)) == 3.0
    assert price_of("ollama:llama3.2:3b", 10**6, 10**6, ModelSettings()) == 0.0
    assert price_of("embedded:rules", 10**6, 10**6, ModelSettings()) == 0.0
    assert window_of("openai:gpt-4o-mini", ModelSettings()) == 128_000
