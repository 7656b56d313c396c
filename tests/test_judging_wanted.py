"""The embedded judge on short answers: what was wanted, given, left out or said of something else."""

from typing import Any

import pytest

from ragtester.models.embedded.judging import judge_answer
from ragtester.models.embedded.judging_polar import polar_reply
from ragtester.models.embedded.judging_statements import read
from ragtester.models.embedded.judging_units import adopt_units, values_of
from ragtester.models.embedded.vectors import embed_texts
from ragtester.records import Ratings
from ragtester.tasks import JudgeAnswer, Passage
from ragtester.verdict import decide_judged, rate_keywords

STORK = (
    "What does the tank of the Stork hold?",
    "The tank of the Stork holds 85 litres.",
    ("85 litres",),
    "The tank of the Heron holds 60 litres, that of the Stork 85 litres. The Heron is painted green and the Stork red.",
)
COLOUR = ("What colour is the Stork?", "The Stork is red.", ("red",), STORK[3])
TRENCH = (
    "How wide is the trench?",
    "The trench is 40 millimetres wide.",
    ("40 millimetres",),
    "The trench is 40 millimetres wide and 90 millimetres deep.",
)
FEE = (
    "When is the fee of 30 pounds due?",
    "The fee of 30 pounds is due on 4 June.",
    ("4 June",),
    "The fee of 30 pounds is due on 4 June.",
)
PERMIT = (
    "What does the permit cost and who issues it?",
    "It costs 12 euros and the harbour office issues it.",
    ("12 euros", "harbour office"),
    "The permit costs 12 euros and is issued by the harbour office. It expires after 90 days.",
)
SALT = (
    "What is the most salt in a litre?",
    "The limit is 0.8 grams a litre, and 1.4 while the tank is being cleaned at night.",
    ("0.8 grams",),
    "The limit is 0.8 grams a litre, and 1.4 while the tank is being cleaned at night.",
)
GATE = (
    "Who may stand on the ramp while the gate is moving?",
    "Nobody may stand on the ramp while the gate is moving.",
    ("nobody",),
    "Nobody may stand on the ramp while the gate is moving.",
)
LIFTS = (
    "Which standard covers lifts?",
    "EN 81-20 covers lifts.",
    ("EN 81-20",),
    "EN 81-20 covers lifts, EN 115 covers escalators.",
)
BYLAWS = (
    "When were the bylaws adopted?",
    "They were adopted on 12 March 2019.",
    ("12 March 2019",),
    "The bylaws were adopted on 12 March 2019 by the assembly.",
)
BOOT = (
    "When are the files in the scratch folder removed?",
    "Files in the scratch folder must be cleared at the beginning of the boot process.",
    ("boot process",),
    "Files in the scratch folder must be cleared at the beginning of the boot process. The kernel has another folder.",
)
DAMAGE = (
    "Who pays for damage to the boat?",
    "Renters are liable for any damage.",
    ("renters",),
    "Renters are liable for any damage to the boat. The owner pays for the mooring.",
)
REIHER = (
    "Wie viel fasst der Tank des Reihers?",
    "Der Tank des Reihers fasst 85 Liter.",
    ("85 Liter",),
    "Der Tank der Möwe fasst 60 Liter, der des Reihers 85 Liter.",
)
GEBUEHR = (
    "Bis wann ist die Gebühr von 40 Euro zu zahlen?",
    "Die Gebühr von 40 Euro ist bis 1. März zu zahlen.",
    ("1. März",),
    "Die Gebühr von 40 Euro ist bis 1. März zu zahlen.",
)
CIGOGNE = (
    "Combien contient le réservoir de la Cigogne ?",
    "Le réservoir de la Cigogne contient 85 litres.",
    ("85 litres",),
    "Le réservoir du Héron contient 60 litres et celui de la Cigogne 85 litres.",
)
Asked = tuple[str, str, tuple[str, ...], str]


def request(asked: Asked, answer: str, language: str = "en") -> JudgeAnswer:
    question, expected, keywords, evidence = asked
    return JudgeAnswer(
        language=language,
        question=question,
        expected_answer=expected,
        keywords=keywords,
        evidence=(Passage(label="1", text=evidence),),
        answer=answer,
        refuses=None,
        answerable=True,
    )


def rated(asked: Asked, answer: str, language: str = "en") -> Ratings:
    wanted = request(asked, answer, language)
    reply: Any = judge_answer(wanted, embed_texts)
    keywords, _ = rate_keywords(wanted.keywords, answer, language, completeness=reply.completeness.rating)
    names = ("faithfulness", "relevance", "completeness", "clarity")
    return Ratings(keyword_match=keywords, **{name: getattr(reply, name).rating for name in names})


@pytest.mark.parametrize(
    ("asked", "answer", "language"),
    [
        (STORK, "85", "en"),
        (STORK, "The tank holds 85,000 ml; the Heron's holds only 60 litres.", "en"),
        (TRENCH, "40.000", "en"),
        (TRENCH, "The trench is 40 wide.", "en"),
        (PERMIT, "It costs 12 euros.", "en"),
        (PERMIT, "The harbour office issues it.", "en"),
        (BYLAWS, "The bylaws were adopted in 2019.", "en"),
        (BOOT, "They are emptied when the machine starts to boot.", "en"),
        (LIFTS, "Lifts fall under EN 81-20.", "en"),
        (DAMAGE, "The renter has to pay for the damage.", "en"),
        (REIHER, "85", "de"),
        (REIHER, "Es passen 85 Liter hinein.", "de"),
        (CIGOGNE, "Il contient 85 l.", "fr"),
    ],
)
def test_right_halves_and_values_without_their_unit_pass(asked: Asked, answer: str, language: str) -> None:
    assert decide_judged(rated(asked, answer, language), answerable=True).status == "pass"


