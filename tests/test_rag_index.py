"""Chroma stores on disk: exact ranks, reuse, continuing, damage, names, limits, and nothing left open."""

from __future__ import annotations

import asyncio
import math
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ragtester.progress import SilentProgress
from ragtester.rag.chroma import collection_name
from ragtester.rag.chunking import content_hash
from ragtester.rag.collection import StoreDamagedError
from ragtester.rag.index import open_store, search
from ragtester.rag.similarity import Hit
from ragtester.rag.store import MARKER, Store
from ragtester.records import Chunk
from ragtester.tasks import EmbeddingError
from tests.conftest import run_environment
from tests.execute_fakes import WordEmbedder

QUESTIONS = ["pump", "valve oil", "pump pump valve", "nothing known"]


def chunks(texts: list[str]) -> list[Chunk]:
    return [
        Chunk(
            id=f"d:{content_hash(text)}:{at}", document_id="d", ordinal=at, start=at * 100, end=at * 100 + 9, text=text
        )
        for at, text in enumerate(texts)
    ]


TEXTS = ["pump", "pump valve", "valve", "oil oil valve", "fuse", "pump"]


class Shop:
    """A folder for stores, an embedder that counts, and notes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "store"
        self.embedder = WordEmbedder()
        self.progress = SilentProgress()
        self.texts = TEXTS

    async def open(self, key: str = "k", batch_size: int = 2) -> Store:
        return await open_store(
            self.folder, key, chunks(self.texts), self.embedder, self.progress, batch_size=batch_size
        )

    def ask(self, questions: list[str] | None = None, k: int = 3) -> list[list[Hit]]:
        return asyncio.run(search(self.open, questions or QUESTIONS, k, self.progress))

    def embedded(self) -> tuple[int, int]:
        return sum(self.embedder.documents.values()), sum(self.embedder.queries.values())


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_cosines_by_hand_and_ties_by_id(shop: Shop) -> None:
    ids = [one.id for one in chunks(TEXTS)]
    pump, valve_oil, _, unknown = shop.ask()
    half = round(1 / math.sqrt(2), 6)
    # The two chunks "pump" are equally near; the smaller id comes first.
    assert pump == [(ids[0], 1.0), (ids[5], 1.0), (ids[1], half)]
    # cos((1, 1), (2, 1)) = 3 / sqrt(10); cos with one of the two words is 1 / sqrt(2).
    tied = sorted([ids[1], ids[2]])
    assert valve_oil == [(ids[3], round(3 / math.sqrt(10), 6)), (ids[2], half), (ids[1], 0.5)]
    assert len(tied) == 2
    # A question without a known word has a vector of zeros: similar to nothing.
    assert [score for _, score in unknown] == [0.0, 0.0, 0.0]
    assert [name for name, _ in unknown] == sorted(ids)[:3]


def test_a_store_is_filled_once_and_a_question_is_embedded_once(shop: Shop) -> None:
    first = shop.ask()
    assert shop.embedded() == (6, 4)
    assert shop.ask() == first
    assert shop.embedded() == (6, 4)
    shop.ask([*QUESTIONS, "fuse", "fuse"])
    assert shop.embedded() == (6, 5)
    assert shop.progress.notes == []


def test_ranks_are_exact_on_many_vectors(tmp_path: Path) -> None:
    """Chroma's own graph search misses a quarter of these; the reference is a plain loop."""
    draw = random.Random(5)
    vectors = {f"text {at}": [draw.gauss(0, 1) for _ in range(24)] for at in range(1500)}

    class Random(WordEmbedder):
        def _embed(self, texts: list[str]) -> list[list[float]]:
            return [vectors[text] for text in texts]

    made, embedder = chunks(list(vectors)[:1490]), Random()
    questions = list(vectors)[1490:]

    async def opened() -> Store:
        return await open_store(tmp_path / "s", "k", made, embedder, SilentProgress(), batch_size=500)

    hits = asyncio.run(search(opened, questions, 4, SilentProgress()))
    for question, found in zip(questions, hits, strict=True):
        exact = sorted(made, key=lambda one: -_cosine(vectors[one.text], vectors[question]))[:4]
        assert [name for name, _ in found] == [one.id for one in exact]
        assert found[0][1] == pytest.approx(_cosine(vectors[exact[0].text], vectors[question]), abs=1e-5)


def _cosine(one: list[float], two: list[float]) -> float:
    return sum(a * b for a, b in zip(one, two, strict=True)) / (math.hypot(*one) * math.hypot(*two))


