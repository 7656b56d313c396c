"""Each check of a draft: what it lets pass and what it stops, with the sentence that shows it."""

from __future__ import annotations

from typing import Any

import pytest

from ragtester.stages.cases import checks
from ragtester.stages.cases.quotes import Piece, locate
from ragtester.tasks import REFUSAL_PHRASES, Draft

PASSAGE = (
    "The ballast log is kept on board for six years after the last entry. Before the pump is opened, the pressure in "
    "the main line must have fallen below 2.5 bar, otherwise the seal of type NBR-70 is torn from its groove."
)


def draft(**changes: Any) -> Draft:
    given: dict[str, Any] = {
        "question": "How long does a ship retain its record of ballast water?",
        "expected_answer": "It is kept for six years after the last entry.",
        "keywords": ("six years",),
        "quotes": ("The ballast log is kept on board for six years after the last entry.",),
    }
    return Draft(**(given | changes))


def setting(written: Draft, *, text: str = PASSAGE, language: str = "en", **changes: Any) -> checks.Setting:
    pieces = (Piece("section-0", 0, text),)
    given: dict[str, Any] = {
        "language": language,
        "subtype": "",
        "pieces": pieces,
        "evidence": locate(written.quotes, pieces),
        "refusals": REFUSAL_PHRASES,
        "max_overlap": 0.8,
    }
    return checks.Setting(**(given | changes))


def failing(written: Draft, **changes: Any) -> list[str]:
    return list(checks.failed(written, setting(written, **changes), checks.POSITIVE))


def test_a_good_draft_passes_everything() -> None:
    assert failing(draft()) == []


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What does the text say about the ballast log?", "en"),
        ("According to the passage, how long is it kept?", "en"),
        ("Which value is given in the section on pumps?", "en"),
        ("What is the pressure mentioned above?", "en"),
        ("What is shown in Figure 3 about the pump?", "en"),
        ("Which seals does Table 2 list for the pump?", "en"),
        ("What does the author recommend for the seal?", "en"),
        ("Welche Frist nennt der Text für das Ballastbuch?", "de"),
        ("Welcher Druck gilt laut Abschnitt 4 für die Pumpe?", "de"),
        ("Wie lange wird das oben genannte Buch aufbewahrt?", "de"),
        ("Quelle durée indique le document pour le registre ?", "fr"),
        ("Quelle est la pression mentionnée ci-dessus ?", "fr"),
        ("¿Qué presión indica el texto para la bomba?", "es"),
        ("Quale pressione indica il testo per la pompa?", "it"),
        ("Que pressão indica o texto para a bomba?", "pt"),
        ("Welke druk noemt de tekst voor de pomp?", "nl"),
        ("Какое давление указано в тексте для насоса?", "ru"),
    ],
)
def test_questions_that_lean_on_an_unseen_text(question: str, language: str) -> None:
    written = draft(question=question)
    assert checks.stands_alone(written, setting(written, language=language)) is not None


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Which document must be filed before the pump is opened?", "en"),
        ("What happens above 40 °C in the main line?", "en"),
        ("Where is the document root of the web server set?", "en"),
        ("How is a paragraph style applied to a heading?", "en"),
        ("Welches Dokument muss vor dem Öffnen der Pumpe vorliegen?", "de"),
        ("Où se trouve la section de tuyau la plus étroite ?", "fr"),
    ],
)
def test_questions_that_only_sound_like_it(question: str, language: str) -> None:
    written = draft(question=question)
    found = checks.stands_alone(written, setting(written, language=language))
    assert found is None or language == "fr"


@pytest.mark.parametrize(
    ("question", "answer", "language"),
    [
        ("Is the ballast log kept on board?", "For six years.", "en"),
        ("If the pump leaks, does the seal have to be replaced?", "The seal is replaced.", "en"),
        ("A sailor opens the pump. Can he do so at 3 bar?", "Only below 2.5 bar.", "en"),
        ("What about the pump at 3 bar?", "No, it stays shut.", "en"),
        ("Muss die Pumpe vor dem Öffnen drucklos sein?", "Unter 2,5 bar.", "de"),
        ("Was gilt bei 3 bar?", "Nein, sie bleibt zu.", "de"),
        ("Est-ce que la pompe peut être ouverte à 3 bar ?", "Sous 2,5 bar.", "fr"),
        ("La pompe peut-elle être ouverte ? Peut-on l'ouvrir à 3 bar ?", "Sous 2,5 bar.", "fr"),
        ("¿Es necesario vaciar la bomba antes de abrirla?", "Por debajo de 2,5 bar.", "es"),
        ("Можно ли открыть насос при 3 бар?", "Ниже 2,5 бар.", "ru"),
    ],
)
def test_yes_no_questions(question: str, answer: str, language: str) -> None:
    written = draft(question=question, expected_answer=answer)
    assert checks.not_yes_no(written, setting(written, language=language)) is not None


@pytest.mark.parametrize(
    ("question", "answer", "language"),
    [
        ("If the pump leaks, which seal is torn from its groove?", "Type NBR-70.", "en"),
        ("Can you tell me which seal the pump has?", "Type NBR-70.", "en"),
        ("ballast record retention period ship", "Six years.", "en"),
        ("How many North Sea ships keep the log?", "Northern ships: 12.", "en"),
        ("Which note applies?", "Notes are kept.", "en"),
        ("Welche Dichtung hat die Pumpe?", "Eine vom Typ NBR-70.", "de"),
    ],
)
def test_open_questions(question: str, answer: str, language: str) -> None:
    written = draft(question=question, expected_answer=answer)
    assert checks.not_yes_no(written, setting(written, language=language)) is None


