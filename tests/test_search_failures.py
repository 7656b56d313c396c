"""A search that fails on the way: every case comes out once, with what was found or with the failure."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ragtester.progress import SilentProgress
from ragtester.rag.reranking import Scored
from ragtester.records import Chunk
from ragtester.searching import sources
from ragtester.searching.search import Search, Searched
from ragtester.searching.suite import open_suite
from tests.execute_fakes import RuleModels, WordEmbedder, World, embedders


class EmbeddingReranker:
    """Keeps the order of the hits, after asking an embedding model once a question."""

    name = "toy:reranker"

    def __init__(self, embedder: WordEmbedder) -> None:
        self.embedder = embedder

    async def score(self, query: str, language: str, chunks: Sequence[Chunk]) -> Scored:
        await self.embedder.embed_queries([query])
        return Scored(tuple(float(-place) for place, _ in enumerate(chunks)))


def searched(world: World, *, fail_after: int | None) -> list[Searched]:
    """What a search gives whose reranker's embedding model fails after so many questions."""
    suite = open_suite(world.workspace, world.settings)
    search = Search(suite, world.settings, embedders(WordEmbedder()), RuleModels(), SilentProgress())
    reranking = WordEmbedder("toy:second")
    reranking.fail_after = fail_after
    search.source = replace(search.source, reranker=EmbeddingReranker(reranking))

    async def all_of() -> list[Searched]:
        return [one async for one in search.run("toy:words")]

    return asyncio.run(all_of())


@pytest.mark.parametrize(("fail_after", "found"), [(None, 5), (0, 0), (2, 2), (3, 2), (4, 4)])
def test_a_failure_between_two_parts_leaves_out_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fail_after: int | None, found: int
) -> None:
    """Five cases in parts of two; the part that the failure is in has it as a whole, and so have those behind it."""
    monkeypatch.setattr(sources, "CONTEXTS_AT_ONCE", 2)
    world = World(tmp_path, 1, 5)
    parts = searched(world, fail_after=fail_after)
    names = [(context.case.id, part.failure is None) for part in parts for context in part.contexts]
    assert names == [(f"manual-0-{number}", number < found) for number in range(5)]
    assert all(bool(context.trace.context_ids) is (part.failure is None) for part in parts for context in part.contexts)
    assert [part.failure.message for part in parts if part.failure] == ["the server is gone"] * (found < 5)
