"""What a claim says of the rows of a table beside one another: more than another row, the most or the least of all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragtester.models.embedded.tables import Row
from ragtester.text.normalise import listed
from ragtester.text.quantities import Quantity
from ragtester.text.words import words

_THAN = re.compile(r"\b(?:than|als)\b", re.I)
_BOUND = re.compile(r"\bat (?:most|least)\b", re.I)
# By what they measure: the unit of the column, "" where the claim must name it.
_GREATER = {
    "": "more higher larger greater bigger mehr höher größer",
    "kg": "heavier schwerer",
    "money": "dearer costlier teurer",
    "m": "longer taller wider deeper länger höher breiter tiefer",
}
_LESS = {
    "": "less lower fewer smaller weniger niedriger kleiner geringer",
    "kg": "lighter leichter",
    "money": "cheaper billiger günstiger",
    "m": "shorter narrower kürzer niedriger schmaler",
}
_MOST = {
    "": "most highest largest greatest biggest meisten höchste höchsten größte größten",
    "kg": "heaviest schwerste schwersten",
    "money": "dearest costliest teuerste teuersten",
    "m": "longest tallest widest deepest längste längsten",
}
_LEAST = {
    "": "least lowest fewest smallest wenigsten niedrigste niedrigsten kleinste kleinsten geringste geringsten",
    "kg": "lightest leichteste leichtesten",
    "money": "cheapest billigste günstigste",
    "m": "shortest narrowest kürzeste kürzesten",
}


def measured_by(text: str) -> tuple[int, str, bool] | None:
    """The way (1: greater, -1: less), the unit ("" where the claim names the column), and whether it is of all.

    None where a text does not compare, or compares in two ways.
    """
    said = set(words(_BOUND.sub(" ", text)))
    tables = ((1, _MOST, True), (-1, _LEAST, True))
    if _THAN.search(text):
        tables = ((1, _GREATER, False), (-1, _LESS, False))
    found = [
        (way, unit, every)
        for way, table, every in tables
        for unit, listing in table.items()
        if said & set(listed(listing))
    ]
    return found[0] if len(found) == 1 else None


def column_of(unit: str, values: Sequence[Sequence[Quantity]]) -> int | None:
    """The only column whose cells are measured in a unit."""
    fit = [
        place
        for place, cells in enumerate(values)
        if cells and all(one.unit == unit or (unit == "money" and one.kind == "money") for one in cells)
    ]
    return fit[0] if len(fit) == 1 else None


def in_order(text: str, rows: Sequence[Row]) -> list[Row]:
    """Rows in the order in which a text has their labels."""
    said = f" {' '.join(words(text))} "
    return sorted(rows, key=lambda row: said.find(f" {' '.join(words(row.cells[0]))} "))
