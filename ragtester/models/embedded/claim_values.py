"""Values as the check of claims compares them."""

from __future__ import annotations

from ragtester.text.quantities import Quantity, same_quantity

MONTH_SECONDS = 86400 * 30.4375
CLOSE = 0.05
"""Months against days: equal to a twentieth."""


def missing(values: tuple[Quantity, ...], held: tuple[Quantity, ...]) -> tuple[Quantity, ...]:
    """Those of the values that are not among the others."""
    return tuple(one for one in values if not any(same_value(one, other) for other in held))


def same_value(one: Quantity, other: Quantity) -> bool:
    """Whether two values are equal; months and days to a twentieth, a year alone as the date's year."""
    if same_quantity(one, other):
        return True
    if {one.unit, other.unit} == {"month", "s"}:
        months, seconds = (one, other) if one.unit == "month" else (other, one)
        wanted = float(months.value) * MONTH_SECONDS
        return abs(wanted - float(seconds.value)) <= CLOSE * max(wanted, 1.0)
    if (one.kind == "date") != (other.kind == "date"):
        date, bare = (one, other) if one.kind == "date" else (other, one)
        return is_year(bare) and int(date.value) // 10000 == bare.value
    return False


def comparable(one: Quantity, other: Quantity) -> bool:
    """Whether two values measure the same: units of one dimension, or dates and years."""
    if "date" in (one.kind, other.kind):
        return _dated(one) and _dated(other)
    if {one.unit, other.unit} == {"month", "s"}:
        return True
    return one.unit == other.unit and (one.kind == "time") == (other.kind == "time")


def _dated(one: Quantity) -> bool:
    return one.kind == "date" or is_year(one)


def is_year(one: Quantity) -> bool:
    """Whether a bare number reads as a year."""
    return one.kind == "number" and not one.unit and 1400 <= one.value <= 2100 and one.value == int(one.value)
