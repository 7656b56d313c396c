from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from typing import Any

import pytest

from ragtester.errors import UsageError
from ragtester.models.catalogue import prefixes
from ragtester.models.gateway import Gateway
from ragtester.settings import ModelSettings, ProviderSettings, Settings
from ragtester.tasks import EmbeddingError
from tests.servers.helpers import services, settings_for
from tests.servers.ollama_api import OllamaServer
from tests.servers.openai_api import OpenAIServer, toy_vector


@pytest.fixture(name="server")
def _server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


def embed(
    settings: Settings, name: str, texts: list[str], *, queries: bool = False, waits: list[float] | None = None
) -> list[list[float]]:
    async def run() -> list[list[float]]:
        async with Gateway(settings, shared=services(waits)) as gateway:
            embedder = gateway.embedder(name)
            assert gateway.embedder(name) is embedder
            return await (embedder.embed_queries(texts) if queries else embedder.embed_documents(texts))

    return asyncio.run(run())


def sent(server: OpenAIServer) -> list[Any]:
    return [request.body["input"] for request in server.requests]


def test_texts_are_sent_as_texts_in_batches(server: OpenAIServer) -> None:
    texts = [f"text {number}" for number in range(7)]
    settings = settings_for(server.url, "emb--tokens400", batch_size=3)
    assert embed(settings, "openai:emb--tokens400", texts) == [pytest.approx(toy_vector(text)) for text in texts]
    assert [len(batch) for batch in sent(server)] == [3, 3, 1]
    assert sent(server)[0] == texts[:3]
    assert server.requests[0].body["encoding_format"] == "float"


def test_a_server_that_embeds_token_numbers_in_silence_gets_none(server: OpenAIServer) -> None:
    assert len(embed(settings_for(server.url, "emb--tokensempty"), "openai:emb--tokensempty", ["a"])) == 1


@pytest.mark.parametrize(
    ("name", "type_", "words"),
    [
        ("emb--embnone", "empty", "no embedding data"),
        ("emb--embcount", "unparseable", "1 vectors for 2 texts"),
        ("emb--embnan", "unparseable", "finite"),
        ("emb--embzero", "unparseable", "zeros"),
        ("emb--embdims", "unparseable", "7 dimensions"),
        ("emb--401", "auth", "HTTP 401"),
        ("emb--quota", "quota", "quota"),
        ("emb--500", "server_error", "HTTP 500"),
    ],
)
def test_what_is_no_embedding_is_named(server: OpenAIServer, name: str, type_: str, words: str) -> None:
    with pytest.raises(EmbeddingError) as error:
        embed(settings_for(server.url, name), f"openai:{name}", ["a", "b"])
    assert error.value.failure.type == type_
    assert words in error.value.failure.message
    if "emb--emb" in name:
        assert server.url in error.value.failure.message
        assert f"openai:{name}" in error.value.failure.message


def test_errors_that_clear_are_tried_again(server: OpenAIServer) -> None:
    waits: list[float] = []
    settings = settings_for(server.url, "emb--429once")
    assert len(embed(settings, "openai:emb--429once", ["a"], waits=waits)) == 1
    assert waits == [0.0]


def test_empty_texts_are_never_sent(server: OpenAIServer) -> None:
    with pytest.raises(EmbeddingError, match="text 2 is empty"):
        embed(settings_for(server.url, "emb"), "openai:emb", ["a", " \n"])
    assert server.requests == []
    assert embed(settings_for(server.url, "emb"), "openai:emb", []) == []


def test_dimensions_are_asked_for(server: OpenAIServer) -> None:
    assert len(embed(settings_for(server.url, "emb", dimensions=4), "openai:emb", ["a"])[0]) == 4


def test_prefixes_that_models_were_trained_with(server: OpenAIServer) -> None:
    settings = settings_for(server.url, "intfloat/multilingual-e5-large")
    embed(settings, "openai:intfloat/multilingual-e5-large", ["a"])
    embed(settings, "openai:intfloat/multilingual-e5-large", ["a"], queries=True)
    assert sent(server) == [["passage: a"], ["query: a"]]
    assert prefixes("nomic-embed-text:latest") == ("search_query: ", "search_document: ")
    assert prefixes("text-embedding-3-small") == ("", "")


def test_ollama() -> None:
    with OllamaServer() as server:
        settings = settings_for(server.host, "nomic-embed-text", "x--missing", provider="ollama")
        made = embed(settings, "ollama:nomic-embed-text", ["a", "b"])
        assert made[1] == pytest.approx(toy_vector("search_document: b"))
        with pytest.raises(EmbeddingError, match="ollama pull x--missing"):
            embed(settings, "ollama:x--missing", ["a"])


@pytest.mark.parametrize("name", ["embedded:wordllama", "embedded:hashing"])
def test_embedded_vectors_are_near_for_near_texts(name: str) -> None:
    pump, motor, tax = embed(Settings(), name, ["The pump leaks oil.", "Oil leaks from the pump.", "Income tax law"])
    near = sum(a * b for a, b in zip(pump, motor, strict=True))
    far = sum(a * b for a, b in zip(pump, tax, strict=True))
    assert near > far
    assert math.hypot(*pump) == pytest.approx(1.0, abs=1e-5)


def test_names_and_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="embedded:wordllama"):
        embed(Settings(), "embedded:wordlama", ["a"])
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(EmbeddingError, match="OPENAI_API_KEY"):
        embed(Settings(), "openai:text-embedding-3-small", ["a"])


def test_embedding_calls_count_towards_the_limits(server: OpenAIServer) -> None:
    settings = Settings(
        models={"openai:emb": ModelSettings(base_url=server.url, batch_size=1)},
        providers={"openai": ProviderSettings()},
    )

    async def run() -> int:
        async with Gateway(settings, shared=services()) as gateway:
            gateway.set_budget(max_calls=2)
            with pytest.raises(EmbeddingError, match="limit on calls"):
                await gateway.embedder("openai:emb").embed_documents(["a", "b", "c"])
            return gateway.calls

    assert asyncio.run(run()) == 2
    assert len(server.requests) == 2
