"""How a cell is written for people: the same text in every format, before that format's own escapes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import combinations
from math import floor, log10

from ragtester.statistics import format_rate
from ragtester.tables.model import Cell, Estimate, PValue, Rate

NOTHING = "n/a"
FROM = ", from "
"""Stands before the count of an estimate that says what it counts."""
# What could steer a terminal, turn text round or not be encoded: controls, directions, halves of surrogate pairs.
STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SMALLEST_P = 0.001


def clean(text: str) -> str:
    """`text` on one line, with what could steer a terminal or a page replaced: names and texts are hostile."""
    return STEERING.sub("\N{REPLACEMENT CHARACTER}", " ".join(re.split(r"[\t\n\r]+", text)))


def show(cell: Cell) -> str:
    """The text of a cell: "12/40 = 30.0 % [18.1, 45.4]" for a rate, "n/a" for what is undefined."""
    if cell is None:
        return NOTHING
    if isinstance(cell, str):
        return clean(cell)
    if isinstance(cell, Rate):
        return format_rate(cell.successes, cell.n)
    if isinstance(cell, Estimate):
        return _estimate(cell)
    if isinstance(cell, PValue):
        return p_text(cell.value)
    return f"{cell:,}" if isinstance(cell, int) else number(cell)


def show_row(row: Sequence[Cell]) -> list[str]:
    """The texts of a row's cells. An estimate leaves out its count where a rate of the row, or two, already say it."""
    counts = [cell.n for cell in row if isinstance(cell, Rate)]
    known = {*counts, *(first + second for first, second in combinations(counts, 2))}
    found = []
    for cell in row:
        text = show(cell)
        said = isinstance(cell, Estimate) and cell.n in known
        found.append(text.removesuffix(f", n {cell.n}") if said and isinstance(cell, Estimate) else text)
    return found


def p_text(p: float) -> str:
    """A p-value: three decimals, or "<0.001"."""
    return f"<{_SMALLEST_P}" if p < _SMALLEST_P else f"{p:.3f}"


def number(value: float) -> str:
    """A number with about three figures: 1234, 43.2, 0.0123, 1.2e-07."""
    if value == 0:
        return "0"
    if abs(value) < 1e-5:
        return f"{value:.2g}"
    return f"{value:.{_decimals(abs(value))}f}"


def _decimals(magnitude: float) -> int:
    return max(0, 2 - floor(log10(magnitude))) if magnitude else 0


def _estimate(cell: Estimate) -> str:
    """`+6.2 points [1.0, 11.3], n 240`: value and ends share their decimals; a share has one, as in rates."""
    ends = (cell.interval.low, cell.interval.high) if cell.interval else ()
    largest = max(abs(part) for part in (cell.value, *ends))
    # Beside a wide interval a small value keeps one decimal at least.
    decimals = min(8, max(_decimals(largest), 1 if ends and largest < 1000 else 0))
    if cell.unit == "%" and not cell.signed:
        decimals = 1
    if cell.decimals is not None:
        decimals = cell.decimals
    sign = "+" if cell.signed or cell.unit == "points" else ""
    # "z": what rounds to nothing has no minus before it.
    value = f"{cell.value:{sign}z.{decimals}f}"
    if cell.unit == "$":
        value = f"{value[0]}${value[1:]}" if value[0] in "+-" else f"${value}"
    elif cell.unit:
        value = f"{value} {clean(cell.unit)}"
    if ends:
        value += f" [{ends[0]:z.{decimals}f}, {ends[1]:z.{decimals}f}]"
    return f"{value}{FROM}{cell.n} {clean(cell.of)}" if cell.of else f"{value}, n {cell.n}"


def counted(n: int, noun: str, plural: str = "") -> str:
    """ "1 answer", "2,400 answers"."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def numeric_columns(rows: tuple[tuple[Cell, ...], ...], count: int) -> list[bool]:
    """Which columns hold numbers and nothing but numbers (or nothing at all)."""
    found = []
    for place in range(count):
        cells = [row[place] for row in rows]
        found.append(bool(cells) and not any(isinstance(cell, str) for cell in cells))
    return found


def column_groups(widths: Sequence[int], width: int, gap: int, keys: int = 1) -> list[list[int]]:
    """Places of columns that fit side by side within `width`; every group begins with the columns that name a row."""
    names = list(range(keys))
    groups: list[list[int]] = [[*names]]
    least = sum(widths[:keys]) + gap * (keys - 1)
    used = least
    for place, own in enumerate(widths[keys:], start=keys):
        if len(groups[-1]) > keys and used + gap + own > width:
            groups.append([*names])
            used = least
        groups[-1].append(place)
        used += gap + own
    return groups


def file_names(ids: list[str]) -> list[str]:
    """A safe and distinct file name (without its ending) for each table id."""
    names: list[str] = []
    for text in ids:
        base = re.sub(r"[^a-z0-9_-]+", "-", unicodedata.normalize("NFKD", text).lower()).strip("-")[:80] or "table"
        name, count = base, 1
        while name in names:
            count += 1
            name = f"{base}-{count}"
        names.append(name)
    return names