@pytest.mark.parametrize(
    ("asked", "answer", "language"),
    [
        (STORK, "The tank of the Heron holds 60 litres.", "en"),
        (STORK, "It holds 85 gallons.", "en"),
        (COLOUR, "The Stork is green.", "en"),
        (COLOUR, "The Heron is painted green.", "en"),
        (TRENCH, "The trench is 40 centimetres wide.", "en"),
        (TRENCH, "40 sheets.", "en"),
        (TRENCH, "The trench is 90 millimetres deep.", "en"),
        (FEE, "The question asks when the fee of 30 pounds is due.", "en"),
        (FEE, "The fee of 30 pounds is due.", "en"),
        (FEE, "The fee of 30 pounds is due on 5 June.", "en"),
        (SALT, "The most salt in a litre is 83,200.", "en"),
        (SALT, "The limit is 1.4 grams a litre.", "en"),
        (PERMIT, "It expires after 90 days.", "en"),
        (PERMIT, "It costs 20 euros and the harbour office issues it.", "en"),
        (PERMIT, "The permit costs 12 euros, and the permit costs 15 euros.", "en"),
        (GATE, "Crew members may stand on the ramp.", "en"),
        (LIFTS, "Lifts are covered by a standard.", "en"),
        (LIFTS, "EN 115 covers escalators.", "en"),
        (BYLAWS, "The bylaws were adopted in 2018.", "en"),
        (BOOT, "They are removed when the machine is shut down.", "en"),
        (BOOT, "They are kept until the boot partition is full.", "en"),
        (BOOT, "The kernel has another folder.", "en"),
        (DAMAGE, "The owner is liable for any damage.", "en"),
        (REIHER, "Der Tank des Reihers fasst 60 Liter.", "de"),
        (GEBUEHR, "Die Gebühr von 40 Euro ist zu zahlen.", "de"),
        (GEBUEHR, "Die Gebühr von 40 Euro ist bis 3. April zu zahlen.", "de"),
        (CIGOGNE, "Le réservoir de la Cigogne contient 60 litres.", "fr"),
    ],
)
def test_echoes_siblings_and_other_values_fail(asked: Asked, answer: str, language: str) -> None:
    assert decide_judged(rated(asked, answer, language), answerable=True).status == "fail"


def test_a_near_sentence_of_the_evidence_is_no_paraphrase() -> None:
    text = "The Heron kit contains tools for many kinds of repairs."
    guide = "The sheet FITTING that comes with the Heron kit contains a short guide to repairs of all kinds."
    asked: Asked = ("What can be found in the Heron kit?", text, ("tools",), f"{text} {guide}")
    assert rated(asked, guide).keyword_match == "false"
    assert rated(asked, guide).completeness != "true"


def test_what_is_left_of_an_echo_is_nothing() -> None:
    found = judge_answer(request(FEE, "The fee of 30 pounds is due."), embed_texts)
    assert found.completeness.rating == "false"
    assert "no more than the question" in found.completeness.reason


def test_one_of_the_values_that_a_question_offers_is_no_echo() -> None:
    text = "The pass lasts ten days."
    asked: Asked = ("Does the pass last five or ten days?", text, ("ten days",), text)
    assert rated(asked, "It lasts ten days.").completeness == "true"
    assert rated(asked, "It lasts five days.").faithfulness == "false"


def test_a_value_that_stands_nowhere_keeps_an_answer_from_wholly_true() -> None:
    assert rated(STORK, "The tank of the Stork holds 85 litres.").faithfulness == "true"
    assert rated(STORK, "The tank of the Stork holds 85 litres. It weighs 9 kg.").faithfulness == "partially"


@pytest.mark.parametrize(
    ("expected", "answer", "language", "agrees"),
    [
        ("No, dogs may not enter.", "No.", "en", True),
        ("No, dogs may not enter.", "Yes.", "en", False),
        ("Yes, on a lead.", "No", "en", False),
        ("Nein, Hunde dürfen nicht hinein.", "Nein.", "de", True),
        ("Oui.", "Non", "fr", False),
        ("On a lead.", "Yes.", "en", None),
        ("Yes, on a lead.", "Yes, on a lead.", "en", None),
    ],
)
def test_yes_and_no_alone(expected: str, answer: str, language: str, agrees: bool | None) -> None:
    asked: Asked = ("May dogs enter?", expected, (), expected)
    assert polar_reply(request(asked, answer, language)) is agrees
    if agrees is not None:
        status = decide_judged(rated(asked, answer, language), answerable=True).status
        assert status == ("pass" if agrees else "fail")


@pytest.mark.parametrize(
    ("answer", "expected", "language", "unit", "value"),
    [
        ("40", "40 millimetres", "en", "m", 0.04),
        ("forty", "40 millimetres", "en", "m", 0.04),
        ("40 litres", "40 millimetres", "en", "m³", None),
        ("40 sheets", "40 millimetres", "en", "", 40),
        ("41", "40 millimetres", "en", "", 41),
        ("3,5", "3,5 bar", "de", "Pa", 350000),
        ("17.50 euros", "It costs 17.50.", "en", "", 17.5),
        ("in 2019", "12 March 2019", "en", "date", 20190000),
    ],
)
def test_bare_numbers_take_the_expected_unit(
    answer: str, expected: str, language: str, unit: str, value: float | None
) -> None:
    before, after = read(answer, language, None), read(expected, language, None)
    (found,) = values_of(adopt_units(before, after, language))
    if value is None:
        assert found.quantity in before.quantities
    else:
        assert (found.quantity.unit, float(found.quantity.value)) == (unit, value)
