"""What is read of passages besides plain sentences: tables, entries, clauses, pronouns, and what is left as a query."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtester.models.embedded.answer_words import keywords_of
from ragtester.models.embedded.comparing import conclusion
from ragtester.models.embedded.english_parts import clauses
from ragtester.models.embedded.entries import entry_facts
from ragtester.models.embedded.facts import NoCase
from ragtester.models.embedded.questions import write_cases
from ragtester.models.embedded.salient import salient
from ragtester.models.embedded.tables import table_facts
from ragtester.tasks import Draft, Passage, WriteCases

MARKDOWN = """| Place | Limit | Measured |
| --- | --- | --- |
| cold room | at most 7 °C | twice a day |
| hot counter[^1] | at least 65 °C | every 30 minutes |
"""
PRINTED = """6 Comparison with other halls

Hall Heat, kWh a visitor Electricity, kWh a
visitor

Brookside 10.5 4.5
Eastgate School Pool 19.6 6.0

The pool is open on school days only."""


def ask(*texts: str, **fields: Any) -> Draft:
    request: dict[str, Any] = {"language": "en", "type": "coverage", **fields}
    passages = tuple(Passage(label=str(number), text=text) for number, text in enumerate(texts))
    return write_cases(WriteCases(passages=passages, **request)).cases[0]


def cells(text: str, language: str = "en") -> set[str]:
    return {found.answer for found, _, _ in table_facts(text, language)}


def test_markdown_tables_are_read_by_row_and_head() -> None:
    assert cells(MARKDOWN) == {
        "cold room – Limit: at most 7 °C.",
        "cold room – Measured: twice a day.",
        "hot counter – Limit: at least 65 °C.",
        "hot counter – Measured: every 30 minutes.",
    }


def test_printed_tables_are_read_where_the_heads_split_as_the_rows_do() -> None:
    assert cells(PRINTED) == {
        "Brookside – Heat, kWh a visitor: 10.5.",
        "Brookside – Electricity, kWh a visitor: 4.5.",
        "Eastgate School Pool – Heat, kWh a visitor: 19.6.",
        "Eastgate School Pool – Electricity, kWh a visitor: 6.0.",
    }


@pytest.mark.parametrize(
    "text",
    [
        # Three columns of unlike names, two heads of which are the same words: it does not show where a head ends.
        "Work Meadow Line Meadow Line Direct\n\nrope test every 7 days every 10 days\nshift every 5 days every 3 days",
        "1.2 Contents .... 12 14\n1.3 Index .... 15 18",
        "Only one row\n\nBrookside 10.5 4.5",
    ],
)
def test_tables_with_unclear_heads_are_left_alone(text: str) -> None:
    assert not cells(text)


def test_a_case_from_a_table_quotes_row_and_heads() -> None:
    draft = ask(MARKDOWN, style="wh")
    row = re.match(r"(.+) – (.+): (.+)\.", draft.expected_answer)
    assert row
    assert any(row[1] in quote and row[3] in quote for quote in draft.quotes)
    assert any(quote.startswith("| Place") for quote in draft.quotes)


def test_entries_are_read_and_notes_are_not() -> None:
    text = (
        "• gnupg – a tool that signs and encrypts files for upload\n\nNote: a full stop ends every single line here.\n"
    )
    assert [found.slots["S"] for found, _ in entry_facts(text, "en")] == ["gnupg"]


def test_a_list_is_asked_for_under_its_introduction() -> None:
    text = "The emergency kit contains:\n• a torch\n• two blankets\n• a whistle\n"
    found = next(found for found, _ in entry_facts(text, "en") if found.kind == "members")
    assert found.value == "a torch; two blankets; a whistle"


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        (
            "The inlet valve opens at 2 bar; the outlet valve opens at 9 bar.",
            ["The inlet valve opens at 2 bar.", "The outlet valve opens at 9 bar."],
        ),
        (
            "The old pump is closed on Fridays and needs two operators.",
            ["The old pump is closed on Fridays.", "The old pump needs two operators."],
        ),
        ("The pump is inspected every 90 days.", ["The pump is inspected every 90 days."]),
    ],
)
def test_clauses_stand_alone(sentence: str, parts: list[str]) -> None:
    assert clauses(sentence, frozenset()) == parts


def test_a_pronoun_is_replaced_by_the_subject_before_it_and_both_sentences_are_quoted() -> None:
    text = "The relief valve was described by an inspector. It is replaced every 18 months."
    draft = ask(text, style="wh", avoid=())
    answers = {ask(text, style="wh", seed=seed).expected_answer for seed in range(12)}
    assert "The relief valve is replaced every 18 months." in answers | {draft.expected_answer}
    drafts = [ask(text, style="wh", seed=seed) for seed in range(12)]
    resolved = next(one for one in drafts if "18 months" in one.expected_answer)
    assert resolved.quotes == (text,)


def test_a_value_before_the_subject_is_asked_for() -> None:
    draft = ask("After 45 minutes the shift leader decides the next step.", style="wh")
    assert draft.question.lower().endswith("after how long does the shift leader decide the next step?")
    assert draft.keywords == ("45 minutes",)


@pytest.mark.parametrize(
    ("language", "sentence", "hidden", "label"),
    [
        ("en", "Doors beside the harbour chapel were locked on Sundays around 21:15.", "21:15", "time of day"),
        ("de", "Gäste mit Hund zahlten damals am Schalter des Hafens 12 Euro.", "12 Euro", "Preis"),
        ("fr", "Au total, les visites du musée naval ont duré 45 minutes.", "45 minutes", "durée"),
        ("es", "En el puerto, los visitantes del museo pagaron 12 euros.", "12 euros", "precio"),
        ("it", "Nel porto, i visitatori del museo navale pagavano 12 euro.", "12 euro", "prezzo"),
        ("pt", "No porto, os visitantes do museu naval pagavam 12 euros.", "12 euros", "preço"),
        ("nl", "In de haven betaalden bezoekers van het museum toen 12 euro.", "12 euro", "prijs"),
        ("ja", "港湾博物館の入場券は大人料金で 12 km です。", "12 km", "長さはどのくらい"),
    ],
)
def test_a_sentence_that_no_pattern_takes_apart_still_gives_a_query(
    language: str, sentence: str, hidden: str, label: str
) -> None:
    found = salient(sentence, language, Counter())
    assert found is not None
    assert (found.value, found.slots["L"]) == (hidden, label)
    assert hidden not in found.slots["S"]


@pytest.mark.parametrize(
    "sentence", ["It was closed at 21:15.", "Diese kosten 12 Euro am Tag.", "Celle-ci dure 45 minutes."]
)
def test_a_query_is_not_made_of_a_sentence_that_leans_on_another(sentence: str) -> None:
    language = {"I": "en", "D": "de", "C": "fr"}[sentence[0]]
    found = salient(sentence, language, Counter())
    assert found is None or language == "fr"


@pytest.mark.parametrize(
    ("value", "keywords"),
    [
        ("otherwise more suitable for a steel cabinet", ("cabinet",)),
        ("reasonably little of the harbour wall", ("harbour", "wall")),
        ("at 82 °C on pillar 7", ("82 °C",)),
        ("to the Harding Institute", ("Harding", "Institute")),
    ],
)
def test_keywords_are_values_names_and_nouns(value: str, keywords: tuple[str, ...]) -> None:
    found = keywords_of(value, "", Counter(), "en")
    assert set(found) & set(keywords)
    assert not set(found) & {"otherwise", "more", "suitable", "reasonably", "little", "7"}


@pytest.mark.parametrize(
    ("texts", "language", "said"),
    [
        (["12 minutes", "1 hour"], "en", "The longer of the two is 1 hour."),
        (["200 Euro", "75 Euro"], "de", "Höher ist 200 Euro."),
        (["3 May 2024", "2 June 2023"], "en", "The earlier of the two is 2 June 2023."),
        (["3 kg", "4 km"], "en", ""),
        (["3 kg", "3 kg"], "en", ""),
    ],
)
def test_a_comparison_is_computed(texts: list[str], language: str, said: str) -> None:
    assert conclusion(texts, language) == said


def test_two_values_of_one_kind_are_compared() -> None:
    draft = ask(
        "The inlet valve of the boiler is inspected every 90 days.",
        "The outlet valve of the boiler is inspected every 30 days.",
        subtype="multi",
        style="wh",
    )
    assert draft.question.endswith("and which of the two is longer?")
    assert draft.expected_answer.endswith("The longer of the two is 90 days.")
    assert set(draft.keywords) == {"90 days", "30 days"}
    assert len(draft.quotes) == 2


def test_one_document_is_not_asked_in_one_wording_only() -> None:
    text = " ".join(f"The {name} pump is inspected every {days} days." for name, days in zip(
        ("north", "south", "upper", "lower", "outer", "inner"), (11, 12, 13, 14, 15, 16), strict=True
    ))  # fmt: skip
    text += " The steel cabinet behind the workshop contains spare grease for the pumps."
    asked: list[str] = []
    for seed in range(6):
        asked.append(ask(text, style="wh", seed=seed, avoid=tuple(asked)).question)
    openings = Counter(" ".join(question.split()[:3]) for question in asked)
    assert len(set(asked)) == 6
    assert max(openings.values()) <= 3


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="aA1 |-:.\n•–°C%€,({[漢字がー", max_size=200), st.sampled_from(["en", "de", "ja", "xx"]))
def test_any_text_is_survived_and_every_quote_stands_in_it(text: str, language: str) -> None:
    try:
        draft = ask(text, language=language)
    except NoCase:
        return
    assert all(quote in text for quote in draft.quotes)
