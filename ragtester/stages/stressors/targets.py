"""What the evidence states that the expected answer says and the question does not: that is what has to change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ragtester.records import Case
from ragtester.stages.stressors.spots import Pair, Spot, Spots, find_spots
from ragtester.text.dates import same_date
from ragtester.text.quantities import quantities

Key = tuple[str, str, Decimal]


@dataclass(frozen=True)
class Targets:
    """Groups in the evidence by what they do there, in the order of the text.

    `answer` are those that the expected answer says and the question does not, those of the keywords first; `asked`
    those of the question, which stay as they are: the poison speaks of the same thing.
    """

    answer: tuple[str, ...]
    asked: frozenset[str]


def find_targets(spots: Spots, evidence: Sequence[Pair], case: Case) -> Targets:
    """The groups of a case's evidence."""
    inside = [one for span in evidence for one in spots.within(span)]
    said, asked = _stated(case.expected_answer, case.language), _stated(case.question, case.language)
    first = _stated("; ".join(case.keywords), case.language)
    there = [one for one in inside if _says(said, one) and not _says(asked, one)]
    ordered = sorted(there, key=lambda one: (not _says(first, one), one.kind == "year", one.start))
    # A year beside another value tells when that held, and is no answer of its own.
    if any(one.kind != "year" for one in ordered):
        ordered = [one for one in ordered if one.kind != "year"]
    in_question = frozenset(one.group for one in spots.spots if _says(asked, one))
    return Targets(tuple(dict.fromkeys(one.group for one in ordered)), in_question)


def says_value(text: str, language: str, spots: Iterable[Spot]) -> bool:
    """Whether a text states the value of any of these spots."""
    said = _stated(text, language)
    return any(_says(said, one) for one in spots)


def _stated(text: str, language: str) -> set[Key]:
    """Values of a text: of the spots, and of all quantities, since a bare number is a value in an answer."""
    found = {_key(one) for one in find_spots(text, language).spots}
    for one in quantities(text, language):
        found.add((one.kind if one.kind in ("date", "time") else "number", one.unit, one.value.normalize()))
    return found


def _key(spot: Spot) -> Key:
    if spot.kind in ("date", "time", "year"):
        return spot.kind, "", spot.value
    bare = spot.group.startswith("#")
    return "number", "" if bare else spot.unit, (spot.amount if bare else spot.value).normalize()


def _says(said: set[Key], spot: Spot) -> bool:
    kind, unit, value = _key(spot)
    if kind == "date":
        return any(one[0] == "date" and same_date(one[2], value) for one in said)
    if kind == "year":
        years = {one[2] for one in said if one[0] in ("year", "number")}
        return value in years or any(one[0] == "date" and one[2] // 10000 == value for one in said)
    return (kind, unit, value) in said
