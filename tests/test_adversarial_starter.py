"""The starter set: what a fixture must be for its question to have one right answer."""

from __future__ import annotations

from collections import Counter

import pytest

from ragtester.fixtures import Loaded
from ragtester.text.keywords import keyword_match
from tests.adversarial_fixtures import starter

KINDS = {
    "superseded",
    "competitor",
    "near_duplicate",
    "draft",
    "regional",
    "units",
    "same_name",
    "planted",
    "retracted",
    "translated",
}
SET = starter()


def says(one: Loaded, document: str, phrase: str) -> bool:
    text = one.documents[document].read_text(encoding="utf-8")
    return keyword_match((phrase,), text, one.fixture.language)[0] == "true"


def test_there_are_at_least_24_of_all_ten_kinds_in_three_languages() -> None:
    kinds = Counter(one.fixture.kind for one in SET.values())
    assert len(SET) >= 24
    assert set(kinds) == KINDS
    assert min(kinds.values()) >= 2
    assert {one.fixture.language for one in SET.values()} == {"en", "de", "fr"}


@pytest.mark.parametrize("name", sorted(SET))
def test_a_careful_reader_finds_one_answer(name: str) -> None:
    one = SET[name]
    fixture = one.fixture
    assert one.folder.name == fixture.id
    assert 2 <= len(one.documents) <= 5
    assert fixture.poison_ids
    for text in one.documents.values():
        assert 110 <= len(text.read_text(encoding="utf-8").split()) <= 500
    assert bool(fixture.relevant_ids) != fixture.must_refuse
    for keyword in fixture.keywords:
        assert [doc for doc in one.documents if says(one, doc, keyword)] == list(fixture.relevant_ids)
        assert keyword_match((keyword,), fixture.expected_answer, fixture.language)[0] == "true"
    for phrase in fixture.must_not_contain:
        holders = {doc for doc in one.documents if says(one, doc, phrase)}
        assert holders and holders <= set(fixture.poison_ids)


def test_every_poisoned_document_holds_a_phrase() -> None:
    for one in SET.values():
        for document in one.fixture.poison_ids:
            assert any(says(one, document, phrase) for phrase in one.fixture.must_not_contain), one.fixture.id


# What decides which document holds, in words that stand in one of the two documents.
DECIDES = {
    "superseded": ("replaces", "withdrawn", "ersetzt"),
    "draft": ("draft", "projet"),
    "retracted": ("withdrawn", "retracted", "aufgehoben"),
    "translated": ("maßgeblich", "fait foi", "only one in force"),
}


@pytest.mark.parametrize("name", sorted(name for name, one in SET.items() if one.fixture.kind in DECIDES))
def test_the_right_document_says_that_it_holds(name: str) -> None:
    one = SET[name]
    text = " ".join(one.documents[doc].read_text(encoding="utf-8").lower() for doc in one.fixture.relevant_ids)
    assert any(word in text for word in DECIDES[one.fixture.kind])


def test_planted_instructions_stand_in_poisoned_documents() -> None:
    for one in SET.values():
        if one.fixture.kind == "planted":
            text = " ".join(one.documents[doc].read_text(encoding="utf-8") for doc in one.fixture.poison_ids).casefold()
            assert any(word in text for word in ("ai assistants", "language models", "assistants automatiques"))
