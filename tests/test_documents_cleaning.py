from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.documents.cleaning import BREAK, clean_characters
from ragtester.documents.hyphens import Hyphens


@pytest.mark.parametrize(
    ("raw", "clean", "dropped"),
    [
        ("plain\ttext\nline", "plain\ttext\nline", 0),
        ("a\r\nb\rc", "a\nb\nc", 0),
        ("\ud83d\ude00 pair", "😀 pair", 0),
        ("lone \ud835 half \udc00", "lone  half ", 2),
        ("nul\x00 bell\x07 esc\x1b", "nul bell esc", 3),
        ("di\ufb03cult \ufb01lter \ufb00 \ufb02oat \ufb04 \ufb05 \ufb06", "difficult filter ff float ffl st st", 0),
        ("soft\u00adhyphen and main\u00ad\ntenance", "softhyphen and maintenance", 0),
        ("\ufeffmark zero\u200bwidth\u2060", "mark zerowidth", 3),
        ("\uf0a7 item\n  \uf0b7 item", "• item\n  • item", 0),
        ("a\ue357b", "ab", 1),
        ("non\u00a0breaking\u2009thin\u3000wide", "non breaking thin wide", 0),
        ("Br¨oker, Juh´asz", "Bröker, Juhász", 0),
        ("می\u200cخواهم but a\u200cb", "می\u200cخواهم but ab", 1),
        ("Start . . . . . . . . . . . 12", "Start .... 12", 0),
        ("日本語、中文。한국어 Ελληνικά עברית", "日本語、中文。한국어 Ελληνικά עברית", 0),
        ("\ufffd stays", "\ufffd stays", 0),
    ],
)
def test_characters(raw: str, clean: str, dropped: int) -> None:
    assert clean_characters(raw) == (clean, dropped)


@given(st.text(alphabet=st.characters(), max_size=200) | st.text(alphabet="ab \n\ud800\udc00\x00\ufffe\u00ad-¨\u200d"))
def test_cleaned_text_can_be_stored_and_is_stable(raw: str) -> None:
    text, dropped = clean_characters(raw)
    text.encode("utf-8")
    assert dropped >= 0
    assert not any(
        unicodedata.category(c) in ("Cs", "Co") or (unicodedata.category(c) == "Cc" and c not in "\n\t") for c in text
    )
    assert "\r" not in text


def mend(text: str, document: str = "") -> str:
    return Hyphens(document + "\n" + text).mend(text)


ENGLISH = "The crew of the ship is on the deck and the captain is in the cabin to rest. "


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("main|tenance", "maintenance"),
        ("air|worthiness", "airworthiness"),
        ("ballast|control log", "ballast-control log"),
        ("just-in|time", "just-in-time"),
        ("2010|2017", "2010-2017"),
        ("IBM|Compatible", "IBM-Compatible"),
        ("multi-lay|er", "multi-layer"),
    ],
)
def test_english_breaks_by_rule(broken: str, whole: str) -> None:
    assert mend(broken.replace("|", BREAK), ENGLISH) == whole


def test_the_document_itself_decides_first() -> None:
    broken = f"start{BREAK}up"
    assert mend(broken, ENGLISH + "The start-up data. A start-up fails.") == "start-up"
    assert mend(broken, ENGLISH + "The startup data. Each startup fails.") == "startup"
    assert mend(f"Zwei{BREAK}weg", "Das Zwei-Weg-Ventil, das Zweiwegventil, ein Zweiweg.") == "Zweiweg"


@pytest.mark.parametrize(
    ("document", "broken", "whole"),
    [
        ("Les pompes et des vannes dans une salle est là. ", "peut|être", "peut-être"),
        ("Les pompes et des vannes dans une salle est là. ", "mainte|nance", "maintenance"),
        ("Если вы хотите что добавить. ", "что|либо", "что-либо"),
        ("Die Anlage wird jeden Tag geprüft. ", "Sicherheits|ventile", "Sicherheitsventile"),
        ("Die Anlage wird jeden Tag geprüft. ", "Nord|Süd", "Nord-Süd"),
    ],
)
def test_other_languages(document: str, broken: str, whole: str) -> None:
    assert mend(broken.replace("|", BREAK), document) == whole
