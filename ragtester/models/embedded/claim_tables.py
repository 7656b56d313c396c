"""A claim against the row of a table that it names: the cell of its column, ticks and dashes, the largest and least."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragtester.models.embedded.claim_matching import QUANTITY, Claim
from ragtester.models.embedded.claim_parts import Part
from ragtester.models.embedded.claim_ranking import column_of, in_order, measured_by
from ragtester.models.embedded.claim_reading import Sentence, unit_of
from ragtester.models.embedded.claim_values import comparable, same_value
from ragtester.models.embedded.tables import Row
from ragtester.records import ClaimVerdict
from ragtester.text.normalise import listed
from ragtester.text.quantities import Quantity, quantities
from ragtester.text.stems import stems
from ragtester.text.words import words

NAMED = 0.5
"""Share of a head's words that a claim must have to name its column."""
COVER, LEAST = 0.6, 0.55
"""Share of a claim that the row, its heads and what stands before must hold to support and to contradict it."""
LARGE = 100
"""From here on a bare number that a row has once is hardly another thing's."""
_YES = frozenset(listed("✓ ✔ ✅ ☑ ● yes ja oui sí si sì sim included inklusive inclus incluido x"))
_NO = frozenset(listed("– — - − ✗ ✘ ❌ ☒ ○ no nein non none keine 0 não nee"))
_THAN = re.compile(r"\b(?:than|als)\b", re.I)
_LIMITED = re.compile(r"\b(?:only|nur|alone|solely|each|every|all|both|alle|jede[rs]?|beide)\b", re.I)
_OF = re.compile(r"\b(?:of|all|among|von|unter|aller|parmi|des|de|entre)(?: the| den| les| los| las)? $", re.I)
_INSIDE = re.compile(r"\([^()]*(?:\([^()]*\))?[^()]*\)|\[[^\[\]]*\]|,.*$")


@dataclass(frozen=True)
class Cell:
    """What a table says of a claim, in a few words, and how near it is."""

    verdict: ClaimVerdict
    why: str
    weight: float


def named_rows(claim: Claim) -> tuple[Sentence, ...]:
    """The rows of a passage's tables whose labels the claim has, without those whose labels are within another's."""
    said = _spaced(claim.part.text)

    def has(row: Row) -> bool:
        own = stems(row.cells[0], claim.code)
        plain = bool(own) and not any(char.isdigit() for char in row.cells[0])
        return bool(_label(row).strip()) and (_label(row) in said or (plain and claim.stems.issuperset(own)))

    found = [one for one in claim.passage.sentences if one.table and has(one.table)]
    labels = {_label(one.table) for one in found if one.table}
    return tuple(
        one
        for one in found
        if one.table and not any(_label(one.table) in other != _label(one.table) for other in labels)
    )


def cell_of(claim: Claim, sentence: Sentence, before: frozenset[str]) -> Cell | None:
    """What the one row that a claim names says of it; None where the claim names no cell and tells no value of it."""
    row = sentence.table
    if row is None:
        return None
    column = _column(claim, row)
    values = _own_values(claim, row)
    if _LIMITED.search(claim.part.text):
        return None if values else Cell("unsupported", f"{row.cells[0]!r} alone does not say so", 0.0)
    if not values:
        return _ticked(claim, row, column) or _of_another_row(claim, row, column)
    if len(values) > 1 or _THAN.search(claim.part.text) or claim.part.limits:
        return None
    return _valued(claim, sentence, column, values[0], before)


def _valued(
    claim: Claim, sentence: Sentence, column: int | None, said: Quantity, before: frozenset[str]
) -> Cell | None:
    """The cell whose column the claim names, or the only one that measures the same, against the claim's value."""
    row = sentence.table
    assert row is not None
    cells = [_cell_values(row, place, claim.code) for place in range(len(row.cells))]
    same = [place for place in range(1, len(cells)) if any(same_value(said, one) for one in cells[place])]
    alike = [place for place in range(1, len(cells)) if any(comparable(said, one) for one in cells[place])]
    if column is None:
        column = alike[0] if len(alike) == 1 and said.unit else None
        if len(same) == 1 and not said.unit and said.value >= LARGE:
            column = same[0]
    if column is None or len(cells[column]) != 1:
        return None
    shown = f"{row.cells[0]}, {row.heads[column]}: {row.cells[column]}"
    held = _share(claim, row, column, before)
    if column in same:
        return Cell("supported", f"'{shown}' says so", held) if held >= COVER and not claim.part.denied else None
    rival = cells[column][0]
    if claim.part.denied or held < LEAST or not (comparable(said, rival) or not rival.unit):
        return None
    return Cell("contradicted", f"{row.cells[column]!r}, not {_shown(claim.part, said)}: '{shown}'", held)


def _share(claim: Claim, row: Row, column: int, before: frozenset[str]) -> float:
    """Share of the claim, its value included, that the row's label, the cell's head and what stands before hold."""
    held = before | frozenset(stems(f"{row.heads[0]} {row.cells[0]} {row.heads[column]}", claim.code))
    content = claim.part.content
    return (sum(claim.credit(one, held) for one in content) + QUANTITY) / (len(content) + QUANTITY)


