"""Filters in the vector search, against Chroma's own `where`; and the stamps that it filters by."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from ragtester.progress import SilentProgress
from ragtester.rag.chunking import content_hash
from ragtester.rag.index import ask, finish, open_store
from ragtester.rag.similarity import Hit
from ragtester.rag.store import Store
from ragtester.records import Chunk
from tests.execute_fakes import WORDS, WordEmbedder

DOCUMENTS = ("a", "b", "c:d", "e")
QUESTIONS = ["pump", "valve oil oil", "fuse cable bolt", "pressure filter pump", "nothing known"]


def made(count: int, seed: int = 3) -> list[Chunk]:
    draw = random.Random(seed)
    texts = [" ".join(draw.choices(WORDS, k=draw.randint(3, 9))) for _ in range(count)]
    return [
        Chunk(
            id=f"{DOCUMENTS[at % 4]}:{content_hash(text)}:{at}",
            document_id=DOCUMENTS[at % 4],
            ordinal=at,
            start=at * 10,
            end=at * 10 + 7,
            pages=(at, at + 1) if at % 2 else (),
            text=text,
            chunker="words-1",
        )
        for at, text in enumerate(texts)
    ]


def searched(folder: Path, chunks: list[Chunk], k: int, eligible: list[frozenset[str] | None]) -> list[list[Hit]]:
    async def opened() -> Store:
        return await open_store(folder, "k", chunks, WordEmbedder(), SilentProgress())

    async def go() -> list[list[Hit]]:
        hits, store = await ask(opened, QUESTIONS, k, SilentProgress(), eligible)
        await finish(store, SilentProgress())
        return hits

    return asyncio.run(go())


def in_chroma(folder: Path, chunks: list[Chunk], use: Any) -> Any:
    """What `use` gives for the Chroma collection of the store."""

    async def go() -> Any:
        store = await open_store(folder, "k", chunks, WordEmbedder(), SilentProgress())
        given = use((await store.database()).chunks)
        await store.close()
        return given

    return asyncio.run(go())


SETS: list[frozenset[str]] = [
    frozenset({"a"}),
    frozenset({"b", "e"}),
    frozenset({"c:d"}),
    frozenset({"a", "b", "c:d", "e"}),
    frozenset({"b", "not there"}),
]


def test_the_same_as_chromas_own_where(tmp_path: Path) -> None:
    chunks = made(60)
    vectors = asyncio.run(WordEmbedder().embed_queries(QUESTIONS))
    for documents in SETS:
        found = searched(tmp_path, chunks, 5, [documents] * len(QUESTIONS))
        theirs = in_chroma(
            tmp_path,
            chunks,
            lambda collection, documents=documents: collection.query(
                query_embeddings=vectors,
                n_results=60,
                where={"document_id": {"$in": sorted(documents)}},
                include=["distances"],
            ),
        )
        # A question without a known word has a vector of zeros, whose distance Chroma does not define.
        for hits, ids, distances in list(zip(found, theirs["ids"], theirs["distances"], strict=True))[:-1]:
            similarity = {name: 1 - distance for name, distance in zip(ids, distances, strict=True)}
            assert len(similarity) == sum(one.document_id in documents for one in chunks)
            assert [score for _, score in hits] == pytest.approx(
                sorted(similarity.values(), reverse=True)[:5], abs=1e-5
            )
            for name, score in hits:
                assert similarity[name] == pytest.approx(score, abs=1e-5)


@pytest.mark.parametrize("page", [1000, 7])
def test_every_question_has_its_own_filter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    """One pass for all: the hits are those of the whole ranking that are of an eligible document."""
    monkeypatch.setattr("ragtester.rag.rows.PAGE_ROWS", page)
    chunks = made(60)
    everything = searched(tmp_path, chunks, 1000, [None] * len(QUESTIONS))
    eligible = [SETS[0], None, SETS[1], frozenset[str](), SETS[4]]
    for again in range(2):  # from memory, then from the disk
        found = searched(tmp_path / ("" if again else "fresh"), chunks, 6, eligible)
        for documents, hits, whole in zip(eligible, found, everything, strict=True):
            assert hits == [hit for hit in whole if documents is None or hit[0].rsplit(":", 2)[0] in documents][:6]
    assert [len(hits) for hits in found] == [6, 6, 6, 0, 6]


def test_every_chunk_is_stamped(tmp_path: Path) -> None:
    chunks = made(9)
    searched(tmp_path, chunks, 1, [None] * len(QUESTIONS))
    got = in_chroma(tmp_path, chunks, lambda collection: collection.get(include=["metadatas"]))
    by_id = dict(zip(got["ids"], got["metadatas"], strict=True))
    assert by_id.keys() == {one.id for one in chunks}
    for one in chunks:
        stamp = dict(by_id[one.id])
        assert isinstance(stamp.pop("mark"), float)
        assert str(stamp.pop("sha256")).startswith(one.id.rsplit(":", 2)[1])
        assert stamp == {
            "document_id": one.document_id,
            "ordinal": one.ordinal,
            "start": one.start,
            "end": one.end,
            "pages": f"{one.ordinal},{one.ordinal + 1}" if one.ordinal % 2 else "",
            "embedding": "toy:words",
            "chunker": "words-1",
        }


def test_a_continued_store_is_stamped_too(tmp_path: Path) -> None:
    chunks = made(9)
    broken = WordEmbedder()
    broken.fail_after = 2

    async def begin() -> None:
        await open_store(tmp_path, "k", chunks, broken, SilentProgress(), batch_size=3)

    from ragtester.tasks import EmbeddingError

    with pytest.raises(EmbeddingError):
        asyncio.run(begin())
    searched(tmp_path, chunks, 1, [None] * len(QUESTIONS))
    got = in_chroma(tmp_path, chunks, lambda collection: collection.get(include=["metadatas"]))
    assert sorted(stamp["ordinal"] for stamp in got["metadatas"]) == list(range(9))
