"""Gold chunks: the same as a look at every chunk gives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragtester.rag.gold import Gold
from ragtester.records import Chunk, Evidence, Span

PLACES = st.tuples(st.integers(0, 60), st.integers(1, 30)).map(lambda place: (place[0], sum(place)))
EVIDENCE = st.tuples(st.integers(0, 70), st.integers(0, 20)).map(lambda place: (place[0], sum(place)))


@given(st.lists(st.lists(PLACES, min_size=1, max_size=3), max_size=8), st.lists(EVIDENCE, max_size=4))
def test_as_by_looking_at_every_chunk(cuts: list[list[tuple[int, int]]], evidence: list[tuple[int, int]]) -> None:
    """Chunks in any order, that overlap each other or stand for others (`also`), and empty spans."""
    chunks = [
        Chunk(
            id=f"d:0:{at}",
            document_id="d",
            ordinal=at,
            start=places[0][0],
            end=places[0][1],
            text="x",
            also=tuple(Span(start=start, end=end) for start, end in places[1:]),
        )
        for at, places in enumerate(cuts)
    ]
    characters = {at for start, end in evidence for at in range(start, end)}
    wanted = [
        f"d:0:{at}"
        for at, places in enumerate(cuts)
        if characters & {character for start, end in places for character in range(start, end)}
    ]
    assert list(Gold(chunks).ids([Evidence(start=start, end=end) for start, end in evidence])) == wanted
