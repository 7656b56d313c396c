"""Repeats of a run: their names, the order of their contexts, and who leaves them out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.rag.packing import pack
from ragtester.records import Chunk, Manifest
from ragtester.runs import repeat_name, repeated_run, repeats_of
from ragtester.settings import RetrievalSettings
from ragtester.storage import write_json
from ragtester.workspace import Workspace

SHUFFLED = RetrievalSettings(order="shuffle")


def chunks(count: int) -> list[Chunk]:
    return [Chunk(id=f"c{at}", document_id="d", ordinal=at, start=at, end=at + 1, text="x") for at in range(count)]


def executed(space: Workspace, name: str) -> None:
    made = Manifest(stage="execute", name=name, seed=7, started="2026-01-01T00:00:00Z")
    write_json(space.answers(name) / "manifest.json", made)


def test_repeats_are_found_by_number_and_by_their_own_run(tmp_path: Path) -> None:
    space, long = Workspace(tmp_path), "a name that is no folder's: " + "x" * 60
    for name in ("main", "main.repeat-10", "main.repeat-2", "main.repeat-1", "main.repeat-02", "other.repeat-2"):
        executed(space, name)
    executed(space, f"{long}.repeat-3")
    assert repeats_of(space, "main") == ["main.repeat-2", "main.repeat-10"]
    assert repeats_of(space, long) == [f"{long}.repeat-3"]
    assert repeats_of(space, "main.repeat-2") == []
    assert repeats_of(Workspace(tmp_path / "empty"), "main") == []


@given(st.text(min_size=1), st.integers(2, 10**6))
def test_a_repeats_name_says_what_it_repeats(run: str, number: int) -> None:
    assert repeated_run(repeat_name(run, number)) == run
    assert repeat_name(run, 1) == run


def test_names_that_only_look_like_repeats() -> None:
    for name in ("main", "main.repeat-", "main.repeat-1", "main.repeat-0", "main.repeat-x", ".repeat-2", "a.repeat-2b"):
        assert repeated_run(name) is None
    with pytest.raises(ValueError, match="repeat 0"):
        repeat_name("main", 0)


@given(st.integers(0, 8), st.integers(1, 8), st.text(max_size=5))
def test_a_shuffled_context_holds_what_the_ranked_one_does(count: int, k: int, draw: str) -> None:
    packed = pack(chunks(count), k, SHUFFLED, draw).chunks
    assert sorted(one.id for one in packed) == [f"c{at}" for at in range(min(count, k))]
    # Where it stands depends on the chunk and the draw alone, not on what was ranked before it.
    assert packed == pack(chunks(count)[:k][::-1], k, SHUFFLED, draw).chunks


def test_every_chunk_comes_first_in_about_as_many_draws() -> None:
    first = [pack(chunks(4), 4, SHUFFLED, f"7\nmain.repeat-{number}\ncase").chunks[0].id for number in range(400)]
    # 100 each of 400, with a standard deviation of sqrt(400 * 1/4 * 3/4) = 8.7: within five of them.
    assert all(57 <= first.count(f"c{at}") <= 143 for at in range(4))
