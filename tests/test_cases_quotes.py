"""Quotes become spans of the text they were copied from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.stages.cases.quotes import Piece, find, locate

TEXT = (
    "Keep the “log”\non board – for six years.\n\n"
    "The café’s ﬁlter holds 2.5 bar. Then it is opened, slowly and with care."
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("on board – for six years.", ["on board – for six years."]),
        ('Keep the "log" on board - for six years', ["Keep the “log”\non board – for six years"]),
        ('"The café\'s filter holds 2.5 bar."', ["The café’s ﬁlter holds 2.5 bar."]),
        ("the cafe\u0301's filter", ["The café’s ﬁlter"]),
        ("Keep the log ... six years", []),
        ('Keep the "log" ... six years', ["Keep the “log", "six years"]),
        ("six years [...] 2.5 bar … with care.", ["six years", "2.5 bar", "with care."]),
        ("2.5 bar ... six years", []),
        ("holds 3.5 bar", []),
        ("", []),
        ("bar", []),
        ("Then it is opened, slowly.", ["Then it is opened, slowly"]),
    ],
)
def test_find(quote: str, found: list[str]) -> None:
    assert [TEXT[start:end] for start, end in find(quote, TEXT)] == found


def test_locate_counts_from_the_document_s_start_and_names_pieces() -> None:
    pieces = (Piece("section-0", 100, "The pump weighs 40 kg."), Piece("section-3", 500, "The seal weighs 2 kg."))
    located = locate(("The seal weighs 2 kg.", "The pump weighs 40 kg.", "Nobody said this."), pieces)
    assert located.spans == ((100, 122), (500, 521))
    assert located.labels == ("section-3", "section-0") and located.missing == ("Nobody said this.",)


def test_touching_quotes_become_one_span() -> None:
    located = locate(("abcd efgh", "ijkl mnop"), (Piece("a", 0, "abcd efghijkl mnop"),))
    assert located.spans == ((0, 18),)


def test_wide_scripts_need_fewer_characters() -> None:
    text = "バラスト日誌は六年間船内に保管される。"
    assert [text[start:end] for start, end in find("六年 間", text)] == ["六年間"]


@given(st.text(min_size=8, max_size=80), st.data())
def test_every_piece_of_a_text_is_found_at_a_place_that_reads_the_same(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 6))
    end = data.draw(st.integers(start + 6, len(text)))
    quote = text[start:end]
    spans = find(quote, text)
    for first, last in spans:
        assert 0 <= first < last <= len(text)
    if quote.isascii() and quote.isalnum():
        assert len(spans) == 1 and text[slice(*spans[0])].lower() == quote.lower()
