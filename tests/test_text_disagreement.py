"""Whether a text says that its sources disagree."""

from __future__ import annotations

import pytest

from ragtester.text.disagreement import names_conflict, tells_of_disagreement


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The two notices contradict each other.", "en"),
        ("Die Angaben widersprechen sich.", "de"),
        ("Les deux textes se contredisent.", "fr"),
        ("Las fuentes se contradicen.", "es"),
        ("Le due fonti si contraddicono.", "it"),
        ("As duas fontes contradizem-se.", "pt"),
        ("De bronnen spreken elkaar tegen: dat is tegenstrijdig.", "nl"),
    ],
)
def test_a_conflict_in_so_many_words_is_seen_in_any_language(text: str, language: str) -> None:
    assert names_conflict(text)
    assert tells_of_disagreement(text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Employees report a conflict of interest within 14 days.", "en"),
        ("Die Widerspruchsfrist beträgt einen Monat.", "de"),
        ("It is 30 days, but not on Sundays.", "en"),
    ],
)
def test_what_only_sounds_like_one_is_none(text: str, language: str) -> None:
    assert not names_conflict(text)
    assert not tells_of_disagreement(text, language)


def test_one_source_set_against_another_is_told_in_its_own_language_and_is_no_conflict_in_words() -> None:
    text = "Another section gives 14 days."
    assert tells_of_disagreement(text, "en")
    assert not names_conflict(text)
    assert not tells_of_disagreement(text, "de") and not tells_of_disagreement(text, "ja")
