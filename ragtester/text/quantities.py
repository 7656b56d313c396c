"""Quantities in a text: numbers with units in a base unit, percentages, money, dates, clock times."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from ragtester.text.dates import clock_times, dates, same_date
from ragtester.text.languages import base, stop_words
from ragtester.text.numbers import MULTIPLIERS, NUMBER, ONLY_BEFORE_UNITS, digits_to_ascii, number_words, parse
from ragtester.text.units import LONG_SPELLINGS, MONEY, PHRASES, SPELLINGS, to_base

Kind = Literal["number", "date", "time", "percent", "money"]


@dataclass(frozen=True)
class Quantity:
    """A value in its base unit ("" for a bare number) at `[start, end)` of the text.

    Dates hold YYYYMMDD (an absent part is 0), clock times minutes after midnight.
    """

    value: Decimal
    unit: str
    start: int
    end: int
    kind: Kind = "number"


_GAP = "[ \u00a0\u2009\u202f]?-?"
_WORDLIKE = re.compile(r"[^\W\d_]$")
_UNIT_WORD = re.compile(_GAP + r"([^\W\d_]{3,})(?![^\W_]|-hand)")
_PREFIX = re.compile(r"(?:US)?([€$£¥₹])\s?$|\b(EUR|USD|GBP|CHF|JPY|CNY)\s?$")
_RANGE = re.compile(r"\s?(?:-|–|—|to|bis|à|a|hasta|and|und|et|y|~|～|至)\s?$")
_MULTIPLIER = re.compile(r"\s?([^\W\d_]+\.?|[万億亿])")
_CODE = re.compile(r"(?<![^\W_])(?=[\w./-]*\d)(?=[\w./-]*[^\W\d_])[^\W_]+(?:[-./_][^\W_]+)*(?![^\W_])")
# "EN 81-20", "ISO 9001": capitals and a number of two digits or more are a name, money apart.
_STANDARD = re.compile(
    r"(?<![\w-])(?!(?:EUR|USD|GBP|CHF|JPY|CNY|INR|RMB)\b)[A-Z]{2,5}[ \u00a0]\d{2,}(?:[-./:]\d+)*(?![\w%°])"
)
_NEXT_WORD = re.compile(r" ([a-z]+)")
_AFTER_PRONOUN = frozenset(
    {"another", "more", "or", "by", "under", "on", "needs", "wants", "way", "side", "example", "reason"}
)
_DEMONSTRATIVE = re.compile(
    r"\b(?:the|this|that|which|no|any|each|every|another|only|first|second|third|last|next|other|new|old|right|wrong)\s$",
    re.I,
)
_LETTERS_AHEAD = re.compile(r"[^\W\d_]")


@lru_cache(maxsize=1)
def _unit() -> re.Pattern[str]:
    """Any spelling of a unit. A unit of letters must not run on into a word; signs and CJK units may.

    Made when it is first needed: that takes a fifth of a second.
    """
    spellings = (
        re.escape(spelling)
        + (
            r"(?![0-9A-Za-z\u00c0-\u04ff²³]|-hand)"
            if (spelling[-1].isascii() and spelling[-1].isalnum()) or spelling[-1].isalpha()
            else ""
        )
        if ord(spelling[-1]) < 0x3000
        else re.escape(spelling)
        for spelling in (*LONG_SPELLINGS, *SPELLINGS)
    )
    return re.compile(_GAP + "(" + "|".join(spellings) + ")")


@lru_cache(maxsize=1024)
def _cached(text: str, code: str) -> tuple[Quantity, ...]:
    plain = digits_to_ascii(text)
    taken = _Taken(len(plain))
    found: list[Quantity] = []

    def add(quantity: Quantity | None) -> None:
        if quantity and taken.free(quantity.start, quantity.end):
            taken.take(quantity.start, quantity.end)
            found.append(quantity)

    for start, end, value in dates(plain):
        add(Quantity(value, "date", start, end, "date"))
    for start, end, value in clock_times(plain):
        add(Quantity(value, "time", start, end, "time"))
    for match in _STANDARD.finditer(plain):
        if not _unit().match(plain, match.end()):
            taken.take(*match.span())
    for match in NUMBER.finditer(plain):
        if taken.free(*match.span()):
            add(_numeral(plain, match, code))
    for quantity in _worded(plain, code):
        add(quantity)
    return tuple(_share_units(plain, sorted(found, key=lambda quantity: quantity.start)))


def quantities(text: str, language: str) -> list[Quantity]:
    """Every quantity of a text in order. Digits inside identifiers ("EN-81", "v2.3", "A4") are no quantities."""
    return list(_cached(text, base(language)))


def same_quantity(first: Quantity, second: Quantity) -> bool:
    """Whether two quantities say the same: kind, base unit and value (to 0.1 % where a unit may have been converted).

    Shares and money are never converted: 99.9 % is not 99.95 %.

    "110 degrees" is taken to be "110 °C" where the other names the scale.
    """
    if first.kind == "date" or second.kind == "date":
        return first.kind == second.kind and same_date(first.value, second.value)
    if first.unit != second.unit and {first.unit, second.unit} != {"deg", "°C"}:
        return False
    gap = abs(first.value - second.value)
    exact = not first.unit or first.kind in ("percent", "money")
    return gap == 0 if exact else gap <= Decimal("0.001") * max(abs(first.value), abs(second.value))


class _Taken:
    """Which characters belong to a quantity already; constant time a question however many there are."""

    def __init__(self, length: int) -> None:
        self._marks = bytearray(length)

    def free(self, start: int, end: int) -> bool:
        return not any(self._marks[start:end])

    def take(self, start: int, end: int) -> None:
        self._marks[start:end] = b"\1" * (end - start)


class Values:
    """Quantities to look others up in, by value rather than one by one."""

    def __init__(self, given: Iterable[Quantity]) -> None:
        listed_ = list(given)
        self._keys = {_lookup_key(one) for one in listed_ if one.kind != "date"}
        self._dates = [one for one in listed_ if one.kind == "date"]

    def __contains__(self, wanted: object) -> bool:
        if not isinstance(wanted, Quantity):
            return False
        if wanted.kind == "date":
            return any(same_quantity(one, wanted) for one in self._dates)
        return _lookup_key(wanted) in self._keys


def _lookup_key(quantity: Quantity) -> tuple[str, str]:
    """Unit and value; the value to four digits where a unit was converted."""
    unit = "°C" if quantity.unit == "deg" else quantity.unit
    return unit, f"{quantity.value:.3e}" if unit else f"{quantity.value.normalize():f}"


def _numeral(text: str, match: re.Match[str], code: str) -> Quantity | None:
    start, end = match.span()
    before = text[max(0, start - 2) : start]
    if before and (_WORDLIKE.search(before) or (before[-1] in "-./_" and before[:1].isalnum() and len(before) == 2)):
        joined = before[-1] == "-" and before[0].isdigit()
        if not joined and not _is_wide(before[-1]):
            return None
    value = parse(match, code)
    if value is None:
        return None
    if before.endswith("-") and not before[:-1].strip(" (["):
        value, start = -value, start - 1
    return _with_unit(text, value, start, end, bare=True)


def _is_wide(char: str) -> bool:
    return ord(char) >= 0x2E80


def _with_unit(text: str, value: Decimal, start: int, end: int, *, bare: bool) -> Quantity | None:
    """Add multiplier, currency and unit; None where letters follow directly that are no unit (an identifier)."""
    scaled = _MULTIPLIER.match(text, end)
    if scaled and (factor := MULTIPLIERS.get(scaled[1].lower())):
        value, end = value * factor, scaled.end()
    prefix = _PREFIX.search(text[max(0, start - 5) : start])
    if prefix and (money := to_base(value, prefix[1] or prefix[2])):
        return Quantity(money[0], money[1], start - len(prefix.group()), end, "money")
    spelled = _unit().match(text, end) or _UNIT_WORD.match(text, end)
    if spelled and (based := to_base(value, PHRASES.get(spelled[1], spelled[1]))):
        kind: Kind = "percent" if based[1] == "%" else "money" if based[1] in MONEY else "number"
        return Quantity(based[0].normalize(), based[1], start, spelled.end(), kind)
    follows = text[end : end + 1]
    if not bare or (_LETTERS_AHEAD.match(follows) and not _is_wide(follows)):
        return None
    return Quantity(value, "", start, end)


_HAN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2, "兩": 2, "〇": 0}
_HAN = re.compile(r"[零〇一二两兩三四五六七八九]?十[一二三四五六七八九]?|[零〇一二两兩三四五六七八九]")


def _han(text: str) -> list[Quantity]:
    """Chinese and Japanese numerals up to 99, only before a unit: alone they are parts of words."""
    found = []
    for match in _HAN.finditer(text):
        tens, mark, ones = match.group().partition("十")
        value = (_HAN_DIGITS.get(tens, 1) * 10 + _HAN_DIGITS.get(ones, 0)) if mark else _HAN_DIGITS[tens]
        quantity = _with_unit(text, Decimal(value), match.start(), match.end(), bare=False)
        if quantity:
            found.append(quantity)
    return found


@lru_cache(maxsize=8)
def _word_pattern(code: str) -> re.Pattern[str] | None:
    table = sorted(number_words(code), key=len, reverse=True)
    return re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, table)) + r")(?![\w])", re.I) if table else None


def _worded(text: str, code: str) -> list[Quantity]:
    if code in ("zh", "ja"):
        return _han(text)
    pattern = _word_pattern(code)
    found = []
    for match in pattern.finditer(text) if pattern else ():
        word = match[1].lower()
        value = Decimal(number_words(code)[word])
        counts = word not in ONLY_BEFORE_UNITS or (word == "one" and _counts_one(text, match))
        quantity = _with_unit(text, value, match.start(), match.end(), bare=counts)
        if quantity:
            found.append(quantity)
    return found


def _counts_one(text: str, match: re.Match[str]) -> bool:
    """Whether "one" counts ("one person") and is no pronoun ("one of", "the one", "one can")."""
    after = _NEXT_WORD.match(text, match.end())
    if after is None or after[1].lower() in stop_words("en") | _AFTER_PRONOUN:
        return False
    return _DEMONSTRATIVE.search(text, max(0, match.start() - 10), match.start()) is None


def _share_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """In "10-20 mm" and "10 to 20 mm" the first number takes the unit of the second."""
    for place in range(len(found) - 2, -1, -1):
        first, second = found[place], found[place + 1]
        between = text[first.end : second.start]
        if first.unit or not second.unit or second.kind in ("date", "time") or len(between) > 8:
            continue
        if not _RANGE.fullmatch(between):
            continue
        written = _unit().search(text, second.start, second.end) or _UNIT_WORD.search(text, second.start, second.end)
        based = to_base(first.value, PHRASES.get(written[1], written[1])) if written else None
        if based:
            found[place] = replace(first, value=based[0].normalize(), unit=based[1], kind=second.kind)
    return found


def codes(text: str, language: str) -> set[str]:
    """Identifiers that mix letters and digits ("EN-81", "v2.3", "A4"), folded; numbers with a unit are none."""
    plain = digits_to_ascii(text)
    taken = _Taken(len(plain))
    for quantity in quantities(text, language):
        taken.take(quantity.start, quantity.end)
    return {
        re.sub(r"[-._/:\s]", "", match.group()).casefold()
        for match in (*_CODE.finditer(plain), *_STANDARD.finditer(plain))
        if match.group().isascii() and taken.free(*match.span())
    }
