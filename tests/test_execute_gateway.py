"""The execute stage through the real gateway and a loopback server: what is sent, embedded and paid for."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from ragtester.models.gateway import Gateway
from ragtester.progress import SilentProgress, StageResult
from ragtester.records import Answer, Case, Chunk
from ragtester.settings import parse_settings
from ragtester.stages.execute import run
from ragtester.storage import read_rows
from tests.execute_fakes import World
from tests.servers.openai_api import OpenAIServer


def execute(world: World, url: str, name: str, embeddings: list[str], llm: str = "openai:small") -> StageResult:
    """One start of the stage, as a process of its own would make it; the journal stays, as after a kill."""
    data = world.settings.model_dump(mode="json")
    data["execute"] |= {"run": name, "groups": [{"llms": [llm], "embeddings": embeddings}]}
    data["models"] = {model: {"base_url": url} for model in [llm, *embeddings]}
    world.settings = parse_settings(data, "test")

    async def start() -> StageResult:
        journal = world.workspace.journal("execute", name)
        async with Gateway(world.settings, journal=journal, root=world.workspace.root) as gateway:
            return await run(world.workspace, world.settings, gateway, gateway.embedder, SilentProgress())

    return asyncio.run(start())


def embedded(server: OpenAIServer) -> Counter[str]:
    bodies = [request.body for request in server.requests if request.path.endswith("/embeddings")]
    return Counter(text for body in bodies for text in body["input"])


def answers(world: World, name: str, embedding: str) -> list[str]:
    paths = world.workspace.answers_file(name, "openai:small", embedding, "x").parent.glob("*.jsonl")
    return [row.answer for path in sorted(paths) for row in read_rows(path, Answer)]


def numbered() -> Any:
    """A model that never says the same twice."""
    numbers = itertools.count(1)
    return lambda _: json.dumps({"answer": f"Reply {next(numbers)}.", "refuses": False, "cited": []})


def test_a_second_run_embeds_nothing_and_asks_everything(tmp_path: Path) -> None:
    world = World(tmp_path, documents=3, cases=5)
    names, cases = [one.id for one in world.documents], partial(world.workspace.cases_file, "main", "ragtester")
    with OpenAIServer() as server:
        assert execute(world, server.url, "first", ["openai:vectors"]).ledger.ok == 15
        chunks = [
            row for path in world.workspace.answers("first").glob("chunks/*.jsonl") for row in read_rows(path, Chunk)
        ]
        questions = [case.question for name in names for case in read_rows(cases(name), Case)]
        once = embedded(server)
        # Each chunk and each question, once.
        assert once == Counter([*(chunk.text for chunk in chunks), *questions]) and once.total() > 15
        assert execute(world, server.url, "second", ["openai:vectors"]).ledger.ok == 15
        assert embedded(server) == once
        assert len(server.chats()) == 30


def test_two_systems_that_ask_the_same_words_get_replies_of_their_own_after_a_kill(tmp_path: Path) -> None:
    world = World(tmp_path, documents=1, cases=4)
    with OpenAIServer(numbered()) as server:
        execute(world, server.url, "main", ["openai:vectors"])
        # The server's vectors do not depend on the model's name: both systems retrieve the same sections.
        execute(world, server.url, "main", ["openai:vectors", "openai:others"])
        words = Counter(json.dumps(body["messages"]) for body in server.chats())
    assert set(words.values()) == {2} and len(words) == 4
    first, second = answers(world, "main", "openai:vectors"), answers(world, "main", "openai:others")
    assert len({*first, *second}) == 8


def test_a_row_lost_between_reply_and_disk_gets_its_reply_back(tmp_path: Path) -> None:
    world = World(tmp_path, documents=1, cases=4)
    with OpenAIServer(numbered()) as server:
        execute(world, server.url, "main", ["openai:vectors", "openai:others"])
        path = world.workspace.answers_file("main", "openai:small", "openai:others", "manual-0")
        before = path.read_bytes()
        path.write_bytes(before[: before.index(b"\n") + 20])
        execute(world, server.url, "main", ["openai:vectors", "openai:others"])
        assert len(server.chats()) == 8
    assert path.read_bytes() == before


def test_a_repaired_reply_is_not_paid_for_again_after_a_kill(tmp_path: Path) -> None:
    world = World(tmp_path, documents=1, cases=2)
    with OpenAIServer() as server:
        execute(world, server.url, "main", ["openai:vectors"], llm="openai:small--mendable")
        path = world.workspace.answers_file("main", "openai:small--mendable", "openai:vectors", "manual-0")
        before = path.read_bytes()
        assert len(server.chats()) == 3 and b'"outcome":"failed"' not in before
        path.unlink()
        execute(world, server.url, "main", ["openai:vectors"], llm="openai:small--mendable")
        assert len(server.chats()) == 3
    assert path.read_bytes() == before
