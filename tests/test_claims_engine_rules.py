"""Claims by rule: tables, fractions in words, who does what, opposites. Verdicts are by reading, not by the rules."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtester.models.embedded.claim_checking import check_claim
from ragtester.models.embedded.claim_spelling import spelled_out
from ragtester.tasks import CheckClaim, Passage

MACHINES = """| Model | Power (W) | Weight (kg) | Bluetooth |
|---|---|---|---|
| Alto | 900 | 2.4 | yes |
| Brio | 1200 | 3.1 | no |
| Cello | 750 | 1.8 | yes |
"""
ROOMS = """| Zimmer | Mo–Fr | Preis |
|---|---|---|
| Anna | 8–12 | 40 € |
| Bella | 9–17 | 55 € |
"""
OFFICES = """| Leistung | Frist | Zuständig |
|---|---|---|
| Reisepass | 6 Wochen | Bürgeramt |
| Führerschein | 4 Wochen | Straßenamt |
"""
HOURS = """| Day | Opens | Closes |
|---|---|---|
| Monday | 9:00 | 17:00 |
| Tuesday | 10:00 | 18:30 |
"""


def verdict(claim: str, text: str, language: str = "en") -> str:
    passages = (Passage(label="1", text=text),)
    return check_claim(CheckClaim(language=language, question="What is it?", claim=claim, passages=passages)).verdict


@pytest.mark.parametrize(
    ("claim", "text", "language", "found"),
    [
        ("The Brio weighs 3.1 kg.", MACHINES, "en", "supported"),
        ("The Brio weighs 2.4 kg.", MACHINES, "en", "contradicted"),
        ("The Cello has a power of 0.75 kW.", MACHINES, "en", "supported"),
        ("The Cello draws 900 watts.", MACHINES, "en", "contradicted"),
        ("The Alto supports Bluetooth.", MACHINES, "en", "supported"),
        ("The Brio has Bluetooth.", MACHINES, "en", "contradicted"),
        ("The Brio does not have Bluetooth.", MACHINES, "en", "supported"),
        ("The Brio is heavier than the Alto.", MACHINES, "en", "supported"),
        ("The Alto weighs more than the Brio.", MACHINES, "en", "contradicted"),
        ("The Cello has less power than the Brio.", MACHINES, "en", "supported"),
        ("The Cello is the lightest model.", MACHINES, "en", "supported"),
        ("The Alto has the highest power.", MACHINES, "en", "contradicted"),
        ("Zimmer Bella kostet 55 Euro.", ROOMS, "de", "supported"),
        ("Zimmer Anna kostet 55 Euro.", ROOMS, "de", "contradicted"),
        ("Für einen Führerschein ist das Straßenamt zuständig.", OFFICES, "de", "supported"),
        ("Für den Führerschein ist das Bürgeramt zuständig.", OFFICES, "de", "contradicted"),
        ("On Tuesday it closes at 6:30 pm.", HOURS, "en", "supported"),
        ("On Tuesday it closes at 5 pm.", HOURS, "en", "contradicted"),
    ],
)
def test_a_claim_is_held_against_the_row_and_column_that_it_names(
    claim: str, text: str, language: str, found: str
) -> None:
    assert verdict(claim, text, language) == found


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(min_value=2, max_value=900), min_size=3, max_size=3, unique=True))
def test_rows_are_compared_by_their_values(weights: list[int]) -> None:
    names = ("Alto", "Brio", "Cello")
    rows = "".join(f"| {name} | {weight} |\n" for name, weight in zip(names, weights, strict=True))
    text = f"| Model | Weight (kg) |\n| --- | --- |\n{rows}"
    by_weight = dict(zip(weights, names, strict=True))
    light, middle, heavy = (by_weight[one] for one in sorted(weights))
    assert verdict(f"The {heavy} is heavier than the {middle}.", text) == "supported"
    assert verdict(f"The {light} is heavier than the {middle}.", text) == "contradicted"
    assert verdict(f"The {light} is the lightest model.", text) == "supported"
    assert verdict(f"The {middle} is the heaviest model.", text) == "contradicted"


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("It takes two and a half hours.", "en", "It takes 2.5 hours."),
        ("It takes an hour and a half.", "en", "It takes 1.5 hour."),
        ("It takes half an hour.", "en", "It takes 0.5 hour."),
        ("It takes three quarters of an hour.", "en", "It takes 0.75 hour."),
        ("It takes 1 h 45 min.", "en", "It takes 105 min."),
        ("a quarter of the seats", "en", "25 % of the seats"),
        ("Es dauert anderthalb Stunden.", "de", "Es dauert 1,5 Stunden."),
        ("Cela dure une heure et demie.", "fr", "Cela dure 1,5 heure."),
        ("Le train part à 14 h 30.", "fr", "Le train part à 14:30."),
        ("Dura una hora y media.", "es", "Dura 1,5 hora."),
        ("Every quarter ends with a report.", "en", "Every quarter ends with a report."),
        ("The second half was dull.", "en", "The second half was dull."),
        ("half an hour", "nl", "half an hour"),
    ],
)
def test_fractions_in_words_are_figures(text: str, language: str, found: str) -> None:
    assert spelled_out(text, language) == found


@pytest.mark.parametrize(
    ("claim", "text", "found"),
    [
        ("The workshop lasts an hour and a half.", "The workshop takes 90 minutes.", "supported"),
        ("75 % of the members voted.", "Three quarters of the members voted.", "supported"),
        ("A third of the seats are reserved.", "Half of the seats are reserved.", "contradicted"),
        ("The session lasts 105 minutes.", "The session lasts 1 h 45 min.", "supported"),
        ("The panel stays in standby for 36 days.", "In standby the panel runs for 36 hours.", "contradicted"),
    ],
)
def test_values_that_are_written_otherwise_compare(claim: str, text: str, found: str) -> None:
    assert verdict(claim, text) == found


REPLACED = "Ana Silva replaced Jan Kowalski as chair in 2021."
INVOICES = "Invoices are sent by the accounts office and checked by the auditor."
PARCEL = "The parcel was sent by Ruth Adler to Omar Said on Friday."


@pytest.mark.parametrize(
    ("claim", "text", "found"),
    [
        ("Jan Kowalski was replaced by Ana Silva as chair in 2021.", REPLACED, "supported"),
        ("Jan Kowalski replaced Ana Silva as chair in 2021.", REPLACED, "contradicted"),
        ("Ruth Adler sent the parcel to Omar Said.", PARCEL, "supported"),
        ("Omar Said sent the parcel to Ruth Adler.", PARCEL, "contradicted"),
        ("Invoices are sent by the auditor and checked by the accounts office.", INVOICES, "contradicted"),
        ("Dr Moss treats children.", "Dr Hale treats children; Dr Moss treats adults.", "contradicted"),
        ("The river flows from Brill to Arden.", "The river flows from Arden to Brill.", "contradicted"),
        ("The south tower is taller than the north tower.", "The north tower is taller than the south tower.",
         "contradicted"),
        ("The old pump is louder than the new one.", "The new pump is quieter than the old one.", "supported"),
        ("The valve is not open.", "The valve is closed.", "supported"),
        ("The deposit is non-refundable.", "The deposit is refundable.", "contradicted"),
        ("The pool is unheated.", "The pool is heated.", "contradicted"),
        ("The lease started on 1 June 2019.", "The lease began on 1 June 2019 and ends on 31 May 2029.", "supported"),
        ("Zone D costs 6 euros.", "Zone B costs 4 euros; zone C costs 6 euros.", "unsupported"),
    ],
)  # fmt: skip
def test_sides_and_opposites_count(claim: str, text: str, found: str) -> None:
    assert verdict(claim, text) == found


def test_from_and_to_are_read_in_other_languages() -> None:
    assert verdict("Der Zug fährt von Kempten nach Ulm.", "Der Zug fährt von Ulm nach Kempten.", "de") == "contradicted"
    assert verdict("El tren va de Jerez a Cádiz.", "El tren va de Cádiz a Jerez.", "es") == "contradicted"