def _ticked(claim: Claim, row: Row, column: int | None) -> Cell | None:
    """A tick, a dash, a yes, a no or a nought in the cell that the claim names."""
    if column is None:
        return None
    cell = row.cells[column].strip().lower()
    if cell not in _YES | _NO:
        return None
    shown = f"'{row.cells[0]}, {row.heads[column]}: {row.cells[column]}'"
    if (cell in _YES) != claim.part.denied:
        return Cell("supported", f"{shown} says so", 1.0)
    return Cell("contradicted", f"{row.cells[column]!r}: {shown}", 1.0)


def _of_another_row(claim: Claim, row: Row, column: int | None) -> Cell | None:
    """The words of another row's cell in the column that the claim names, where the row's own are other words."""
    if column is None or claim.part.denied or claim.stems.issuperset(stems(row.cells[column], claim.code)):
        return None
    others = [one.table for one in claim.passage.sentences if one.table and one.table.heads == row.heads]
    for other in others:
        said = stems(other.cells[column], claim.code)
        if said and other is not row and claim.stems.issuperset(said):
            return Cell("contradicted", f"{row.cells[column]!r}, not {other.cells[column]!r}", 1.0)
    return None


def compared(claim: Claim, named: tuple[Sentence, ...]) -> Cell | None:
    """One row that has the most or the least of all, or two of which one has more; None where nothing is compared."""
    asked = measured_by(claim.part.text)
    rows = in_order(claim.part.text, [one.table for one in named if one.table])
    if asked is None or claim.part.denied or not rows or len(rows) != (1 if asked[2] else 2):
        return None
    if _own_values(claim, rows[0]):
        return None
    way, unit, every = asked
    others = [one.table for one in claim.passage.sentences if one.table and one.table.heads == rows[0].heads]
    cells = [[_cell_values(one, place, claim.code) for one in others] for place in range(len(rows[0].heads))]
    column = _column(claim, rows[0])
    if column is None:
        single = [[values[0] for values in found if values] for found in cells]
        column = column_of(unit, single) if unit else None
    if column is None or len(others) < 2 or any(len(found) != 1 for found in cells[column]):
        return None
    ranked = {one.cells[0]: found[0].value * way for one, found in zip(others, cells[column], strict=True)}
    first = rows[0].cells[0]
    held = ranked[first] == max(ranked.values()) if every else ranked[first] > ranked[rows[1].cells[0]]
    shown = ", ".join(f"{one.cells[0]}: {one.cells[column]}" for one in (others if every else rows))
    return Cell("supported" if held else "contradicted", f"{rows[0].heads[column]} is '{shown}'", 1.0)


def _column(claim: Claim, row: Row) -> int | None:
    """The one column that a claim names: it has most of its head's words, and more than of any other's."""
    held = frozenset(claim.part.stems)
    figures = {str(one.value) for one in claim.part.read.quantities}
    shares: list[tuple[float, int]] = []
    for place in range(1, len(row.heads)):
        head = _INSIDE.sub("", row.heads[place])
        wanted = stems(head, claim.code) or stems(row.heads[place], claim.code)
        got = sum(any(_like(claim, mine, one) for mine in held) or one in figures for one in wanted)
        shares.append((got / len(wanted) if wanted else 0.0, place))
    shares.sort(reverse=True)
    if not shares or shares[0][0] < NAMED or (len(shares) > 1 and shares[1][0] == shares[0][0]):
        return None
    return shares[0][1]


def _like(claim: Claim, mine: str, head: str) -> bool:
    return mine == head or head in claim.kin.get(mine, frozenset())


def _own_values(claim: Claim, row: Row) -> list[Quantity]:
    """The claim's values that are not part of the row's label or of a column's head."""
    heads = [one for head in (row.cells[0], *row.heads) for one in quantities(head, claim.code)]
    label = _spaced(row.cells[0]).split()
    return [
        one
        for one in claim.part.read.quantities
        if not any(same_value(one, other) for other in heads)
        and not _counts(one, claim, row)
        and _shown(claim.part, one).lower() not in label
    ]


def _counts(said: Quantity, claim: Claim, row: Row) -> bool:
    """Whether a bare number is that of the table's rows ("of the three fans")."""
    count = sum(one.table is not None and one.table.heads == row.heads for one in claim.passage.sentences)
    return not said.unit and said.value == count and bool(_OF.search(claim.part.text[: said.start]))


def _cell_values(row: Row, place: int, code: str) -> tuple[Quantity, ...]:
    """The values of a cell; a bare number takes the unit of its head."""
    unit = unit_of(row.heads[place], row.cells[place], code)
    return tuple(quantities(f"{row.cells[place]} {unit}".strip(), code))


def _label(row: Row) -> str:
    return _spaced(row.cells[0])


def _spaced(text: str) -> str:
    return f" {' '.join(words(text))} "


def _shown(there: Part, quantity: Quantity) -> str:
    return " ".join(there.text[quantity.start : quantity.end].split())
