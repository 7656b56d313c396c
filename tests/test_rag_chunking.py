"""Chunks: exact offsets in any text, the same cuts as LangChain's splitter, gold chunks by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_text_splitters import RecursiveCharacterTextSplitter

from ragtester.errors import UsageError
from ragtester.rag.chunk_cuts import SEPARATORS
from ragtester.rag.chunking import chunk
from ragtester.rag.gold import Gold
from ragtester.records import Chunk, Document, Evidence
from ragtester.settings import IndexSettings

SMALL = IndexSettings(chunk_size=50, chunk_overlap=12)
# Few letters, so that the text repeats itself and a search for a chunk finds the wrong place.
REPETITIVE = st.text(
    alphabet=st.sampled_from(["a", "b", " ", "\n", ".", "。", "，", "é", "\u200b", "中"]), max_size=600
)


def document(text: str, page_starts: tuple[int, ...] = ()) -> Document:
    return Document(
        id="manual",
        path="manual.txt",
        source="manual",
        format="txt",
        sha256="0",
        text_sha256="0",
        language="en",
        characters=len(text),
        page_starts=page_starts,
    )


def cut(text: str, index: IndexSettings = SMALL, page_starts: tuple[int, ...] = ()) -> list[Chunk]:
    return chunk(document(text, page_starts), text, index)


@given(REPETITIVE)
def test_every_chunk_is_its_span_and_nothing_but_whitespace_is_left_out(text: str) -> None:
    chunks = cut(text)
    left = set(range(len(text)))
    for one in chunks:
        assert text[one.start : one.end] == one.text == one.text.strip() != ""
        assert len(one.text) <= SMALL.chunk_size
        left -= set(range(one.start, one.end))
    assert "".join(text[at] for at in sorted(left)).strip() == ""
    assert [one.start for one in chunks] == sorted(one.start for one in chunks)
    assert len({one.id for one in chunks}) == len(chunks)


@given(REPETITIVE)
def test_the_cuts_are_those_of_the_library(text: str) -> None:
    plain = RecursiveCharacterTextSplitter(
        separators=list(SEPARATORS),
        is_separator_regex=True,
        keep_separator="end",
        strip_whitespace=False,
        chunk_size=SMALL.chunk_size,
        chunk_overlap=SMALL.chunk_overlap,
    )
    expected = [piece.strip() for piece in plain.split_text(text) if piece.strip()]
    assert [one.text for one in cut(text)] == expected


def test_offsets_where_the_text_repeats() -> None:
    # Twenty equal lines of ten characters: a chunk holds five, the next one starts one line before its end.
    text = "abcdefghi\n" * 20
    assert [(one.start, one.end) for one in cut(text)][:3] == [(0, 49), (40, 89), (80, 129)]


def test_chinese_is_cut_after_its_sentences() -> None:
    text = "水泵每年检查一次。" * 12
    chunks = cut(text)
    assert len(chunks) > 1
    assert all(one.text.endswith("。") and one.text.startswith("水泵") for one in chunks)


def test_whitespace_gives_no_chunk() -> None:
    assert cut("") == []
    assert cut(" \n\n \t \u3000") == []


def test_pages_of_chunks() -> None:
    text = ("x" * 39 + "\n") * 3
    assert [one.pages for one in cut(text, page_starts=(0, 40, 80))] == [(1,), (2,), (3,)]


def test_ids_name_document_content_and_place() -> None:
    # Equal boilerplate on two pages: same content hash, told apart by the ordinal.
    first, second = cut("The same warning stands here. Mind it well now.\n\n" * 2)
    assert first.text == second.text
    assert first.id.startswith("manual:") and first.id.endswith(":0") and second.id.endswith(":1")
    assert first.id.split(":")[1] == second.id.split(":")[1]
    # sha256("abc") begins with ba7816bf (FIPS 180-2, appendix B.1).
    assert cut("abc")[0].id == "manual:ba7816bf:0"


def test_gold_chunks_are_those_that_overlap_the_evidence() -> None:
    chunks = cut("abcdefghi\n" * 20)  # spans (0, 49), (40, 89), (80, 129), ...
    ids = [one.id for one in chunks]
    assert Gold(chunks).ids([Evidence(start=10, end=20)]) == (ids[0],)
    assert Gold(chunks).ids([Evidence(start=45, end=46)]) == (ids[0], ids[1])
    assert Gold(chunks).ids([Evidence(start=49, end=50)]) == (ids[1],)
    assert Gold(chunks).ids([Evidence(start=0, end=1), Evidence(start=85, end=86)]) == (ids[0], ids[1], ids[2])
    assert Gold(chunks).ids([Evidence(start=5, end=5)]) == ()
    assert Gold(chunks).ids([]) == ()


def test_an_overlap_as_large_as_the_chunk_is_refused() -> None:
    with pytest.raises(UsageError, match="chunk_overlap"):
        cut("text", IndexSettings(chunk_size=50, chunk_overlap=50))


def test_braces_and_template_marks_stay_letter_for_letter() -> None:
    text = 'Set {user} to %s and $HOME; close </section> with ```json {"a": {"b": 1}}``` \\frac{1}{2}.'
    assert "".join(one.text for one in cut(text, IndexSettings(chunk_size=500, chunk_overlap=0))) == text


@pytest.mark.parametrize("name", ["braces.pdf", "repeated_sections.pdf", "german.pdf", "fake_bold_twice.pdf"])
def test_real_files(shared_cases: Path, name: str) -> None:
    import pypdfium2

    with pypdfium2.PdfDocument(shared_cases / name) as pdf:
        text = "\n".join(pdf[number].get_textpage().get_text_bounded() for number in range(len(pdf)))
    chunks = cut(text, IndexSettings(chunk_size=200, chunk_overlap=40))
    assert chunks and len({one.id for one in chunks}) == len(chunks)
    assert all(text[one.start : one.end] == one.text for one in chunks)
