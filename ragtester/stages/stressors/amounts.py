"""A number as a text writes it, other numbers near it, and one of them in the same writing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import TypeVar

from ragtester.text.languages import base
from ragtester.text.numbers import NUMBER, digits_to_ascii, number_words, parse

T = TypeVar("T")
# A changed number stays within these bounds of the old one, and has as many digits before its decimal mark.
LOW, HIGH = Decimal("0.55"), Decimal("1.75")
# A choice is made among so many candidates at least, where there are so many.
ENOUGH = 3
_FURTHEST = 12
_LEAST_BINARY = 16
# A number of many figures (1,847) differs by a twenty-fifth at least: 1,846 would look like a slip of the pen.
_APART = 25
_SPACES = " \u00a0\u2009\u202f\u2007"
_PLAIN = re.compile(rf"\d{{1,3}}(?:[{_SPACES}'’]\d{{3}})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*")


def shuffled(options: Iterable[T], *parts: object) -> list[T]:
    """The options in an order that `parts` (a seed and what it is for) decide alone: the same in every process."""
    listed = list(options)
    return sorted(listed, key=lambda one: hashlib.sha256(f"{parts}|{one}".encode("utf-8", "surrogatepass")).digest())


def nearby(value: Decimal, places: int, *seed: object, binary: bool = False) -> list[Decimal]:
    """Plausible other values for a number above 0 that is written with `places` decimals, in a seeded order.

    They are as round as it is (30 gives 40 and not 37), have as many digits before the decimal mark, and lie within
    `LOW` and `HIGH` of it. A `binary` size stays a power of two where it is one. 1 is no candidate and has none: nouns
    beside it are in the singular.
    """
    whole = int(value.scaleb(places))
    digits = len(str(int(value)))
    found: dict[Decimal, None] = {}
    if binary and not places and whole >= _LEAST_BINARY and whole & (whole - 1) == 0:
        found.update(dict.fromkeys(Decimal(one) for one in shuffled((whole // 2, whole * 2), *seed)))
        return [one for one in found if len(str(one)) == digits] or list(found)
    for step in _steps(whole):
        new: list[Decimal] = []
        pace = step * max(1, whole // (step * _APART))
        for far in range(1, _FURTHEST + 1):
            for made in (whole - far * pace, whole + far * pace):
                other = Decimal(made).scaleb(-places)
                if LOW * value <= other <= HIGH * value and len(str(int(other))) == digits and other not in (0, 1):
                    new.append(other)
        found.update(dict.fromkeys(shuffled((one for one in new if one not in found), *seed, step)))
        if len(found) >= ENOUGH:
            break
    return [] if value in (0, 1) else list(found)


def _steps(whole: int) -> Iterator[int]:
    """From the roundest step that the digits allow down to one; months and hours go by the dozen."""
    if whole % 12 == 0 and whole % 10:
        yield from (12, 6)
    step = 1
    while whole and whole % (step * 10) == 0:
        step *= 10
    if whole % (step * 5) == 0:
        yield step * 5
    while step:
        yield step
        if step > 1:
            yield step // 2
        step //= 10


def decimals(written: str, language: str) -> int | None:
    """Digits behind the decimal mark of a written number; None where it is no plain one (a fraction, "1.2.3")."""
    match = NUMBER.fullmatch(digits_to_ascii(written))
    if match is None or not _PLAIN.fullmatch(written) or (value := parse(match, base(language))) is None:
        return None
    mark = _decimal_mark(written, value)
    return len(written) - written.rindex(mark) - 1 if mark else 0


def like(written: str, value: Decimal, language: str) -> str | None:
    """`value` with the separators and the number of decimals of `written`; None where that cannot say it."""
    places = decimals(written, language)
    if places is None or value <= 0:
        return None
    rounded = round(value, places)
    if rounded != value:
        return None
    match = NUMBER.fullmatch(written)
    old = parse(match, base(language)) if match else None
    mark = _decimal_mark(written, old) if old is not None else ""
    whole, _, part = f"{rounded:.{places}f}".partition(".")
    group = next((char for char in written if char in _SPACES + "'’" or (char in ".," and char != mark)), "")
    if group or (mark == "" and len(whole) < len(written)):
        whole = _grouped(whole, group)
    made = whole + (mark + part if part else "")
    again = NUMBER.fullmatch(made)
    return made if again and parse(again, base(language)) == value else None


def _grouped(whole: str, group: str) -> str:
    return re.sub(r"(?<=\d)(?=(?:\d{3})+$)", group, whole)


def _decimal_mark(written: str, value: Decimal) -> str:
    """The mark before the decimals, "" where there is none: a number with them has a part behind its point."""
    marks = [char for char in written if char in ".,"]
    if not marks:
        return ""
    last = marks[-1]
    behind = len(written) - written.rindex(last) - 1
    whole = re.sub(r"\D", "", written)
    return last if value == Decimal(whole).scaleb(-behind) else ""


@lru_cache(maxsize=8)
def _words(code: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for word, value in number_words(code).items():
        found.setdefault(value, word)
    return found


def in_words(written: str, value: Decimal, language: str) -> str | None:
    """The word for a whole number from 2 on, with the capital of `written`; None where there is none."""
    word = _words(base(language)).get(int(value)) if value == int(value) and value > 1 else None
    return word.capitalize() if word and written[:1].isupper() else word
