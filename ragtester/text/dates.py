"""Dates and clock times in the forms that documents use."""

from __future__ import annotations

import re
from decimal import Decimal

from ragtester.text.languages import base
from ragtester.text.normalise import listed

_MONTH_LINES = tuple(
    listed(line)
    for line in (
        "january february march april may june july august september october november december",
        "jan feb mar apr - jun jul aug sep oct nov dec",
        "- - - - - - - - sept - - -",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "jänner - mrz - - - - - - okt - dez",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "januari februari maart april mei juni juli augustus september oktober november december",
    )
)
# The first line of each language that is not English.
_LINE_OF = {"de": 3, "fr": 5, "es": 6, "it": 7, "pt": 8, "nl": 9}
_MONTHS = {name: number for line in _MONTH_LINES for number, name in enumerate(line, start=1) if name != "-"}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_FORMS = (
    re.compile(r"(?<![\d.-])(?P<y>[12]\d{3})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?!\d)"),
    re.compile(r"(?<![\d.-])(?P<y>[12]\d{3})/(?P<m>\d{1,2})/(?P<d>\d{1,2})(?!\d)"),
    re.compile(r"(?<!\d)(?P<y>[12]\d{3})\s?[年년]\s?(?P<m>\d{1,2})\s?[月월](?:\s?(?P<d>\d{1,2})\s?[日일])?"),
    re.compile(r"(?<![\d.])(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>[12]\d{3})(?!\d)"),
    re.compile(r"(?<![\d/])(?P<d>\d{1,2})[/-](?P<m>\d{1,2})[/-](?P<y>[12]\d{3})(?!\d)"),
    re.compile(
        rf"(?<![\w.])(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?\s(?:of\s|de\s)?(?P<n>{_MONTH})\b\.?"
        rf"(?:,?\s(?:de\s)?(?P<y>[12]\d{{3}}))?(?!\d)",
        re.I,
    ),
    re.compile(
        rf"\b(?P<n>{_MONTH})\b\.?\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|[.,]\d)(?:,?\s(?P<y>[12]\d{{3}}))?", re.I
    ),
    re.compile(rf"\b(?P<n>{_MONTH})\b\.?,?\s(?:de\s)?(?P<y>[12]\d{{3}})(?!\d)", re.I),
)
_CLOCK = re.compile(
    r"(?<![\d:.])(?P<h>[01]?\d|2[0-4])(?:(?P<colon>[:h])(?P<min>[0-5]\d)(?::[0-5]\d)?)?"
    r"(?P<half>\s?[ap]\.?m\b\.?)?(?P<word>\s(?:uhr|o'clock)\b)?(?![\d:])",
    re.I,
)


def dates(text: str) -> list[tuple[int, int, Decimal]]:
    """Dates as `(start, end, YYYYMMDD)`; an absent part is 0. Day/month is read before month/day where both fit."""
    return [(match.start(), match.end(), value) for match, value in written_dates(text)]


def written_dates(text: str) -> list[tuple[re.Match[str], Decimal]]:
    """Dates as they are written, in order: groups "d", "m", "y" are digits, "n" is a month's name; and `YYYYMMDD`."""
    found: list[tuple[re.Match[str], Decimal]] = []
    for form in _FORMS:
        for match in form.finditer(text):
            value = _value(match.groupdict())
            if value is not None and all(match.end() <= one.start() or match.start() >= one.end() for one, _ in found):
                found.append((match, value))
    return sorted(found, key=lambda one: one[0].start())


def month_like(name: str, month: int, language: str) -> str | None:
    """The name of a month (1 to 12) in the length and the capitals of another one; None where there is none.

    A name that several languages have ("August") is taken in `language` where that has it.
    """
    first = _LINE_OF.get(base(language), 0)
    for line in (*_MONTH_LINES[first:], *_MONTH_LINES[:first]):
        if name.lower() in line and line[month - 1] != "-":
            made = line[month - 1]
            return made.capitalize() if name[0].isupper() else made
    return None


def _value(parts: dict[str, str | None]) -> Decimal | None:
    month = _MONTHS[str(parts["n"]).lower()] if parts.get("n") else int(parts.get("m") or 0)
    day, year = int(parts.get("d") or 0), int(parts.get("y") or 0)
    if month > 12 >= day:
        month, day = day, month
    return Decimal(year * 10000 + month * 100 + day) if 1 <= month <= 12 and day <= 31 else None


def clock_times(text: str) -> list[tuple[int, int, Decimal]]:
    """Clock times as `(start, end, minutes after midnight)`: "14:30", "2:30 pm", "2 pm", "14 Uhr"."""
    return [(match.start(), match.end(), value) for match, value in written_times(text)]


def written_times(text: str) -> list[tuple[re.Match[str], Decimal]]:
    """Clock times as they are written: groups "h" and "min" are digits, "half" is am or pm; and the minutes."""
    found = []
    for match in _CLOCK.finditer(text):
        if not (match["colon"] or match["half"] or match["word"]):
            continue
        hour = int(match["h"])
        if match["half"]:
            if not 1 <= hour <= 12:
                continue
            hour = hour % 12 + (12 if "p" in match["half"].lower() else 0)
        found.append((match, Decimal(hour * 60 + int(match["min"] or 0))))
    return found


def same_date(first: Decimal, second: Decimal) -> bool:
    """Whether two dates agree in every part that both of them name."""
    parts = zip(_parts(int(first)), _parts(int(second)), strict=True)
    return all(one == two or 0 in (one, two) for one, two in parts)


def _parts(value: int) -> tuple[int, int, int]:
    return value // 10000, value // 100 % 100, value % 100
