"""Where a text states values that another version of it could state otherwise: numbers, dates, times, years.

Numbers of sections, figures, pages, list items, codes, addresses and lines of code are no such values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from ragtester.stages.stressors.references import is_reference, states
from ragtester.text.blocks import code_spans, table_spans
from ragtester.text.dates import written_dates, written_times
from ragtester.text.languages import base, stop_words
from ragtester.text.numbers import NUMBER, digits_to_ascii, number_words, parse
from ragtester.text.quantities import Quantity, quantities
from ragtester.text.stems import stem

Kind = Literal["number", "word", "date", "time", "year"]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Spot:
    """A value at `[start, end)`; `shown` is that with its sign, currency and unit. Spots of one group say the same.

    `amount` is the number as it is written (no unit, no sign), `factor` what makes it the value in the base unit, and
    `offset` is added then (a temperature in °F); `unit` is the base unit or the noun that is counted. `parts` are the
    spans of a date's or a time's parts, by the names of the groups in `text.dates`.
    """

    start: int
    end: int
    group: str
    kind: Kind
    amount: Decimal
    shown: Pair
    unit: str = ""
    factor: Decimal = Decimal(1)
    offset: Decimal = Decimal(0)
    parts: dict[str, Pair] = field(default_factory=dict)
    value: Decimal = Decimal(0)


_NOUN = re.compile(r"[ \u00a0-]([^\W\d_]{3,})")
_YEAR = re.compile(r"(?<![\w.,/-])(?:1[5-9]|20)\d\d(?![\w/]|[.,-]\d)")
_MASKED = re.compile(
    r"https?://\S+|www\.\S+|\b[\w.+-]+@[\w-]+\.[\w.]+|\b(?:ISBN|ISSN|DOI|doi)\b[:\s]*[\w./-]+|\[\d{1,3}\]"
    r"|(?<![\w.,])\+?\(?\d{2,5}\)?[ /-]\d{2,}(?:[ /-]\d{2,})+(?![\w,.]\d)"
)


@dataclass(frozen=True)
class Spots:
    """The spots of a text in order, by group, and the spans that hold none."""

    text: str
    language: str
    spots: tuple[Spot, ...]

    def within(self, span: Pair) -> list[Spot]:
        """Spots that stand whole in a span."""
        return [one for one in self.spots if span[0] <= one.shown[0] and one.shown[1] <= span[1]]

    def of(self, group: str) -> list[Spot]:
        """All spots of a group."""
        return [one for one in self.spots if one.group == group]

    def says(self, spot: Spot) -> str:
        """The value as the text has it, with its unit; the line ends in it are spaces."""
        return " ".join(self.text[slice(*spot.shown)].split())


@lru_cache(maxsize=64)
def find_spots(text: str, language: str) -> Spots:
    """Every value of a text that could be another."""
    plain, code = digits_to_ascii(text), base(language)
    barred = [*_bars(text)]
    tables = table_spans(text, code_spans(text))
    found = [
        *_dates(plain),
        *_times(plain),
        *_years(plain, code),
        *_numbers(plain, code, tables),
    ]
    kept: list[Spot] = []
    for one in sorted(found, key=lambda one: (one.shown[0], -one.shown[1])):
        clear = not any(start < one.shown[1] and one.shown[0] < end for start, end in barred)
        if clear and (not kept or kept[-1].shown[1] <= one.shown[0]):
            kept.append(one)
    return Spots(text, language, tuple(_joined(kept, tables)))


def _bars(text: str) -> Iterator[Pair]:
    yield from code_spans(text)
    for match in _MASKED.finditer(text):
        yield match.span()


def _dates(text: str) -> Iterator[Spot]:
    for match, value in written_dates(text):
        parts = {name: match.span(name) for name, held in match.groupdict().items() if held}
        year, month, day = int(value) // 10000, int(value) // 100 % 100, int(value) % 100
        digits = match.groupdict()
        if "m" in parts and "d" in parts and int(digits["m"] or 0) != month:
            parts["m"], parts["d"] = parts["d"], parts["m"]  # month first
        group = f"date:{year}-{month}-{day}"
        # A point behind the name of a month ends a sentence as a rule.
        end = match.end() - match.group().endswith(".")
        span = (match.start(), end)
        yield Spot(*span, group, "date", Decimal(0), span, "date", parts=parts, value=value)


def _times(text: str) -> Iterator[Spot]:
    for match, value in written_times(text):
        parts = {name: match.span(name) for name, held in match.groupdict().items() if held}
        group = f"time:{value}"
        yield Spot(
            match.start(), match.end(), group, "time", Decimal(0), match.span(), "time", parts=parts, value=value
        )


def _years(text: str, code: str) -> Iterator[Spot]:
    for match in _YEAR.finditer(text):
        if is_reference(text, match.start()) or _counted(text, match.end(), code):
            continue
        value = Decimal(match.group())
        yield Spot(*match.span(), f"year:{value}", "year", value, match.span(), "year", value=value)


def _numbers(text: str, code: str, tables: list[Pair]) -> Iterator[Spot]:
    for one in quantities(text, code):
        if one.kind in ("date", "time"):
            continue
        written = NUMBER.search(text, one.start, one.end)
        spot = _word(text, one, code) if written is None else _numeral(text, one, written.span(), code)
        if one.kind == "money" and text[one.start : one.start + 2] == "$ ":
            continue  # the prompt of a shell
        if spot is not None and (one.unit or states(text, spot, tables)):
            yield spot


def _numeral(text: str, one: Quantity, at: Pair, code: str) -> Spot | None:
    match = NUMBER.fullmatch(text[slice(*at)])
    amount = parse(match, code) if match else None
    if not amount or (text[at[0]] == "0" and text[at[0] + 1 : at[0] + 2].isdigit()):
        return None
    return _valued(text, one, at, "number", amount, code)


def _word(text: str, one: Quantity, code: str) -> Spot | None:
    written = text[one.start : one.end]
    table = number_words(code)
    word = max((name for name in table if written.lower().startswith(name)), key=len, default="")
    if not word or table[word] < 2 or not word.replace("-", "").isalpha():
        return None
    return _valued(text, one, (one.start, one.start + len(word)), "word", Decimal(table[word]), code)


def _valued(text: str, one: Quantity, at: Pair, kind: Kind, amount: Decimal, code: str) -> Spot:
    shown = (min(one.start, at[0]), max(one.end, at[1]))
    unit = one.unit or _counted(text, at[1], code)
    factor, offset = one.value / amount, Decimal(0)
    written = text[slice(*shown)]
    if not one.unit and unit and (noun := _NOUN.match(text, at[1])):
        shown = (shown[0], noun.end())
    if one.unit == "°C" and amount not in (one.value, -one.value):
        kelvin = abs(one.value - (amount - Decimal("273.15"))) < Decimal("0.01")
        factor = Decimal(1) if kelvin else Decimal(5) / 9
        offset = Decimal("-273.15") if kelvin else Decimal(-160) / 9
        if not kelvin and "f" not in written.lower():
            factor, offset = Decimal(1), one.value - amount
    value = one.value if one.unit else amount
    group = f"{unit}:{value:.4e}" if one.unit else f"#{unit}:{value.normalize():f}"
    return Spot(*at, group, kind, amount, shown, unit, factor, offset, value=value)


def _counted(text: str, end: int, code: str) -> str:
    """The stem of the noun that a bare number counts; "" where none follows."""
    after = _NOUN.match(text, end)
    if after is None or after[1].lower() in stop_words(code):
        return ""
    return stem(after[1].lower(), code)


def _is_telling(amount: Decimal) -> bool:
    """Whether a number is hardly there twice by chance: three figures or more, or decimals."""
    return amount >= 100 or amount != int(amount)


def _joined(spots: list[Spot], tables: list[Pair]) -> Iterator[Spot]:
    """Bare numbers in tables say what the same number with a unit or a noun says elsewhere in the text."""
    known: dict[Decimal, Spot] = {}
    for one in spots:
        if one.kind == "number" and not one.group.startswith("#:") and one.factor > 0:
            known.setdefault(one.amount, one)
    for one in spots:
        same = known.get(one.amount)
        bare = one.group.startswith("#:") and any(start <= one.start < end for start, end in tables)
        if bare and same is not None and _is_telling(one.amount):
            yield Spot(
                one.start, one.end, same.group, one.kind, one.amount, one.shown, same.unit, same.factor, same.offset,
                value=same.value,
            )  # fmt: skip
        else:
            yield one
