"""The public failure cases and the real PDFs beside the project; skipped where they are absent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragtester.documents.library import find_files, read_corpus
from ragtester.documents.sections import cut_sections
from ragtester.records import Document, UnreadableDocument
from ragtester.settings import ReadingSettings
from ragtester.text.words import words

from .documents_helpers import SHARED

pytestmark = pytest.mark.skipif(not (SHARED / "pdfs").is_dir(), reason="the shared folder is absent")

Found = dict[str, tuple[Document, str] | UnreadableDocument]


def read(folder: Path) -> Found:
    files = find_files(["."], folder)
    results = list(read_corpus(files, ReadingSettings(timeout_seconds=60)))
    assert len(results) == len(files)
    return {file.relative: result for file, result in zip(files, results, strict=True)}


@pytest.fixture(scope="module")
def cases() -> Iterator[Found]:
    yield read(SHARED / "cases")


@pytest.fixture(scope="module")
def pdfs() -> Iterator[Found]:
    yield read(SHARED / "pdfs")


def text_of(found: Found, name: str) -> str:
    result = found[name]
    assert isinstance(result, tuple), result
    return result[1]


def document_of(found: Found, name: str) -> Document:
    result = found[name]
    assert isinstance(result, tuple), result
    return result[0]


def failure_of(found: Found, name: str) -> str:
    result = found[name]
    assert isinstance(result, UnreadableDocument)
    return result.failure.type


def test_failures_of_the_cases_have_their_names(cases: Found) -> None:
    failed = {name: failure_of(cases, name) for name, result in cases.items() if isinstance(result, UnreadableDocument)}
    assert failed == {
        "empty.md": "empty_file",
        "enc_user_pw.pdf": "needs_password",
        "html_saved_as.pdf": "mislabelled",
        "scan_only.pdf": "no_text_layer",
        "truncated.pdf": "truncated",
        "zero.pdf": "empty_file",
    }


def test_texts_of_the_cases(cases: Found) -> None:
    assert text_of(cases, "ligature_hyphen.pdf") == (
        "5 Certification of the float office\n\nThe fire filter is difficult to refit. The maintenance crew signs the "
        "airworthiness certificate and keeps the ballast-control log. Well-known effects are listed in Table 3."
    )
    assert document_of(cases, "nul_surrogate.pdf").dropped_characters == 3
    assert text_of(cases, "enc_owner_only.pdf") == text_of(cases, "good.pdf")
    assert [(w.type, w.pages) for w in document_of(cases, "scan_mixed.pdf").warnings] == [("page_without_text", (2,))]
    assert text_of(cases, "repeated_sections.pdf").count("Safety notice") == 3
    assert text_of(cases, "repeated_sections.pdf").count("Report every accident to the shift lead.") == 3
    assert text_of(cases, "siteA/manual.pdf") != text_of(cases, "siteB/manual.pdf")
    assert document_of(cases, "siteA/manual.pdf").id != document_of(cases, "siteB/manual.pdf").id
    assert document_of(cases, "german.pdf").language == "de"
    assert text_of(cases, "control.md").encode() == b"bad   text  end"
    assert "{" in text_of(cases, "braces.pdf")
    assert "<script>" in text_of(cases, "hostile.md")


def test_failures_of_the_real_files_have_their_names(pdfs: Found) -> None:
    failed = {name: failure_of(pdfs, name) for name, result in pdfs.items() if isinstance(result, UnreadableDocument)}
    assert failed == {
        "empty#hash.pdf": "no_text_layer",
        "empty.pdf": "empty_file",
        "issue19484_2.pdf": "damaged",
        "issue9105_other.pdf": "truncated",
        "nemotron_multipage.pdf": "no_text_layer",
        "password-example.pdf": "needs_password",
        "r4-user-password.pdf": "needs_password",
    }


def test_languages_of_the_real_files(pdfs: Found) -> None:
    expected = {
        "gnuplot.pdf": "en",
        "chelsea_pdta.pdf": "fr",
        "packaging-guide-ru.pdf": "ru",
        "amc-ja.pdf": "ja",
        "GeoTopo-komprimiert.pdf": "de",
        "skipped_1page.pdf": "ko",
    }
    assert {name: document_of(pdfs, name).language for name in expected} == expected


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("packaging-guide-en.pdf", "Creative Commons Attribution-ShareAlike 3.0 1"),
        ("reportlab-userguide.pdf", "User Guide Chapter 2 Graphics and Text with pdfgen"),
        ("redp5110_sampled.pdf", "© Copyright IBM Corp. 2014. All rights reserved. xi"),
        ("gnuplot.pdf", "60 gnuplot 5.4"),
        ("chelsea_pdta.pdf", "Rapport final_2021\n\nProposition"),
        ("amc-ja.pdf", "Auto Multiple Choice 12 / 70"),
    ],
)
def test_running_heads_are_gone(pdfs: Found, name: str, gone: str) -> None:
    assert gone not in text_of(pdfs, name)


def test_columns_hyphens_and_ligatures(pdfs: Found) -> None:
    paper = text_of(pdfs, "tracemonkey.pdf")
    assert (
        "languages such as JavaScript are more difficult to compile than statically typed ones. Since no concrete "
        "type information is available, traditional compilers need to emit generic code" in paper
    )
    assert "mixed-mode execution approach" in paper
    assert not any("\ufb00" <= character <= "\ufb06" for character in paper)
    assert "adipiscing elit. Ut purus elit, vestibulum ut, placerat ac, adipiscing" in text_of(pdfs, "multicolumn.pdf")
    assert "difiﬀ" not in text_of(pdfs, "issue-848.pdf")


def test_lines_of_japanese_join_without_a_space(pdfs: Found) -> None:
    assert "試験問題の文章に UTF-8 エンコーディングを用いることができます。" in text_of(pdfs, "amc-ja.pdf")


def test_nothing_is_lost_or_made_up_against_pypdf(pdfs: Found) -> None:
    from pypdf import PdfReader

    for name in ("camlidl.pdf", "tracemonkey.pdf"):
        other = set(words("\n".join(page.extract_text() for page in PdfReader(SHARED / "pdfs" / name).pages)))
        own = set(words(text_of(pdfs, name)))
        assert len(own & other) > 0.85 * len(own)


def test_every_text_is_storable_and_its_sections_rebuild_it(pdfs: Found) -> None:
    for result in pdfs.values():
        if isinstance(result, UnreadableDocument):
            assert "\n" not in result.failure.message
            continue
        document, text = result
        assert text.encode("utf-8")
        assert list(document.page_starts) == sorted(document.page_starts)
        assert all(0 <= start <= len(text) for start in document.page_starts)
        if len(text) > 300_000:
            continue
        sections = cut_sections(text, document.id, 10, 1000, document.language)
        assert "".join(text[section.start : section.end] for section in sections) == text