def test_a_half_built_store_is_continued(shop: Shop) -> None:
    shop.embedder.fail_after = 2
    with pytest.raises(EmbeddingError, match="transport"):
        shop.ask()
    assert not (shop.folder / MARKER).exists()
    paid = shop.embedder.documents.copy()
    shop.embedder.fail_after = None
    hits = shop.ask()
    # Two batches of two were paid for; the third request failed; now only the last two chunks are embedded again.
    assert shop.embedder.documents - paid == {"fuse": 1, "pump": 1}
    other = Shop(shop.folder.parent / "other")
    assert other.ask() == hits


def test_chunks_that_are_no_longer_planned_leave_a_half_built_store(shop: Shop) -> None:
    shop.embedder.fail_after = 2
    with pytest.raises(EmbeddingError):
        shop.ask()
    shop.embedder.fail_after = None
    shop.texts = ["pump", "fuse"]
    assert [len(found) for found in shop.ask()] == [2, 2, 2, 2]


def _cut_database(folder: Path) -> None:
    os.truncate(folder / "chroma.sqlite3", 20_000)


def _no_database(folder: Path) -> None:
    (folder / "chroma.sqlite3").unlink()


def _garbage(folder: Path) -> None:
    (folder / "chroma.sqlite3").write_bytes(b"no database " * 500)


def _no_graphs(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)


def _cut_graphs(folder: Path) -> None:
    for path in folder.glob("*/data_level0.bin"):
        os.truncate(path, 10)


def _zeroed_graphs(folder: Path) -> None:
    for path in folder.glob("*/data_level0.bin"):
        path.write_bytes(b"\0" * path.stat().st_size)


def _bad_marker(folder: Path) -> None:
    (folder / MARKER).write_text("{", encoding="utf-8")


def _other_key(folder: Path) -> None:
    path = folder / MARKER
    path.write_text(path.read_text(encoding="utf-8").replace('"k"', '"other"'), encoding="utf-8")


@pytest.mark.parametrize(
    "damage",
    [_cut_database, _no_database, _garbage, _bad_marker, _other_key],
)
def test_a_damaged_store_is_noticed_and_made_again(shop: Shop, damage: Callable[[Path], None]) -> None:
    shop.texts = [f"pump {'valve ' * (at % 7)}{'oil ' * (at % 11)}" for at in range(1100)]

    async def opened() -> Store:
        return await shop.open(batch_size=500)

    before = asyncio.run(search(opened, QUESTIONS, 3, shop.progress))
    damage(shop.folder)
    assert asyncio.run(search(opened, QUESTIONS, 3, shop.progress)) == before
    assert len(shop.progress.notes) == 1 and "made again" in shop.progress.notes[0]
    assert sum(shop.embedder.documents.values()) == 2200


@pytest.mark.parametrize("damage", [_no_graphs, _cut_graphs, _zeroed_graphs])
def test_files_of_the_graph_are_not_needed(shop: Shop, damage: Callable[[Path], None]) -> None:
    """Chroma ends the process with a segmentation fault on a graph file that a kill cut short: none is ever read."""
    shop.texts = [f"pump {'valve ' * (at % 7)}{'oil ' * (at % 11)}" for at in range(1100)]

    async def opened() -> Store:
        return await shop.open(batch_size=500)

    before = asyncio.run(search(opened, QUESTIONS, 3, shop.progress))
    damage(shop.folder)
    assert asyncio.run(search(opened, QUESTIONS, 3, shop.progress)) == before
    assert shop.progress.notes == []
    assert shop.embedded() == (1100, 4)


def test_a_store_that_cannot_be_written_is_not_thrown_away(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    from ragtester.errors import StorageError
    from ragtester.rag.collection import chroma_errors

    class InternalError(Exception):
        __module__ = "chromadb.errors"

    with pytest.raises(StorageError, match="free space"), chroma_errors():
        raise InternalError("error returned from database: (code: 13) database or disk is full")
    with pytest.raises(StoreDamagedError, match="malformed"), chroma_errors():
        raise InternalError("database disk image is malformed")
    with pytest.raises(ZeroDivisionError), chroma_errors():
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1.0, 0.0]], "1 vectors for 2 texts"),
        ([], "0 vectors for 2 texts"),
        ([[1.0, 0.0], [1.0]], "1, 2"),
        ([[], []], "0"),
        ([[1.0, math.nan], [1.0, 0.0]], "NaN"),
        ([[1.0, math.inf], [1.0, 0.0]], "infinity"),
    ],
)
def test_vectors_that_are_none_are_a_failure_with_the_models_name(
    shop: Shop, vectors: list[list[float]], message: str
) -> None:
    shop.embedder._embed = lambda _: vectors  # type: ignore[method-assign, assignment]
    with pytest.raises(EmbeddingError, match=message) as caught:
        shop.ask()
    assert "toy:words" in caught.value.failure.message