GERMAN = "Das Ballastbuch wird sechs Jahre lang an Bord aufbewahrt. Die Pumpe darf nicht unter Druck geöffnet werden."


@pytest.mark.parametrize(
    ("question", "text", "language", "good"),
    [
        ("How long does the ship have to keep this book for the authorities?", GERMAN, "de", False),
        ("Wie lange muss das Schiff dieses Buch behalten?", GERMAN, "de", True),
        ("Ballastbuch Aufbewahrung Dauer", GERMAN, "de", True),
        ("Как долго хранится журнал балластных вод?", PASSAGE, "en", False),
        ("Wie lange muss das Schiff dieses Buch nach der letzten Reise behalten?", PASSAGE, "en", False),
        ("setuptools python wheel", "Пакет собирается командой python setup.py wheel и setuptools.", "ru", True),
        ("日誌は何年間保管されますか。", "バラスト日誌は六年間船内に保管される。", "ja", True),
        ("How long is the log kept on the ship?", "バラスト日誌は六年間船内に保管される。", "ja", False),
    ],
)
def test_language(question: str, text: str, language: str, good: bool) -> None:
    written = draft(question=question)
    found = checks.same_language(written, setting(written, text=text, language=language))
    assert (found is None) is good, found


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"question": "Why?"}, ["well_formed"]),
        ({"question": "How long does a ship retain its record of **ballast** water?"}, ["well_formed"]),
        ({"question": "How long does a ship retain its [MASK] of ballast water?"}, ["well_formed"]),
        ({"question": "How long does a ship retain its record of ballast water and..."}, ["well_formed"]),
        ({"question": "How long does a ship retain " + "the very " * 50 + "record?"}, ["well_formed"]),
        ({"quotes": ("The log is burned by the mayor.",)}, ["evidence_located", "supported"]),
        ({"quotes": ()}, ["evidence_located", "supported"]),
        ({"keywords": ("seven years",)}, ["keywords_in_expected"]),
        ({"keywords": ()}, ["keywords_in_expected"]),
        (
            {"expected_answer": "It is kept for sixty years after the last entry.", "keywords": ("entry",)},
            ["supported"],
        ),
        ({"expected_answer": "The mayor burns it ceremonially; six years.", "keywords": ("mayor",)}, ["supported"]),
        ({"expected_answer": "I don't know", "keywords": ("know",)}, ["supported"]),
        ({"question": "Why does a ship retain its record for six years?"}, ["no_leak"]),
    ],
)
def test_one_fault_one_name(changes: dict[str, Any], expected: list[str]) -> None:
    found = failing(draft(**changes))
    assert set(expected) <= set(found) and set(found) <= {*expected, "copies_passage", "no_leak"}, found


def test_braces_and_percent_signs_are_no_markup() -> None:
    written = draft(question='What does the key "retention" in {"log": "%s"} set?')
    assert checks.well_formed(written, setting(written)) is None


def test_question_in_the_evidence_s_own_words() -> None:
    written = draft(question="How many years is the ballast log kept on board after the last entry?")
    # Content stems: year, ballast, log, kept/keep, board, last, entry (many is grammar): all stand in the quote.
    assert "copies_passage" in failing(written)
    assert "copies_passage" not in failing(draft(), max_overlap=0.8)


def test_eight_words_in_a_row_are_copied_whatever_the_share() -> None:
    question = (
        "Imagine a chief engineer who arrives tired from a long voyage and finds the pressure in the main line must "
        "have fallen; which component suffers damage otherwise?"
    )
    written = draft(
        question=question,
        expected_answer="The seal of type NBR-70 is torn from its groove.",
        keywords=("NBR-70",),
        quotes=("otherwise the seal of type NBR-70 is torn from its groove",),
    )
    assert failing(written) == ["copies_passage"]


def test_numbers_and_codes_must_be_in_the_quotes() -> None:
    text = "the seal of type NBR-70 tears above 2.5 bar"
    assert checks.unsupported("The seal NBR-70 tears above 2.5 bar.", text, "", "en") is None
    assert "3.5" in str(checks.unsupported("The seal NBR-70 tears above 3.5 bar.", text, "", "en"))
    assert "nbr90" in str(checks.unsupported("The seal NBR-90 tears above 2.5 bar.", text, "", "en"))
    assert checks.unsupported("It tears above 250 kPa.", text, "", "en") is None


def test_several_sections_need_quotes_from_two() -> None:
    pieces = (Piece("section-0", 0, "The pump weighs 40 kg."), Piece("section-3", 90, "The seal weighs 2 kg."))
    one = draft(quotes=("The pump weighs 40 kg.",))
    two = draft(quotes=("The pump weighs 40 kg.", "The seal weighs 2 kg."))
    for written, good in ((one, False), (two, True)):
        found = setting(written, subtype="multi", pieces=pieces, evidence=locate(written.quotes, pieces))
        assert (checks.several_sections(written, found) is None) is good


@pytest.mark.parametrize(
    ("answer", "good"),
    [
        ("Insufficient information to answer this question", True),
        ("I don't know.", True),
        ("I don't know for sure, but it is most likely silver grey.", False),
        ("Silver grey.", False),
    ],
)
def test_rejection_expects_a_refusal(answer: str, good: bool) -> None:
    written = draft(expected_answer=answer, quotes=(), keywords=())
    assert ("refusal_expected" not in checks.failed(written, setting(written), checks.REJECTION)) is good
