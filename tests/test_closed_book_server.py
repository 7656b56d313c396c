"""The control's requests on the wire: a loopback server that speaks the OpenAI API."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from ragtester.models.gateway import Gateway
from ragtester.tasks import ANSWER_CLOSED_BOOK, AnswerQuestion, Asked, QuestionAnswered
from tests.servers.helpers import services, settings_for
from tests.servers.openai_api import OpenAIServer

# What OpenAI takes as a schema's name.
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def ask(server: OpenAIServer, request: AnswerQuestion, **changes: Any) -> Asked[QuestionAnswered]:
    async def run() -> Asked[QuestionAnswered]:
        async with Gateway(settings_for(server.url, "small", **changes), shared=services()) as gateway:
            return await gateway.ask("openai:small", ANSWER_CLOSED_BOOK, request)

    return asyncio.run(run())


@pytest.mark.parametrize("structured", ["json_schema", "json_object", "prompt"])
def test_only_the_question_is_sent_and_the_schema_has_a_name_that_servers_take(structured: str) -> None:
    with OpenAIServer() as server:
        asked = ask(server, AnswerQuestion(language="en", question="How long?", sections=()), structured=structured)
        (body,) = server.chats()
    assert asked.reply is not None
    assert body["messages"][1]["content"] == "<question>\nHow long?\n</question>\n"
    if structured == "json_schema":
        assert NAME.fullmatch(body["response_format"]["json_schema"]["name"])


def test_plain_text_asks_for_no_json() -> None:
    with OpenAIServer() as server:
        ask(server, AnswerQuestion(language="en", question="How long?", sections=(), reply_format="text"))
        (body,) = server.chats()
    assert "response_format" not in body
    assert "JSON" not in body["messages"][0]["content"]