def test_questions_of_another_length_are_a_failure(shop: Shop) -> None:
    shop.ask()
    shop.embedder._embed = lambda texts: [[1.0, 2.0]] * len(texts)  # type: ignore[method-assign]
    with pytest.raises(EmbeddingError, match="2 numbers"):
        shop.ask(["another question"])


def test_names_follow_the_rule_and_never_collide() -> None:
    names = [
        "nomic-embed-text:latest",
        "nomic-embed-text/latest",
        "bge m3",
        "bge-m3",
        "é中",
        "a",
        "a:b",
        "a/b",
        "x" * 900,
    ]
    made = [collection_name("chunks", name) for name in names]
    assert len(set(made)) == len(names)
    for name in made:
        assert re.fullmatch(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,510}[a-zA-Z0-9]", name) and ".." not in name


@pytest.mark.parametrize("name", ["nomic-embed-text:latest", "bge m3", "é中"])
def test_chroma_takes_the_names(tmp_path: Path, name: str) -> None:
    shop = Shop(tmp_path)
    shop.embedder.model = name
    assert len(shop.ask()) == 4


def test_more_rows_than_one_call_of_chroma_takes(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    shop.texts = [f"pump {at}" for at in range(6000)]

    async def opened() -> Store:
        return await shop.open(batch_size=1_000_000)

    for _ in range(2):
        assert len(asyncio.run(search(opened, ["pump"], 5, shop.progress))[0]) == 5
    # Chroma takes some 5,000 rows at once; the embedding model got all in one batch, as it was told.
    assert (shop.embedder.calls, shop.progress.notes) == (2, [])


def test_vectors_beyond_the_memory_limit_give_the_same_hits(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.texts = [f"pump {'valve ' * (at % 7)}{'oil ' * (at % 11)}" for at in range(60)]
    before = shop.ask()
    monkeypatch.setattr("ragtester.rag.rows.IN_MEMORY", 500)
    monkeypatch.setattr("ragtester.rag.rows.PAGE_ROWS", 7)
    assert shop.ask() == before
    fresh = Shop(shop.folder.parent / "fresh")
    fresh.texts = shop.texts
    assert fresh.ask() == before
    # SQLite's log may stay; the vectors' file of more than memory holds may not.
    kept = {path.name for path in fresh.folder.iterdir() if path.is_file()}
    assert kept - {"chroma.sqlite3-wal", "chroma.sqlite3-shm"} == {"chroma.sqlite3", MARKER}


def test_what_is_left_of_another_database_is_not_played_into_a_new_one(shop: Shop) -> None:
    hits = shop.ask()
    shutil.copy(shop.folder / "chroma.sqlite3", shop.folder / "chroma.sqlite3-wal")
    (shop.folder / "chroma.sqlite3").unlink()
    (shop.folder / MARKER).unlink()
    assert shop.ask() == hits


def test_a_document_without_chunks(shop: Shop) -> None:
    shop.texts = []
    assert shop.ask() == [[], [], [], []]


def test_files_are_closed(tmp_path: Path) -> None:
    folder = Path("/proc/self/fd")
    if not folder.is_dir():
        pytest.skip("open files cannot be counted on this system")
    Shop(tmp_path / "warm").ask()
    before = len(list(folder.iterdir()))
    for number in range(8):
        Shop(tmp_path / str(number)).ask()
    assert len(list(folder.iterdir())) <= before + 1


@pytest.mark.parametrize("env_file", [b"CHROMA_SERVER_HOST=far.example\nIS_PERSISTENT=nonsense\n", b"NAME=\xff\n"])
def test_settings_of_the_surroundings_do_not_reach_chroma(tmp_path: Path, env_file: bytes) -> None:
    """Chroma reads `.env` of the working directory and variables; neither may move the store or start telemetry.

    In a process of its own, for Chroma reads them while it is imported, and that happens once.
    """
    (tmp_path / ".env").write_bytes(env_file)
    surroundings = {
        "CHROMA_API_IMPL": "chromadb.api.fastapi.FastAPI",
        "PERSIST_DIRECTORY": str(tmp_path / "elsewhere"),
        "ALLOW_RESET": "nonsense",
    }
    code = (
        "import sys, pathlib; from ragtester.rag import chroma; chroma.connect(pathlib.Path(sys.argv[1]), 'm').close()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "store")],
        cwd=tmp_path,
        env={**run_environment(), **surroundings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "store" / "chroma.sqlite3").is_file()
    assert not (tmp_path / "elsewhere").exists()
