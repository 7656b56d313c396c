"""Case writing by rule: what is asked, what is expected, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtester.models.embedded.facts import NoCase
from ragtester.models.embedded.questions import write_cases
from ragtester.models.embedded.rewording import reword
from ragtester.models.embedded.statements import statements
from ragtester.tasks import Draft, Passage, RejectedDraft, WriteCases
from ragtester.text.keywords import keyword_match
from ragtester.text.overlap import lexical_overlap

MANUAL = """The backup pump of the boiler house is inspected every 90 days. Grease valves are stored in the steel
cabinet behind the workshop. The emergency drive was approved in 1998. If the pressure in the main pipe drops, the
control room closes the inlet valve. A relief valve is a device that limits the pressure in a closed vessel. The shift
protocol must be signed by two persons before midnight. A spare filter for the pump costs 42 euros."""
LEDGER = """The annual report of the museum is written by Clara Voss. The reading room contains maps of the harbour.
To borrow a rare map, you need to leave a deposit at the front desk."""


def ask(text: str | tuple[str, ...] = MANUAL, **fields: Any) -> Draft:
    texts = (text,) if isinstance(text, str) else text
    request: dict[str, Any] = {"language": "en", "type": "coverage", **fields}
    passages = tuple(Passage(label=str(number), text=one) for number, one in enumerate(texts))
    return write_cases(WriteCases(passages=passages, **request)).cases[0]


@pytest.mark.parametrize(
    ("language", "sentence", "opening", "keyword"),
    [
        (
            "en",
            "The backup pump of the boiler house is inspected every 90 days.",
            ("How often ", "For the record: "),
            "90 days",
        ),
        ("en", "A spare filter for the pump costs 42 euros.", ("How much money ", "What price "), "42 euros"),
        (
            "en",
            "Attendants of the night shift are relieved after five hours.",
            ("After how long ", "For the record: "),
            "five hours",
        ),
        ("en", "Grease valves are stored in the steel cabinet behind the workshop.", ("In which place ", "Where "), ""),
        ("en", "The annual report of the museum is written by Clara Voss.", ("By whom ", "Who or what "), "Voss"),
        (
            "en",
            "The reading hall was opened in 1974.",
            ("When ", "At what point in time ", "On which date "),
            "1974",
        ),
        ("de", "Die Nieten am Kiel werden alle 90 Tage geprüft.", ("In welchen Abständen ", "Wie oft "), "90 Tage"),
        ("de", "Die Heizperiode dauert vom 1. Oktober bis zum 30. April.", ("Wie lange ", "Von wann "), "30. April"),
        ("fr", "La pompe de lavage sert à rincer les conduites.", ("À quoi ", "Quelle est l'utilité "), "rincer"),
        ("es", "La bomba de lavado sirve para enjuagar las tuberías.", "¿", "enjuagar"),
        ("it", "La pompa di lavaggio serve a sciacquare i tubi.", ("A quale scopo ", "Che utilità "), "sciacquare"),
        ("nl", "De verwarmingsinstallatie bestaat uit een ketel en twee pompen.", "Wat ", "ketel"),
        ("pt", "A bomba de lavagem serve para enxaguar os tubos.", ("Com que ", "Que utilidade "), "enxaguar"),
        (
            "ru",
            "Общие библиотеки — это скомпилированный код для нескольких программ.",
            ("Что ", "Как "),
            "скомпилированный",
        ),
        ("ja", "受験者名簿は CSV リストでなければなりません。", "受験者名簿", "CSV"),
    ],
)
def test_asks_for_the_kind_of_thing_that_is_hidden(
    language: str, sentence: str, opening: str | tuple[str, ...], keyword: str
) -> None:
    draft = ask(sentence, language=language, style="wh")
    assert draft.question.startswith(opening)
    assert draft.quotes == (sentence,)
    assert not keyword or keyword in draft.keywords
    assert not keyword_match(draft.keywords, draft.expected_answer, language)[1]


@pytest.mark.parametrize("style", ["wh", "keyword", "scenario"])
def test_what_costs_something_else_than_money_has_no_price(style: str) -> None:
    draft = ask("A torn seal of the oven door costs about 7 % more energy.", style=style)
    assert not {"price", "money", "budget", "amount"} & set(draft.question.casefold().split())
    assert draft.keywords == ("7 %",)


def test_every_style_is_recorded_and_different() -> None:
    drafts = [ask("A relief valve is a device that limits the pressure in a vessel.", style=style)
              for style in ("wh", "keyword", "scenario")]  # fmt: skip
    assert [draft.style for draft in drafts] == ["wh", "keyword", "scenario"]
    assert len({draft.question for draft in drafts}) == 3


def test_same_seed_same_draft_other_seeds_vary() -> None:
    assert ask(seed=3) == ask(seed=3)
    assert len({ask(seed=seed).question for seed in range(12)}) > 4


def test_another_process_writes_the_same() -> None:
    program = (
        "from tests.test_embedded_cases import LEDGER, MANUAL, ask\n"
        "print([ask((MANUAL, LEDGER), subtype=kind, seed=seed).model_dump_json() for kind in ('single', 'multi')"
        " for seed in range(4)])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=Path(__file__).parents[1],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[1])},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "77")
    }
    assert len(outputs) == 1


def test_avoided_and_rejected_questions_do_not_come_back() -> None:
    first = ask(seed=1)
    second = ask(seed=1, avoid=(first.question,))
    third = ask(seed=1, rejected=(RejectedDraft(question=first.question, reasons=("leans on a text",)),))
    assert first.question not in (second.question, third.question)


def test_several_passages_need_both() -> None:
    draft = ask((MANUAL, LEDGER), subtype="multi")
    assert len(draft.quotes) == 2
    assert draft.quotes[0] in MANUAL
    assert draft.quotes[1] in LEDGER


def test_rejections_expect_the_refusal() -> None:
    invented = ask(type="rejection", subtype="invented", refusal="No idea")
    other = ask(LEDGER, type="rejection", subtype="cross_document", refusal="No idea")
    assert (invented.expected_answer, other.expected_answer) == ("No idea", "No idea")
    assert (invented.quotes, invented.keywords, other.keywords) == ((), (), ())
    assert other.quotes[0] in LEDGER


def test_invented_never_asks_what_the_passage_speaks_of() -> None:
    text = "The Harbour Line was founded by Ada Roe in 1931. The Harbour Line costs 4 euros. The Harbour Line is old."
    asked = [ask(text, type="rejection", subtype="invented", seed=seed).question.lower() for seed in range(20)]
    assert not [
        question for question in asked if "price" in question or "cost" in question or "came up with" in question
    ]


@pytest.mark.parametrize(
    "rubbish",
    [
        "",
        "3.1 Purpose ................ 12",
        "This is described in section 4.2 above.",
        "It must be replaced every 30 days.",
        "for (i = 0; i < n; i++) { total += x[i]; }",
        "Figure 3 shows the pump in normal service.",
        "As shown below, these are stored in the cabinet.",
        "\x00\ufffd\ufffd /g115/g116 \ud800",
    ],
)
def test_rubbish_is_refused(rubbish: str) -> None:
    with pytest.raises(NoCase, match="no fact"):
        ask(rubbish)


def test_heading_is_no_part_of_the_sentence() -> None:
    text = "2.4 Storage\nGrease valves are stored in the steel cabinet.\n"
    assert [line.text for line in statements(text, "en")] == ["Grease valves are stored in the steel cabinet."]


def test_rewording_keeps_form_and_names() -> None:
    assert reword("inspect the directories", "en", 0, verb_first=True) in ("check the folders", "examine the folders")
    assert reword("the Package Index", "en", 0) == "the Package Index"
    assert reword("the directories", "xx", 0) == "the directories"


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=300), st.sampled_from(["en", "de", "fr", "ja", "ru", "sv", "xx"]), st.integers(0, 9))
def test_any_text_gives_a_sound_draft_or_none(text: str, language: str, seed: int) -> None:
    for extra in ({"type": "coverage"}, {"type": "rejection", "subtype": "invented"}):
        try:
            draft = ask(text, language=language, seed=seed, **extra)
        except NoCase:
            continue
        assert all(quote in text for quote in draft.quotes)
        assert draft.question.strip()


def test_manuals_are_asked_in_other_words() -> None:
    pdf = Path(__file__).parents[1].parent / "shared" / "pdfs" / "filesystem-hierarchy-standard.pdf"
    if not pdf.is_file():
        pytest.skip("the shared manuals are not here")
    import pypdfium2

    pages = pypdfium2.PdfDocument(pdf)
    text = "\n".join(page.get_textpage().get_text_range().replace("\r\n", "\n") for page in pages)
    drafts = []
    for start in range(0, len(text), 4000):
        try:
            drafts.append(ask(text[start : start + 4000], seed=start))
        except NoCase:
            continue
    overlaps = [lexical_overlap(draft.question, " ".join(draft.quotes), "en") for draft in drafts]
    assert len(drafts) >= 15
    assert sum(overlaps) / len(overlaps) <= 0.6
    assert max(overlaps) <= 0.8
    assert len({draft.style for draft in drafts}) == 3
