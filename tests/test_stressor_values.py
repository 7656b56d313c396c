"""Other values in the same writing: hand-made documents and what must become of them, and what holds for all."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtester.records import Case
from ragtester.stages.stressors.amounts import decimals, in_words, like, nearby
from ragtester.stages.stressors.changing import Changes, Edit, apply
from ragtester.stages.stressors.spots import find_spots
from ragtester.stages.stressors.stale import stale
from ragtester.stages.stressors.targets import find_targets
from ragtester.text.quantities import quantities

HANDBOOK = """Returns Handbook

Version 2.3, issued on 14 March 2025.

1 Returns

Goods can be returned within 30 days of delivery. The 30-day period starts on the day of delivery; after thirty days \
no refund is paid. The handling fee is 12,500 forints or 4.5 % of the price.

2 Storage

Section 3 lists the rooms. Returned goods are kept for 45 days at 18 °C in room 7. The office closes at 17:30.
"""


def case(answer: str, question: str = "How long can goods be returned?", language: str = "en") -> Case:
    return Case(
        id="handbook/test/1",
        key="k",
        document_id="handbook",
        document_sha256="s",
        technique="test",
        type="complexity",
        language=language,
        question=question,
        expected_answer=answer,
        model="m",
        prompt_sha256="p",
    )


def span(text: str, piece: str) -> tuple[int, int]:
    start = text.index(piece)
    return start, start + len(piece)


@pytest.mark.parametrize(
    ("written", "value", "language", "made"),
    [
        ("1,847", "1620", "en", "1,620"),
        ("1,80", "1.60", "de", "1,60"),
        ("1.250,75", "1310.25", "de", "1.310,25"),
        ("12 500", "14000", "fr", "14 000"),
        ("0.9", "0.7", "en", "0.7"),
        ("30", "45", "en", "45"),
        ("30", "45.5", "en", None),  # the writing has no decimals
        ("½", "0.75", "en", None),
    ],
)
def test_a_number_keeps_its_writing(written: str, value: str, language: str, made: str | None) -> None:
    assert like(written, Decimal(value), language) == made


def test_decimals_and_words() -> None:
    assert decimals("17.50", "en") == 2
    assert decimals("1,847", "en") == 0
    assert decimals("1.2.3", "en") is None
    assert in_words("Five", Decimal(7), "en") == "Seven"
    assert in_words("zwölf", Decimal(10), "de") == "zehn"
    assert in_words("five", Decimal("2.5"), "en") is None


@given(st.integers(2, 99_999), st.integers(0, 2), st.integers(0, 5))
def test_other_numbers_are_plausible(whole: int, places: int, seed: int) -> None:
    value = Decimal(whole).scaleb(-places)
    for other in nearby(value, places, seed):
        assert other != value
        assert value / 2 <= other <= value * 2
        assert len(str(int(other))) == len(str(int(value)))
        assert other == round(other, places)


def test_round_numbers_stay_round() -> None:
    assert set(nearby(Decimal(30), 0, 1)) <= {Decimal(number) for number in (20, 40, 50)}
    assert set(nearby(Decimal(256), 0, 1, binary=True)) == {Decimal(128), Decimal(512)}
    assert Decimal(128) not in nearby(Decimal(256), 0, 1)
    assert nearby(Decimal(1), 0, 1) == []


def test_forms_of_one_value_change_together() -> None:
    spots = find_spots(HANDBOOK, "en")
    group = next(one.group for one in spots.spots if spots.says(one) == "30 days")
    assert [spots.says(one) for one in spots.of(group)] == ["30 days", "30-day", "thirty days"]
    changes = Changes(spots, 1)
    assert changes.change(group)
    made = changes.made().text
    found = re.search(r"within (\d+) days of delivery\. The (\d+)-day period", made)
    assert found is not None
    assert found[1] == found[2] != "30"
    word = {"20": "twenty", "40": "forty", "50": "fifty"}[found[1]]
    assert f"after {word} days" in made
    assert "45 days" in made


def test_units_of_one_quantity_agree() -> None:
    text = "The shelf is 1.5 m high. A board of 150 cm fits. Nothing is 2.0 m high."
    spots = find_spots(text, "en")
    changes = Changes(spots, 3)
    assert changes.change(spots.spots[0].group)
    found = re.search(r"is (\d\.\d) m high. A board of (\d{3}) cm", changes.made().text)
    assert found is not None
    assert Decimal(found[1]) * 100 == Decimal(found[2]) != 150


def test_names_of_things_are_no_values() -> None:
    said = [find_spots(HANDBOOK, "en").says(one) for one in find_spots(HANDBOOK, "en").spots]
    assert "45 days" in said and "18 °C" in said and "17:30" in said
    assert not [one for one in said if one in ("1", "2", "3", "7")]
    other = "Call +49 30 1234 5678 or write to a7@b8.org. See https://x.org/12 days. `x = 12`"
    assert find_spots(other, "en").spots == ()
    pillars = "Wind is measured at pillar 7. If pillar 7 fails, that of pillar 11 counts."
    assert find_spots(pillars, "en").spots == ()


def test_ranges_stay_in_order() -> None:
    text = "Keep between 10 to 20 mm of gap."
    for seed in range(20):
        spots = find_spots(text, "en")
        changes = Changes(spots, seed)
        for one in spots.spots:
            changes.change(one.group)
        low, high = (int(part) for part in re.findall(r"\d+", changes.made().text))
        assert low < high


@pytest.mark.parametrize(
    ("text", "language", "pattern"),
    [
        ("Doors open at 2:30 pm sharp.", "en", r"Doors open at \d{1,2}:\d\d pm sharp\."),
        ("Beginn um 08:15 Uhr.", "de", r"Beginn um 0\d:\d\d Uhr\."),
        ("Due by 2nd May.", "en", r"Due by (9th|16th) May\."),
        ("Fällig am 03.05.2024.", "de", r"Fällig am (10|17)\.05\.2024\."),
        ("Since März 2016 gilt das.", "de", r"Since (Januar|Februar|April|Mai) 2016 gilt das\."),
        ("Built in 1974.", "en", r"Built in 197[0123]\."),
    ],
)
def test_dates_and_times_keep_their_writing(text: str, language: str, pattern: str) -> None:
    spots = find_spots(text, language)
    changes = Changes(spots, 5)
    assert changes.change(spots.spots[0].group)
    assert changes.made().text != text
    assert re.fullmatch(pattern, changes.made().text)


def test_a_day_of_the_week_stays_true() -> None:
    # 14 March 2025 was a Friday, 14 March 2024 a Thursday, 14 March 2023 a Tuesday.
    text = "Version of Friday, 14 March 2025. Fee: 30 euros."
    made = stale(text, [span(text, "Fee: 30 euros.")], case("The fee is 30 euros.", "What is the fee?"), 1)
    assert made is not None
    assert re.match(r"Version of (Thursday, 14 March 2024|Tuesday, 14 March 2023)\.", made.text)


def test_an_older_version_reads_like_one() -> None:
    evidence = span(HANDBOOK, "Goods can be returned within 30 days of delivery.")
    made = stale(HANDBOOK, [evidence], case("Goods can be returned within 30 days of delivery."), 7)
    assert made is not None
    assert "Version 2.2, issued on 14 March 202" in made.text and "14 March 2025" not in made.text
    assert not re.search(r"\b30[- ]day|thirty days", made.text)
    assert made.text.startswith("Returns Handbook")
    assert len(made.says) == 1 and re.fullmatch(r"(20|40|50) days", made.says[0])
    (start, end), (says,) = made.spans[0], made.says
    assert made.text[start:end] == f"Goods can be returned within {says} of delivery."
    assert "room 7" in made.text and "Section 3" in made.text


def test_a_document_without_a_date_is_stamped() -> None:
    text = "Die Gebühr beträgt 35 Euro je Antrag."
    made = stale(text, [(0, len(text))], case(text, "Wie hoch ist die Gebühr?", "de"), 1)
    assert made is not None
    assert made.stamped and made.stamp == "Frühere Fassung, nicht mehr in Kraft."
    assert made.text.startswith("Die Gebühr beträgt ")
    dated = stale(f"Stand: 3. Mai 2024\n\n{text}", [(20, 20 + len(text))], case(text, "Wie hoch?", "de"), 1)
    assert dated is not None and not dated.stamped, "the date of its head tells it from the one in force"
    start, end = made.spans[0]
    assert made.text[start:end].startswith("Die Gebühr") and "35 Euro" not in made.text


def test_nothing_to_change_is_told() -> None:
    text = "The blue door stays open."
    assert stale(text, [(0, len(text))], case(text, "Which door?"), 1) is None
    # What the question says is what the poison is about: it stays.
    text = "Cooling to 10 °C takes as long as it takes."
    assert stale(text, [(0, len(text))], case(text, "What takes cooling to 10 °C?"), 1) is None


@pytest.mark.parametrize(
    ("text", "answer", "language", "gone"),
    [
        ("The hall technician answers for it.", "the hall technician", "en", "technician"),
        ("The plan was made by Anna Lechner.", "Anna Lechner", "en", "Anna Lechner"),
        ("It is delivered by Norbert GmbH.", "Norbert GmbH", "en", "Norbert"),
        ("Bins are emptied on Tuesday.", "On Tuesday.", "en", "Tuesday"),
        ("Abgeholt wird am Dienstag.", "Am Dienstag.", "de", "Dienstag"),
        ("Enter it in form B-12.", "Form B-12", "en", "B-12"),
    ],
)
def test_names_change_where_no_value_does(text: str, answer: str, language: str, gone: str) -> None:
    made = stale(text, [(0, len(text))], case(answer, "What?", language), 1)
    assert made is not None
    assert gone not in made.text and made.says and all(one in made.text for one in made.says)


def test_an_article_follows_its_noun() -> None:
    text = "Ask a mechanic."
    for seed in range(6):
        made = stale(text, [(0, len(text))], case(text, "Whom?"), seed)
        assert made is not None
        assert re.search(r"Ask (a technician|an electrician)\.", made.text)


def test_edits_move_places() -> None:
    made = apply("ab 30 cd", [Edit(3, 5, "400")])
    assert made.text == "ab 400 cd"
    assert made.span((6, 8)) == (7, 9)


UNITS = st.sampled_from(["days", "mm", "kg", "%", "euros", "hours"])
FACTS = st.lists(st.tuples(st.integers(2, 5000), UNITS), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(FACTS, st.integers(0, 1000))
def test_a_change_is_a_function_on_values(facts: list[tuple[int, str]], seed: int) -> None:
    """No old value that was changed is left, two equal values stay equal, different ones stay different."""
    text = "\n\n".join(f"Rule about matter number of kind: exactly {number} {unit} hold." for number, unit in facts)
    spots = find_spots(text, "en")
    changes = Changes(spots, seed)
    for group in dict.fromkeys(one.group for one in spots.spots):
        changes.change(group)
    made = changes.made()
    before = [(one.unit, one.value) for one in quantities(text, "en")]
    after = [(one.unit, one.value) for one in quantities(made.text, "en")]
    assert len(before) == len(after)
    mapping = dict(zip(before, after, strict=True))
    assert [mapping[one] for one in before] == after
    assert len(set(mapping.values())) == len(mapping)
    changed = {old for old, new in mapping.items() if old != new}
    assert not changed & set(after)
    for old, new in mapping.items():
        assert old[0] == new[0]
        assert len(str(abs(int(new[1])))) - len(str(abs(int(old[1])))) in (-1, 0, 1)
    lines = zip(text.split("\n"), made.text.split("\n"), strict=True)
    assert all(re.sub(r"\d", "", old) == re.sub(r"\d", "", new) for old, new in lines)


def test_targets_are_what_the_answer_says() -> None:
    text = "For 8 guests the hall costs 250 euros, for 30 guests 400 euros."
    spots = find_spots(text, "en")
    found = find_targets(spots, [(0, len(text))], case("It costs 250 euros.", "What does the hall cost for 8 guests?"))
    assert [spots.says(spots.of(group)[0]) for group in found.answer] == ["250 euros"]
    assert [spots.says(spots.of(group)[0]) for group in found.asked] == ["8 guests"]
