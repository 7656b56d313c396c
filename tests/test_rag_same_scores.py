"""A score is the same bits whoever shares a pass with it, and whether its vectors are new or were read from disk."""

from __future__ import annotations

import asyncio
import math
import random
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ragtester.errors import StorageError
from ragtester.models.embedded.vectors import embed_texts, hash_texts
from ragtester.progress import SilentProgress
from ragtester.provenance import sha256_text
from ragtester.rag.health import inspect_store, rank_of
from ragtester.rag.index import ask, finish, open_store, search
from ragtester.rag.similarity import DIGITS, Directions, Hit, cosines, settled
from ragtester.rag.store import Store
from ragtester.records import Chunk
from ragtester.stages.execute import run
from ragtester.tasks import EmbeddingError
from tests.execute_fakes import RuleModels, WordEmbedder, World, embedders, full_disk

SYLLABLES = ("ka", "lo", "min", "tur", "be", "sof", "ri", "pan")
DRAW = random.Random(7)
VOCABULARY = ["".join(DRAW.choices(SYLLABLES, k=DRAW.randint(1, 4))) for _ in range(800)]
TEXTS = [" ".join(DRAW.choices(VOCABULARY, k=DRAW.randint(1, 60))) for _ in range(150)]
QUESTIONS = [" ".join(DRAW.choices(VOCABULARY, k=DRAW.randint(1, 12))) for _ in range(60)]
CHUNKS = [
    Chunk(id=f"d:{at:04}:{at}", document_id="d", ordinal=at, start=0, end=len(text), text=text)
    for at, text in enumerate(TEXTS)
]
K = len(TEXTS)
MODELS = {"hashing": hash_texts, "wordllama": embed_texts}
Rows = NDArray[np.float32]
components = st.floats(-1e6, 1e6, allow_nan=False, width=32)


class Real(WordEmbedder):
    """Vectors of a model that ships, scaled as a server's may be; counts, and fails when it is told to."""

    def __init__(self, name: str, scale: float = 1.0) -> None:
        super().__init__(f"embedded:{name}")
        self.make, self.scale = MODELS[name], scale

    def _embed(self, texts: list[str]) -> list[list[float]]:
        super()._embed(texts)
        made: list[list[float]] = (self.make(texts) * np.float32(self.scale)).tolist()
        return made


def found(folder: Path, embedder: Real, questions: list[str], batch_size: int = 64) -> list[list[Hit]]:
    async def opened() -> Store:
        return await open_store(folder, "k", CHUNKS, embedder, SilentProgress(), batch_size=batch_size)

    return asyncio.run(search(opened, questions, K, SilentProgress()))


def gaussian(count: int, width: int, seed: int) -> Rows:
    return settled(np.random.default_rng(seed).standard_normal((count, width)))


@given(st.lists(components, min_size=1, max_size=40), st.floats(1e-3, 1e3))
def test_settled_vectors_survive_scaling_in_single_precision(vector: list[float], scale: float) -> None:
    once = settled([vector])
    assert once.dtype == np.float32
    assert settled(once * np.float32(scale)).tobytes() == once.tobytes()
    assert settled(once / np.float32(scale)).tobytes() == once.tobytes()


def test_settled_by_hand() -> None:
    # Two thirds of 2^20 is 699050.67: the nearest whole number is 699051.
    rows = settled([[3.0, -2.0, 0.0], [0.0, 0.0, 0.0], [1e30, 1e30, -5e29]])
    assert rows.tolist() == [[1.0, -699051 / 2**20, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, -0.5]]
    assert settled(np.zeros((0, 3), dtype=np.float32)).shape == (0, 3)


@pytest.mark.parametrize("width", [3, 256, 1536, 8192, 8193, 20_000])
def test_products_are_exact_up_to_the_largest(width: int) -> None:
    rows = np.vstack([gaussian(2, width, 1), settled(np.ones((1, width)))])
    exact = [
        [sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(x, y, strict=True)) for x in rows] for y in rows
    ]
    wide = Directions.of(rows).rows
    assert [[Fraction(float(value)) for value in row] for row in wide @ wide.T] == exact


def parts_of(data: st.DataObject, count: int) -> list[slice]:
    ends = sorted({0, count, *data.draw(st.lists(st.integers(1, count - 1), max_size=6))})
    return [slice(start, end) for start, end in pairwise(ends)]


