from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import regex  # type: ignore[import-untyped]
import textstat
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtester.documents.language import detect
from ragtester.documents.readability import LOCALES, clamp, flesch
from ragtester.documents.section_kinds import kind_of, prose_of
from ragtester.documents.sections import cut_sections
from ragtester.text.words import estimate_tokens

from .documents_helpers import SHARED

PARAGRAPH = "The relief valve is set to twelve bar. It is sealed by the engineer, who signs the log of the pump. "


def article(paragraphs: int) -> str:
    return "\n\n".join(f"{number} {PARAGRAPH * (1 + number % 3)}" for number in range(paragraphs))


def test_sections_end_at_paragraphs_and_have_about_equal_sizes() -> None:
    text = article(60)
    sections = cut_sections(text, "d", 6, 1000, "en")
    assert [section.ordinal for section in sections] == [0, 1, 2, 3, 4, 5]
    assert {section.document_id for section in sections} == {"d"}
    assert all(text[section.end - 2 : section.end] == "\n\n" for section in sections[:-1])
    sizes = [section.tokens for section in sections]
    assert max(sizes) < 1.4 * min(sizes)
    assert all(section.kind == "prose" and section.flesch is not None for section in sections)


def test_a_short_document_gives_fewer_sections() -> None:
    assert len(cut_sections(article(3), "d", 10, 1000, "en")) == 3
    assert len(cut_sections("One line only.", "d", 10, 1000, "en")) == 1
    assert cut_sections(" \n\n ", "d", 10, 1000, "en") == []


def test_a_long_document_gives_more_sections_than_asked_rather_than_too_long_ones() -> None:
    text = article(200)
    sections = cut_sections(text, "d", 3, 400, "en")
    assert len(sections) > 3
    assert max(section.tokens for section in sections) <= 400


def test_a_paragraph_beyond_the_maximum_is_cut_at_sentence_ends() -> None:
    text = PARAGRAPH * 40
    sections = cut_sections(text, "d", 2, 200, "en")
    assert all(section.tokens <= 200 for section in sections)
    assert all(text[section.end - 2 : section.end] == ". " for section in sections)


def test_a_heading_begins_its_section() -> None:
    parts = [f"{number}. Heading of part {number}\n\n{PARAGRAPH * 4}\n\n{PARAGRAPH * 2}" for number in range(1, 9)]
    text = "\n\n".join(parts)
    sections = cut_sections(text, "d", 8, 1000, "en")
    assert [text[section.start :].split("\n")[0] for section in sections] == [
        f"{n}. Heading of part {n}" for n in range(1, 9)
    ]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.text(max_size=60)
        | st.sampled_from(["\n\n", "word ", "End. ", "# Head\n\n", "中文字", "👩‍👩‍👧", "e\u0301\u0323", "🇩🇪"]),
        max_size=60,
    ).map("".join),
    st.integers(1, 12),
    st.integers(5, 60),
)
def test_spans_rebuild_the_text_and_cut_no_grapheme(text: str, count: int, most: int) -> None:
    text = text.encode("utf-8", "ignore").decode()
    sections = cut_sections(text, "d", count, most, "en")
    if not text.strip():
        assert sections == []
        return
    assert "".join(text[section.start : section.end] for section in sections) == text
    assert all(section.start < section.end for section in sections)
    borders = {found.end() for found in regex.finditer(r"\X", text)}
    assert {section.end for section in sections} <= borders
    for section in sections:
        assert section.tokens == estimate_tokens(text[section.start : section.end])
        lone = len(regex.findall(r"\X", text[section.start : section.end])) == 1
        assert section.tokens <= most or lone


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("prose", PARAGRAPH * 3),
        ("prose", "維修技師每天早上檢查安全閥。然後他把數值寫進維修記錄本。" * 5),
        ("contents", "Contents\n\n1 Introduction .... 1\n1.1 Scope .... 2\n2 Pumps .... 7\n3 Valves .... 12"),
        ("contents", "Contents\n1 Introduction 1\n1.1 Scope of it 2\n2 Pumps and pipes 7\n3 Valves 12\n4 Tanks 19"),
        ("table", "| Part | Bar |\n| --- | --- |\n| V7 | 12 |\n| V8 | 14 |"),
        ("table", "Part Bar Days\nV7 12.0 90\nV8 14.5 30\nV9 11.0 60\nV10 12.5 90"),
        ("code", "def check(valve):\n    bar = valve.read()\n    if bar > 12:\n        return False\n    return True"),
        ("code", "```\n$ make test\nall good\n```"),
        ("code", "int main(void)\n{\n    puts(text);\n    return 0;\n}"),
        ("list", "• set the valve\n• seal the plug\n• sign the log\n• close the hatch"),
        (
            "references",
            "[1] A. Gal. Verification. PhD thesis, 2006.\n\n[2] B. Low. Traces. In Proceedings of Y, 1999.",
        ),
        ("garbled", "/g115/g3 /g40/g81/g75 /g68/g81/g70 /g72/g3/g87 /g75/g72/g3"),
        ("garbled", "T h e v a l v e i s s e t t o t w e l v e b a r a n d s e a l e d"),
        ("garbled", "\ufffd\ufffd\ufffd\ufffd th\ufffd\ufffd \ufffd\ufffd\ufffd pump \ufffd\ufffd"),
        ("garbled", "Thereliefvalveofthepumpissettotwelvebar andissealedbytheengineerwhosignsthelogofthepump"),
    ],
)
def test_kinds(kind: str, text: str) -> None:
    assert kind_of(text, "zh" if "維" in text else "en") == kind


