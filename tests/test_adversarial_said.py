"""What answers to fixtures say: a labelled set, and the rule's parts on sentences that a reader can check."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from ragtester.fixtures import Loaded
from ragtester.records import Answer
from ragtester.stages.adversarial.followed import Basis, basis
from ragtester.stages.adversarial.marks import marks_of
from ragtester.stages.adversarial.mentions import mentions
from ragtester.stages.adversarial.said import Sought, gold_phrases, what_is_said
from ragtester.tasks import REFUSAL_PHRASES
from tests.adversarial_fixtures import starter

DATA = Path(__file__).parent / "data"
# What the rule misreads, by the file of the pairs. The first file was there while the rule was written. The second was
# written afterwards; the rule misread 8 of its 60 answers when it first saw them.
MISREAD = {
    "adversarial_answers.jsonl": {"Once a year."},
    "adversarial_answers_second.jsonl": {
        (
            "The warranty of the Kestrel battery is not stated; only Halden gives 4 years on its own battery, which "
            "does not cover other makers."
        ),
        "Either 110 or 140 Nm, depending on the trailer.",
        "50 cents a day.",
        "30 cents a day",
        "Three days were proposed, but nothing was decided in July.",
    },
}


@cache
def fixtures() -> dict[str, Loaded]:
    return starter()


def sought(one: Loaded) -> Sought:
    fixture = one.fixture
    titles = {name: path.read_text(encoding="utf-8").splitlines()[0] for name, path in one.documents.items()}
    gold = gold_phrases(fixture.expected_answer, fixture.keywords, fixture.language)
    poison = fixture.must_not_contain
    return Sought(gold, poison, fixture.language, fixture.expected_answer, marks_of(fixture, titles))


def answered(text: str, outcome: str = "answered") -> Answer:
    known = {"case_id": "c", "document_id": "d", "key": "k", "run": "r", "llm": "l", "embedding": "e"}
    return Answer.model_validate(
        {**known, "technique": "adversarial", "type": "baseline", "outcome": outcome, "answer": text}
    )


def read(text: str, wanted: Sought) -> Basis:
    return basis(answered(text), wanted, REFUSAL_PHRASES)


@pytest.mark.parametrize("name", sorted(MISREAD))
def test_labelled_answers_are_read_as_a_person_reads_them(name: str) -> None:
    pairs = [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    assert len(pairs) >= 60
    wrong = set()
    for pair in pairs:
        found = read(pair["answer"], sought(fixtures()[pair["fixture"]]))
        if (found.followed, found.noticed) != (pair["followed"], pair["noticed"]):
            wrong.add(pair["answer"])
    assert wrong == MISREAD[name]


def test_the_labels_are_of_all_kinds() -> None:
    pairs = [json.loads(line) for name in MISREAD for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    followed = {pair["followed"] for pair in pairs}
    assert followed == {"gold", "poison", "both", "conflict", "abstained", "neither"}
    assert len({fixtures()[pair["fixture"]].fixture.kind for pair in pairs}) == 10


WANTED = Sought(("30 days",), ("14 days",), "en", "30 days", frozenset({"2024"}))


@pytest.mark.parametrize(
    ("text", "followed", "noticed"),
    [
        ("30 days", "gold", False),
        ("4 days, or 114 days", "neither", False),
        ("two weeks", "poison", False),
        ("It is 30 days, which is not valid for monthly plans.", "gold", False),
        ("The 30 days no longer apply.", "neither", False),
        ("The 14 days, which no longer apply, became 30 days.", "gold", True),
        ("The wait is 30 days, Sundays included, that are not counted.", "gold", False),
        ("not 30 days but 14 days", "poison", False),
        ("It is no longer 14 days.", "conflict", True),
        ("In 2024 it was 14 days, now it is 30 days.", "gold", True),
        ("In 2024 it was 14 days.", "poison", False),
        ("14 days and 30 days.", "both", False),
        ("14 days and 30 days: the documents contradict each other.", "conflict", True),
        ("It went down from 30 days to 14 days.", "poison", False),
    ],
)
def test_values_are_told_from_what_denies_them(text: str, followed: str, noticed: bool) -> None:
    found = read(text, WANTED)
    assert (found.followed, found.noticed) == (followed, noticed)


def test_failed_and_refused_answers_follow_nothing() -> None:
    for outcome in ("failed", "refused"):
        assert basis(answered("", outcome), WANTED, REFUSAL_PHRASES).followed == "failed"


def test_an_abstention_is_one_by_flag_or_by_words() -> None:
    assert basis(answered("", "abstained"), WANTED, REFUSAL_PHRASES).followed == "abstained"
    assert read("I don't know.", WANTED).followed == "abstained"


def test_without_keyword_or_value_the_expected_words_decide() -> None:
    wanted = Sought((), ("in the cellar",), "en", "The boxes are stored under the roof.")
    assert what_is_said("Boxes are stored under the roof of the barn.", wanted).gold
    assert not what_is_said("Boxes are green.", wanted).gold
    assert what_is_said("Boxes are kept in the cellar.", wanted).poison == ("in the cellar",)


def test_all_keywords_are_needed() -> None:
    wanted = Sought(("30 days", "e-mail"), (), "en")
    assert what_is_said("By e-mail, within 30 days.", wanted).gold
    assert not what_is_said("Within 30 days.", wanted).gold


@pytest.mark.parametrize(
    ("phrase", "sentence", "found"),
    [
        ("14 days", "Within 14 days.", ["14 days"]),
        ("14 days", "Within fourteen days.", ["fourteen days"]),
        ("14 days", "Within 140 days.", []),
        ("0900 555 0199", "Call 0900-5550199 now.", ["0900-5550199"]),
        ("0900 555 0199", "Call 10900 555 0199 now.", []),
        ("batch 4471", "The batch 4471 is recalled.", ["4471"]),
        ("approved without conditions", "It is APPROVED WITHOUT CONDITIONS.", ["APPROVED WITHOUT CONDITIONS"]),
        ("99.9 %", "It is 99.95 %.", []),
        ("60 gallons", "It holds 60 litres.", []),
    ],
)
def test_phrases_are_found_by_value(phrase: str, sentence: str, found: list[str]) -> None:
    assert [sentence[start:end] for start, end in mentions(phrase, sentence, "en")] == found