@pytest.mark.parametrize("digits", [DIGITS, 15])
@given(data=st.data())
def test_any_partition_gives_equal_scores(digits: int, data: st.DataObject) -> None:
    """Nearly all bits are compared as well: among six digits a sum in another order would show once in 10^9 scores."""
    width = data.draw(st.sampled_from([2, 7, 64, 257]))
    questions, rows = gaussian(23, width, 3), gaussian(41, width, 4)

    def scores(one: Rows, two: Rows) -> NDArray[np.float64]:
        return cosines(Directions.of(one), Directions.of(two))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ragtester.rag.similarity.DIGITS", digits)
        whole = scores(questions, rows)
        across = parts_of(data, len(rows))
        parts = [[scores(questions[one], rows[two]) for two in across] for one in parts_of(data, len(questions))]
        order = np.random.default_rng(data.draw(st.integers(0, 99))).permutation(len(rows))
        turned = scores(questions, rows[order])
    assert np.block(parts).tobytes() == whole.tobytes()
    assert turned.tobytes() == whole[:, order].tobytes()


def test_scores_are_cosines() -> None:
    raw = np.random.default_rng(5).standard_normal((12, 300))
    scores = cosines(Directions.of(settled(raw[:4])), Directions.of(settled(raw[4:])))
    for one, row in zip(raw[:4], scores, strict=True):
        for two, score in zip(raw[4:], row, strict=True):
            exact = math.fsum(one * two) / (math.hypot(*one) * math.hypot(*two))
            assert score == pytest.approx(exact, abs=1.5e-6)


@pytest.mark.parametrize(("name", "scale"), [("hashing", 1.0), ("wordllama", 1.0), ("wordllama", 7.3)])
def test_a_new_store_and_an_opened_one_score_alike(tmp_path: Path, name: str, scale: float) -> None:
    new = found(tmp_path / "new", Real(name, scale), QUESTIONS)
    again = Real(name, scale)
    assert found(tmp_path / "new", again, QUESTIONS) == new
    assert not again.calls
    # One question by one, each in a start of its own: the first of a new store, the others of one that was read.
    single = [found(tmp_path / "single", Real(name, scale), [one], 7)[0] for one in QUESTIONS[:12]]
    assert single == new[:12]


@pytest.mark.parametrize("name", list(MODELS))
def test_an_interrupted_store_scores_as_one_made_in_one_go(tmp_path: Path, name: str) -> None:
    whole = found(tmp_path / "whole", Real(name), QUESTIONS)
    # In batches of 40 the chunks take four calls and the questions two: ended in the third of all, and in the last.
    for at, calls in enumerate((2, 5)):
        folder, broken = tmp_path / f"half-{at}", Real(name)
        broken.fail_after = calls
        with pytest.raises(EmbeddingError):
            found(folder, broken, QUESTIONS, 40)
        assert found(folder, Real(name), QUESTIONS, 40) == whole
    assert found(tmp_path / "asked", Real(name), QUESTIONS[20:50]) == whole[20:50]
    assert found(tmp_path / "asked", Real(name), QUESTIONS[::-1]) == whole[::-1]


def test_an_audit_sees_the_scores_of_the_run(tmp_path: Path) -> None:
    embedder = Real("hashing")

    async def opened() -> Store:
        return await open_store(tmp_path / "s", "k", CHUNKS, embedder, SilentProgress(), batch_size=50)

    async def asked() -> list[list[Hit]]:
        hits, store = await ask(opened, QUESTIONS, K, SilentProgress())
        await finish(store, SilentProgress())
        return hits

    hits = asyncio.run(asked())
    health = inspect_store(tmp_path / "s", embedder.model)
    assert health is not None
    for question, mine in zip(QUESTIONS, hits, strict=True):
        name = sha256_text(question)[:32]
        for rank, (chunk, score) in enumerate(mine[:20], start=1):
            assert rank_of(chunk, name, health, None) == (rank, score)


def test_a_broken_and_resumed_run_writes_the_rows_of_one_in_one_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def world(name: str) -> World:
        groups = [{"llms": ["toy:a"], "embeddings": ["embedded:hashing"]}]
        index = {"chunk_size": 50, "chunk_overlap": 0}
        return World(tmp_path / name, documents=3, cases=40, groups=groups, k=30, index=index)

    def execute(made: World) -> None:
        asyncio.run(run(made.workspace, made.settings, RuleModels(), embedders(Real("hashing", 7.3)), SilentProgress()))

    whole, broken = world("whole"), world("broken")
    execute(whole)
    with monkeypatch.context() as patch:
        full_disk(patch, rows=10)
        with pytest.raises(StorageError):
            execute(broken)
    execute(broken)
    assert len(whole.files()) > 3
    assert broken.files() == whole.files()