def test_only_prose_has_a_score_and_headings_do_not_count() -> None:
    contents = "Contents\n\n1 Introduction .... 1\n1.1 Scope .... 2\n2 Pumps .... 7"
    (section,) = cut_sections(contents, "d", 1, 1000, "en")
    assert (section.kind, section.flesch) == ("contents", None)
    (section,) = cut_sections(f"3.1 Incomprehensibilities\n\n{PARAGRAPH}", "d", 1, 1000, "en")
    assert section.flesch == flesch(PARAGRAPH, "en")
    assert prose_of(f"Heading\n\n{PARAGRAPH}\n\nx = 1;") == PARAGRAPH


def test_flesch_by_hand() -> None:
    # 13 words (the, cat, sat, on, the, mat; then, it, went, away, to, the, sea), 2 sentences, 14 syllables.
    score = flesch("The cat sat on the mat. Then it went away to the sea.", "en")
    assert score == pytest.approx(206.835 - 1.015 * 13 / 2 - 84.6 * 14 / 13)


@pytest.mark.parametrize("language", sorted(LOCALES))
def test_scores_are_textstats_own(language: str) -> None:
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    joined = " ".join(text.split())
    meter = textstat.textstat.__class__()
    meter.set_lang(LOCALES[language])
    assert flesch(text, language) == pytest.approx(meter.flesch_reading_ease(joined), abs=1e-9)


@pytest.mark.parametrize("language", ["zh", "ja", "ar", "pl", "und", "xx", ""])
def test_no_formula_no_score(language: str) -> None:
    assert flesch(PARAGRAPH, language) is None


@pytest.mark.parametrize("text", ["", "  \n ", "text_a", "12 34 56 78", "... !!! ???", "Title"])
def test_nothing_to_score(text: str) -> None:
    assert flesch(text, "en") is None


def test_line_breaks_and_broken_words_are_joined_before_scoring() -> None:
    broken = "The techni-\ncian signs\nthe log and\nkeeps the\ncopy for six\nyears."
    assert flesch(broken, "en") == flesch("The technician signs the log and keeps the copy for six years.", "en")


def test_scores_are_limited_for_ranking_only() -> None:
    assert [clamp(score) for score in (-3.0, 47.5, 121.0)] == [0.0, 47.5, 100.0]


def test_languages_do_not_mix_over_threads() -> None:
    alone = {language: flesch(PARAGRAPH, language) for language in LOCALES}
    seen: list[bool] = []

    def score(language: str) -> None:
        seen.extend(flesch(PARAGRAPH, language) == alone[language] for _ in range(50))

    threads = [threading.Thread(target=score, args=(language,)) for language in LOCALES for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 100 * len(LOCALES)
    assert all(seen)


def test_scores_and_languages_need_no_network() -> None:
    program = (
        "import socket\n"
        "def refuse(*a, **k): raise OSError('network refused')\n"
        "socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse\n"
        "from ragtester.documents.readability import flesch\n"
        "from ragtester.documents.language import detect\n"
        "print(detect('The valve of the pump is sealed by the engineer today.'))\n"
        "print(round(flesch('The cat sat on the mat.', 'en')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["en", "116"]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "The relief valve of the pump is set to twelve bar and sealed."),
        ("de", "Der Wartungstechniker überprüft die Sicherheitsventile jeden Morgen."),
        ("fr", "Le technicien vérifie la soupape de sûreté chaque matin."),
        ("ru", "Техник каждое утро проверяет предохранительный клапан."),
        ("ja", "技術者は毎朝安全弁を点検します。"),
        ("zh", "维修技师每天早上检查安全阀。"),
        ("ko", "기술자는 매일 아침 안전 밸브를 점검합니다."),
        ("und", "x = 1"),
        ("und", "12 34 --- !!!"),
        ("und", ""),
    ],
)
def test_languages(code: str, text: str) -> None:
    assert detect(text) == code


def test_the_language_of_most_of_a_text_wins() -> None:
    english, german = (
        PARAGRAPH * 60,
        "Der Techniker prüft jeden Morgen das Ventil der Pumpe und schreibt den Wert auf. " * 200,
    )
    assert detect(english + german) == "de"
    assert detect("def f(x): return x\n" * 3 + PARAGRAPH * 5) == "en"


@pytest.mark.skipif(not (SHARED / "cases").is_dir(), reason="shared cases are absent")
def test_published_flesch_cases() -> None:
    rows = [json.loads(line) for line in (SHARED / "cases/flesch_cases.jsonl").read_text(encoding="utf-8").splitlines()]
    texts = {row["id"]: row["text"] for row in rows}
    assert flesch(texts["empty"], "en") is None
    assert flesch(texts["space"], "en") is None
    assert flesch(texts["chinese"], detect(texts["chinese"])) is None
    assert flesch(texts["german"], detect(texts["german"])) == pytest.approx(47.7, abs=0.05)
