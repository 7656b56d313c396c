"""Repeated lines stay out of what is embedded; near-identical chunks are stored once and keep their labels."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz

from ragtester.rag.chunk_alike import representatives
from ragtester.rag.chunk_repeats import repeated_lines, without
from ragtester.rag.chunking import chunk
from ragtester.rag.gold import Gold
from ragtester.records import Chunk, Document, Evidence, Span
from ragtester.settings import IndexSettings


def cut(text: str, page_starts: tuple[int, ...] = (), **index: Any) -> list[Chunk]:
    document = Document(
        id="manual",
        path="manual.txt",
        source="manual",
        format="pdf",
        sha256="0",
        text_sha256="0",
        language="en",
        characters=len(text),
        page_starts=page_starts,
    )
    return chunk(document, text, IndexSettings(**{"chunk_size": 100, "chunk_overlap": 0, **index}))


def paged(*pages: str) -> tuple[str, tuple[int, ...]]:
    """Pages as one text, a line end between them, and where each begins."""
    starts, length = [], 0
    for page in pages:
        starts.append(length)
        length += len(page) + 1
    return "\n".join(pages), tuple(starts)


def lines(text: str, page_starts: tuple[int, ...] = ()) -> list[str]:
    return [text[start:end].rstrip("\n") for start, end in repeated_lines(text, page_starts)]


# Repeated lines


def test_a_line_on_half_of_the_pages_repeats_whatever_its_numbers() -> None:
    bodies = ["The pump is blue.", "The wheel is red.", "The motor is loud.", "The hose is long.", "The key is lost."]
    pages = [f"{body}\nACME manual, page {number} of 5" for number, body in enumerate(bodies, start=1)]
    assert lines(*paged(*pages)) == [f"ACME manual, page {number} of 5" for number in range(1, 6)]
    # On two of four pages: half of them, but fewer than three.
    assert lines(*paged(pages[0], pages[1], bodies[2], bodies[3])) == []
    # On three of seven: fewer than half.
    assert lines(*paged(*pages[:3], *(f"Other words {'abcd'[number]}" for number in range(4)))) == []


def test_a_bare_number_repeats_only_at_the_edge_of_its_pages() -> None:
    text, starts = paged("The first.\n17\nGoes on.\n1", "The second.\n18\nGoes on here.\n2", "A third.\n19\nEnds.\n3")
    assert lines(text, starts) == ["1", "2", "3"]


@pytest.mark.parametrize(
    "line", ["# Purpose", "| part | price |", "- one item", "A notice that goes on " + "and on " * 30]
)
def test_what_is_the_documents_own_however_often_it_comes(line: str) -> None:
    text, starts = paged(*(f"{line}\nBody {'abcd'[number]}." for number in range(4)))
    assert lines(text, starts) == []


def test_without_pages_a_line_repeats_where_it_comes_at_even_distances() -> None:
    # Words of letters only: "Line a", "Line b", ... are different lines.
    body = [f"Line {chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(100)]
    even = [line for at, line in enumerate(body) for line in ([line, f"ACME, {at}"] if at % 20 == 19 else [line])]
    assert lines("\n".join(even)) == ["ACME, 19", "ACME, 39", "ACME, 59", "ACME, 79", "ACME, 99"]
    places = {3, 10, 44, 50, 97}
    uneven = [line for at, line in enumerate(body) for line in ([line, "Note this"] if at in places else [line])]
    assert lines("\n".join(uneven)) == []
    often = [line for at, line in enumerate(body) for line in ([line, "Parameters"] if at % 4 == 3 else [line])]
    assert lines("\n".join(often)) == []


@pytest.mark.parametrize("chunker", ["paragraph", "markdown"])
def test_repeated_lines_are_left_out_of_what_is_embedded_and_stay_in_the_text(chunker: str) -> None:
    bodies = [("The pump is blue.", "It is old."), ("The wheel is red.", "It is new."), ("The oil is hot.", "Mind it.")]
    text, starts = paged(*(f"{first}\n\nACME manual\n\n{second}\n" for first, second in bodies))
    found = cut(text, starts, strip_repeated=True, chunk_size=1000, chunker=chunker)
    assert [one.text for one in found] == [text.strip()]
    assert [one.embedded for one in found] == ["\n\n".join(f"{first}\n\n{second}" for first, second in bodies)]
    assert all(one.embedded == "" for one in cut(text, starts, chunk_size=1000, chunker=chunker))


def test_a_repeated_line_is_no_sentence() -> None:
    pages = [f"The {part} is blue.\n\nACME manual" for part in ("pump", "wheel", "motor")]
    text, starts = paged(*pages)
    found = cut(text, starts, strip_repeated=True, chunker="sentence-window", window=0)
    assert [one.searched for one in found] == ["The pump is blue.", "The wheel is blue.", "The motor is blue."]
    assert [one.text for one in found] == pages


def test_a_repeated_line_before_all_others_goes_with_the_first_sentence() -> None:
    text, starts = paged(*(f"ACME manual\n\nThe {part} is blue.\n" for part in ("pump", "wheel", "motor")))
    found = cut(text, starts, strip_repeated=True, chunker="sentence-window", window=0)
    assert [one.searched for one in found] == ["The pump is blue.", "The wheel is blue.", "The motor is blue."]
    assert found[0].text == "ACME manual\n\nThe pump is blue.\n\nACME manual"


def test_a_chunk_of_repeated_lines_alone_is_embedded_as_it_is() -> None:
    long = [f"{part} " * 12 for part in ("pump", "wheel", "motor")]
    text, starts = paged(*(f"{one}\n\nACME manual of all our pumps" for one in long))
    found = cut(text, starts, strip_repeated=True, chunk_size=80, chunker="paragraph")
    assert [one.searched for one in found if "ACME" in one.text] == ["ACME manual of all our pumps"] * 3


@given(st.text(alphabet="ab\n", max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 6)), max_size=5))
def test_only_what_lies_in_the_spans_is_left_out(text: str, parts: list[tuple[int, int]]) -> None:
    gone: set[int] = set()
    for start, size in parts:
        gone |= set(range(start, min(start + size, len(text))))
    spans, at = [], 0
    while at < len(text):
        end = at
        while end in gone:
            end += 1
        if end > at:
            spans.append((at, end))
        at = max(end, at + 1)
    for start in range(len(text)):
        left = "".join(text[at] for at in range(start, len(text)) if at not in gone)
        found = without(text, start, len(text), spans)
        assert found.replace("\n", "") == left.replace("\n", "")
        assert found == text[start:] or "\n\n\n" not in found


# Near-identical chunks

NOTE = "Switch off the pump and pull the plug before you open the cover of the {}."


def test_near_identical_chunks_are_stored_once_and_stay_gold() -> None:
    # One letter of 73 differs: a ratio of 2 * 72 / (2 * 73), about 98.6.
    first, second, other = NOTE.format("pump"), NOTE.format("pumq"), "The guarantee holds for two years and no longer."
    text = f"{first}\n\n{other}\n\n{second}"
    one, two = cut(text, chunker="paragraph", near_duplicate=98)
    assert (one.text, two.text) == (first, other)
    start = text.index(second)
    assert one.also == (Span(start=start, end=start + len(second)),) and two.also == ()
    assert [one.ordinal, two.ordinal] == [0, 1]
    gold = Gold([one, two])
    assert gold.ids([Evidence(start=start + 5, end=start + 9)]) == (one.id,)
    assert gold.ids([Evidence(start=start - 10, end=start - 5)]) == (two.id,)
    assert len(cut(text, chunker="paragraph", near_duplicate=99)) == 3
    assert len(cut(text, chunker="paragraph")) == 3


def test_another_number_is_another_fact() -> None:
    text = "\n\n".join(NOTE.format(f"pump after {hours} hours") for hours in (50, 60))
    assert len(cut(text, chunker="paragraph", near_duplicate=90)) == 2


def test_a_chunk_that_slides_over_its_neighbour_is_no_duplicate_of_it() -> None:
    text = " ".join(f"{chr(97 + number % 26)}{chr(97 + number // 26)}" for number in range(300))
    plain = cut(text, chunk_overlap=95)
    assert max(fuzz.ratio(a.text, b.text) for a, b in pairwise(plain)) > 90
    assert cut(text, chunk_overlap=95, near_duplicate=90) == [
        one.model_copy(update={"chunker": "recursive-1+alike-1"}) for one in plain
    ]


def test_a_sentence_in_another_context_is_not_stood_for() -> None:
    text = (
        "The pump stands in the cellar of the house. Read this.\n\nA wheel turns the other wheel slowly. Read this.\n\n"
        "The pump stands in the cellar of the house. Read this."
    )
    found = cut(text, chunker="sentence-window", near_duplicate=95, chunk_size=200)
    assert [one.searched for one in found].count("Read this.") == 3
    alone = cut(text, chunker="sentence-window", near_duplicate=95, window=0)
    assert [one.searched for one in alone].count("Read this.") == 1
    assert len(next(one for one in alone if one.searched == "Read this.").also) == 2


WORDS = st.sampled_from(["pump", "pumps", "wheel", "motor", "oil", "7", "8", "the", "-", "水"])
BODIES = st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=12)


@settings(deadline=None)
@given(BODIES, st.sampled_from([50.0, 80.0, 100.0]))
def test_representatives_are_alike_first_and_stand_for_themselves(bodies: list[str], threshold: float) -> None:
    spans = [(at * 100, at * 100 + len(body)) for at, body in enumerate(bodies)]
    found = representatives(spans, bodies, bodies, threshold)
    for number, first in enumerate(found):
        assert first <= number and found[first] == first
        numbers = ["".join(letter for letter in body if letter in "78") for body in (bodies[first], bodies[number])]
        assert numbers[0] == numbers[1] and fuzz.ratio(bodies[first], bodies[number]) >= threshold
    # Equal texts are always found.
    assert len(set(found)) <= len(set(bodies))


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(0, 25))
def test_one_letter_in_a_hundred_is_always_found(word: int, letter: int) -> None:
    text = " ".join(f"{chr(97 + number % 26)}word{chr(97 + number // 26)}" for number in range(41))
    words = text.split()
    words[word] = chr(97 + letter) + words[word][1:]
    other = " ".join(words)
    spans = [(0, len(text)), (1000, 1000 + len(other))]
    assert representatives(spans, [text, other], [text, other], 98) == [0, 0]
