"""Numbers without their unit: a bare number that is written like an expected one is taken to have its unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from ragtester.models.embedded.judging_statements import Body, Statement
from ragtester.text.numbers import NUMBER, digits_to_ascii, number_words, parse
from ragtester.text.quantities import Quantity
from ragtester.text.words import words

_NEXT = 80
"""Characters after a number in which the word that it counts is looked for."""


@dataclass(frozen=True)
class Value:
    """A quantity, the statement that names it and that statement's place in its text."""

    quantity: Quantity
    statement: Statement
    place: int

    @property
    def shown(self) -> str:
        """As it is written."""
        return " ".join(self.statement.text[self.quantity.start : self.quantity.end].split())


def values_of(body: Body) -> Iterator[Value]:
    """All values of a text, in order."""
    for place, statement in enumerate(body.statements):
        for quantity in statement.quantities:
            yield Value(quantity, statement, place)


def adopt_units(answer: Body, expected: Body, language: str) -> Body:
    """The answer, its bare numbers with the unit of the expected value that is written the same.

    "40" for "40 millimetres", "85 litres" for a bare "85"; a year becomes a date where a date of that year is
    expected. A number with another unit, or that counts something else ("40 sheets"), stays what it is.
    """
    wanted = list(values_of(expected))
    if not wanted:
        return answer
    statements = tuple(
        replace(one, quantities=tuple(_adopted(Value(said, one, place), wanted, language) for said in one.quantities))
        for place, one in enumerate(answer.statements)
    )
    return replace(answer, statements=statements)


def _adopted(said: Value, wanted: list[Value], language: str) -> Quantity:
    unit = next((one.quantity for one in wanted if _stands_for(said, one, language)), None)
    if unit is None or any(said.quantity.unit == one.quantity.unit and _equal(said, one) for one in wanted):
        return said.quantity
    value = said.quantity.value * 10000 if unit.kind == "date" else unit.value
    return replace(said.quantity, value=value, unit=unit.unit, kind=unit.kind)


def _equal(one: Value, other: Value) -> bool:
    return one.quantity.value == other.quantity.value


def _stands_for(said: Value, wanted: Value, language: str) -> bool:
    one, two = said.quantity, wanted.quantity
    if two.kind == "date":
        return not one.unit and one.value == int(two.value) // 10000 > 0
    if "date" in (one.kind, two.kind) or "time" in (one.kind, two.kind):
        return False
    if not _unitless(said, set(wanted.statement.stems)) and not _unitless(wanted, set()):
        return False
    written = _written(wanted, language)
    return written is not None and written == _written(said, language)


def _unitless(value: Value, topic: set[str]) -> bool:
    """Whether a bare number counts nothing: no content word but those of `topic` follows ("40 sheets", "40 wide")."""
    following = words(value.statement.text[value.quantity.end : value.quantity.end + _NEXT])[:1]
    counted = value.statement.stem_of.get(following[0]) if following else None
    return not value.quantity.unit and (counted is None or counted in topic)


def _written(value: Value, language: str) -> Decimal | None:
    """The number as it is written, before its unit; None where there is none."""
    shown = digits_to_ascii(value.shown)
    match = NUMBER.search(shown)
    if match:
        return parse(match, language)
    worded = number_words(language).get(shown.split()[0].lower())
    return None if worded is None else Decimal(worded)
