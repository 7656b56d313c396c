"""A real language model through `langchain-openai`: llama.cpp's server with SmolLM2, 135 million parameters."""

from __future__ import annotations

import asyncio

import pytest

from ragtester.models.gateway import Gateway
from ragtester.tasks import ANSWER_QUESTION, AnswerQuestion, Asked, Passage, QuestionAnswered
from tests.servers.helpers import services, settings_for
from tests.servers.llama import llama_server

SECTIONS = (
    Passage(label="pump-1", text="The hydraulic pump of the Rivet press is checked every 40 days by two people."),
    Passage(label="pump-2", text="Its filter is made of sintered bronze and costs 18 euros."),
)


@pytest.mark.slow
def test_a_small_real_model_answers_from_two_sections() -> None:
    async def run(url: str) -> Asked[QuestionAnswered]:
        settings = settings_for(url, "smollm2", temperature=0.0, max_tokens=60, limits={"timeout_seconds": 60.0})
        async with Gateway(settings, shared=services()) as gateway:
            request = AnswerQuestion(
                language="English",
                question="How often is the hydraulic pump checked?",
                sections=SECTIONS,
                reply_format="text",
            )
            return await gateway.ask("openai:smollm2", ANSWER_QUESTION, request)

    with llama_server() as url:
        asked = asyncio.run(run(url))
    assert asked.failure is None, asked.failure
    assert asked.reply is not None
    assert "40 days" in asked.reply.answer
    assert asked.call.prompt_tokens is not None
    assert asked.call.prompt_tokens > 50
    assert asked.call.completion_tokens is not None
    assert asked.call.seconds is not None
