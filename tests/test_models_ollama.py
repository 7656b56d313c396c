"""Through `langchain-ollama` against a loopback server that speaks the documented Ollama API."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from ragtester.models.gateway import Gateway
from ragtester.tasks import ANSWER_QUESTION, AnswerQuestion, Asked, Passage, QuestionAnswered
from tests.servers.helpers import question, services, settings_for
from tests.servers.ollama_api import OllamaServer


@pytest.fixture(name="server")
def _server() -> Iterator[OllamaServer]:
    with OllamaServer(retry_after="3") as server:
        yield server


def ask(
    server: OllamaServer, name: str, *requests: AnswerQuestion, waits: list[float] | None = None, **changes: Any
) -> list[Asked[QuestionAnswered]]:
    settings = settings_for(server.host, name, provider="ollama", **changes)

    async def run() -> list[Asked[QuestionAnswered]]:
        async with Gateway(settings, shared=services(waits)) as gateway:
            wanted = requests or (question(),)
            return [await gateway.ask(f"ollama:{name}", ANSWER_QUESTION, request) for request in wanted]

    return asyncio.run(run())


def test_a_reply_with_its_account(server: OllamaServer) -> None:
    asked = ask(server, "llama3.2:1b", temperature=0.0, max_tokens=64, extra={"top_k": 5, "keep_alive": "10m"})[0]
    assert asked.reply == QuestionAnswered(answer="Six years.", refuses=False, cited=("d#1",))
    assert (asked.call.prompt_tokens, asked.call.completion_tokens) == (90, 15)
    assert (asked.call.finish_reason, asked.call.cost, asked.call.served_model) == ("stop", 0.0, "llama3.2:1b")
    body = server.chats()[0]
    assert body["options"] == {"top_k": 5, "temperature": 0.0, "num_predict": 64, "num_ctx": 2048}
    assert (body["format"], body["keep_alive"]) == ("json", "10m")


def test_a_server_that_is_not_there_is_named() -> None:
    with OllamaServer() as gone:
        host = gone.host
    asked = ask(gone, "llama", limits={"retries": 1})[0]
    assert asked.failure is not None
    assert (asked.failure.type, asked.call.attempts) == ("transport", 2)
    assert host in asked.failure.message


def test_a_server_that_hangs_is_given_up(server: OllamaServer) -> None:
    asked = ask(server, "x--hang", limits={"retries": 0, "timeout_seconds": 0.1})[0]
    assert asked.failure is not None
    assert asked.failure.type == "timeout"


def test_a_schema_is_sent_as_the_format(server: OllamaServer) -> None:
    ask(server, "llama", structured="json_schema")
    assert server.chats()[0]["format"]["required"] == ["answer", "refuses", "cited"]


@pytest.mark.parametrize("name", ["x--429once", "x--500once"])
def test_errors_that_clear_are_tried_again(server: OllamaServer, name: str) -> None:
    waits: list[float] = []
    asked = ask(server, name, waits=waits)[0]
    assert asked.reply is not None
    # The header's 3 s, or 0.5 s x 2 of the back-off.
    assert (asked.call.attempts, waits) == (2, [3.0] if "429" in name else [1.0])


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("x--429", "rate_limited"),
        ("x--500", "server_error"),
        ("x--missing", "unknown_model"),
        ("x--truncated", "truncated"),
        ("x--thinkopen", "truncated"),
        ("x--two", "unparseable"),
        ("x--empty", "empty"),
    ],
)
def test_outcomes(server: OllamaServer, name: str, type_: str) -> None:
    asked = ask(server, name)[0]
    assert asked.failure is not None
    assert asked.failure.type == type_


def test_a_model_that_is_not_there_says_how_to_get_it(server: OllamaServer) -> None:
    asked = ask(server, "x--missing", question(), question())
    assert asked[1].failure is not None
    assert "ollama pull x--missing" in asked[1].failure.message
    assert len(server.chats()) == 1


@pytest.mark.parametrize("name", ["x--think", "x--thinking", "x--surrogate", "x--fenced"])
def test_thinking_fences_and_half_characters(server: OllamaServer, name: str) -> None:
    assert ask(server, name)[0].reply == QuestionAnswered(answer="Six years.", refuses=False, cited=("d#1",))


def test_the_window_grows_with_the_prompt_in_powers_of_two_and_never_shrinks(server: OllamaServer) -> None:
    long = AnswerQuestion(
        language="English", question="?", sections=(Passage(label="d#1", text="six years of logs " * 800),)
    )
    ask(server, "llama", question(), long, question(), max_tokens=100)
    sizes = [body["options"]["num_ctx"] for body in server.chats()]
    # 3,200 words of at most six letters: 3,200 tokens and the instructions; with a tenth and 100 more, below 4,096.
    assert sizes == [2048, 4096, 4096]
    # A window that is too small for the prompt is refused before the call: Ollama would cut it in silence.
    refused = ask(server, "llama", long, context_window=2048)[0]
    assert refused.failure is not None
    assert (refused.failure.type, len(server.chats())) == ("too_long", 3)
    # So is a prompt beyond what the model itself was made for (4,096 for this one), as its server tells.
    longer = AnswerQuestion(
        language="English", question="?", sections=(Passage(label="d#1", text="six years of logs " * 2000),)
    )
    refused = ask(server, "short", longer)[0]
    assert refused.failure is not None
    assert (refused.failure.type, len(server.chats())) == ("too_long", 3)


def test_calls_are_grouped_by_model() -> None:
    with OllamaServer(latency=0.005) as server:
        settings = settings_for(server.host, "a", "b", "c", provider="ollama", limits={"concurrency": 2})

        async def run() -> None:
            async with Gateway(settings, shared=services()) as gateway:
                await asyncio.gather(
                    *(
                        gateway.ask(f"ollama:{name}", ANSWER_QUESTION, question(str(number)))
                        for number in range(5)
                        for name in "abc"
                    )
                )

        asyncio.run(run())
        # Each is loaded once. Whose length the server tells first comes first.
        assert sorted(model for model, _ in server.loads) == ["a", "b", "c"]
