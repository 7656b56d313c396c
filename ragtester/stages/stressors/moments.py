"""Other dates, clock times and years, in the writing of those that stand in a text."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal

from ragtester.stages.stressors.amounts import shuffled
from ragtester.stages.stressors.spots import Pair, Spot, Spots
from ragtester.text.dates import month_like
from ragtester.text.languages import base

Made = list[tuple[int, int, str, Pair]]
"""Start, end, the new text, and the span of the whole value."""
_WEEKDAYS = {
    "en": "monday tuesday wednesday thursday friday saturday sunday".split(),  # noqa: SIM905
    "de": "montag dienstag mittwoch donnerstag freitag samstag sonntag".split(),  # noqa: SIM905
}
_DAY_OF_WEEK = re.compile(r"([^\W\d_]{4,10})(,?(?: the| den| dem)? )$")
_RANGE_START = re.compile(r"(\d{1,2})\.?(?:st|nd|rd|th)?\s*(?:to|bis|–|-|and|und)\s*$")
_ENDING = re.compile(r"st|nd|rd|th")
_LATEST = 28
# Times so near each other are read together.
_TOGETHER = 80
_DAY = 24 * 60


def moved(spots: Spots, mine: Sequence[Spot], seed: object, now: Mapping[str, Decimal]) -> tuple[Made, Decimal] | None:
    """Another value for all spots of one group, and that value; None where there is none that stands nowhere.

    `now` holds the values that other groups have been given.
    """
    kind = mine[0].kind
    if kind == "date":
        return _date(spots, mine, seed, now)
    if kind == "time":
        return _time(spots, mine, seed, now)
    return _year(spots, mine, seed, now)


def years_back(spots: Spots, mine: Sequence[Spot], years: int) -> Made | None:
    """The dates of one group some years earlier; None where they name no year."""
    year, month, day = _of(mine[0])
    if not year or any("y" not in one.parts for one in mine):
        return None
    made: Made = []
    for one in mine:
        start, end = one.parts["y"]
        made += [*_weekday(spots, one, (year, month, day), (year - years, month, day))]
        made.append((start, end, f"{year - years:04d}", one.shown))
    return made


def _of(spot: Spot) -> tuple[int, int, int]:
    value = int(spot.value)
    return value // 10000, value // 100 % 100, value % 100


def _date(spots: Spots, mine: Sequence[Spot], seed: object, now: Mapping[str, Decimal]) -> tuple[Made, Decimal] | None:
    year, month, day = _of(mine[0])
    held = {_of(one)[1:] for one in spots.spots if one.kind == "date"}
    held |= {(int(value) // 100 % 100, int(value) % 100) for name, value in now.items() if name.startswith("date:")}
    if day:
        # A week or two away, rather before than after: the day of the week stays true.
        days = [day + far for sign in (-7, 7) for far in shuffled((sign, 2 * sign), seed, mine[0].group)]
        options = [(month, new) for new in days if 1 <= new <= _LATEST]
        options += [(month - 1, day), (month + 1, day)]
    else:
        options = [(month + far, 0) for far in (*shuffled((-2, -1), seed, mine[0].group), 1, 2)]
    for new in options:
        fits = 1 <= new[0] <= 12 and new[1] <= monthrange(2023, min(12, max(1, new[0])))[1]
        if fits and new not in held and all(_follows(spots.text, one, new[1]) for one in mine):
            made = [_dated(spots, one, (year, month, day), (year, *new)) for one in mine]
            if all(one is not None for one in made):
                edits = [edit for one in made if one is not None for edit in one]
                return edits, Decimal(year * 10000 + new[0] * 100 + new[1])
    return None


def _follows(text: str, spot: Spot, day: int) -> bool:
    """Whether the day still comes after the one that a range begins with: "7 to 27 July"."""
    found = _RANGE_START.search(text, max(0, spot.start - 12), spot.start)
    return found is None or not day or int(found[1]) < day


def _dated(spots: Spots, spot: Spot, old: tuple[int, int, int], new: tuple[int, int, int]) -> Made | None:
    text, made = spots.text, [*_weekday(spots, spot, old, new)]
    if new[2] != old[2]:
        start, end = spot.parts["d"]
        width = 2 if text[start] == "0" or (end - start == 2 and "n" not in spot.parts and old[2] > 9) else 1
        ending = _ENDING.match(text, end)
        tail = _ordinal(new[2]) if ending else ""
        made.append((start, ending.end() if ending else end, f"{new[2]:0{width}d}{tail}", spot.shown))
    if new[1] != old[1]:
        start, end = spot.parts["n"] if "n" in spot.parts else spot.parts["m"]
        if "n" in spot.parts:
            name = month_like(text[start:end], new[1], spots.language)
            if name is None:
                return None
            made.append((start, end, name, spot.shown))
        else:
            width = 2 if text[start] == "0" or end - start == 2 else 1
            made.append((start, end, f"{new[1]:0{width}d}", spot.shown))
    return made


def _weekday(
    spots: Spots, spot: Spot, old: tuple[int, int, int], new: tuple[int, int, int]
) -> Iterator[tuple[int, int, str, Pair]]:
    """The right day of the week, where one stands before the date."""
    names = _WEEKDAYS.get(base(spots.language), [])
    found = _DAY_OF_WEEK.search(spots.text, max(0, spot.start - 20), spot.start)
    if found is None or found[1].lower() not in names:
        return
    there = names.index(found[1].lower())
    shift = _between(old, new) if old[0] else (new[2] - old[2] if new[1] == old[1] else None)
    if shift is not None and shift % 7:
        name = names[(there + shift) % 7]
        name = name.capitalize() if found[1][0].isupper() else name
        yield found.start(1), found.end(1), name, (found.start(1), spot.shown[1])


def _between(old: tuple[int, int, int], new: tuple[int, int, int]) -> int | None:
    try:
        return (date(*new) - date(*old)).days
    except ValueError:
        return None


def _ordinal(day: int) -> str:
    if day in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _time(spots: Spots, mine: Sequence[Spot], seed: object, now: Mapping[str, Decimal]) -> tuple[Made, Decimal] | None:
    minutes = int(mine[0].value)
    held = {int(one.value) for one in spots.spots if one.kind == "time"}
    held |= {int(value) for name, value in now.items() if name.startswith("time:")}
    pace = 30 if minutes % 30 == 0 else 15 if minutes % 15 == 0 else 10 if minutes % 10 == 0 else 7
    whole = any("min" not in one.parts for one in mine)
    for far in shuffled((-4, -3, -2, -1, 1, 2, 3, 4), seed, mine[0].group):
        shift = far * (60 if whole else pace)
        new = minutes + shift
        same_half = new // (_DAY // 2) == minutes // (_DAY // 2) and new % (_DAY // 2) >= 60
        if not 0 < new < _DAY or new in held or (not same_half and any("half" in one.parts for one in mine)):
            continue
        if all(_stays(spots, one, new, now) for one in mine):
            return [edit for one in mine for edit in _timed(spots.text, one, new)], Decimal(new)
    return None


def _stays(spots: Spots, spot: Spot, new: int, now: Mapping[str, Decimal]) -> bool:
    """Whether times nearby stay earlier or later."""
    near = (one for one in spots.spots if one.kind == "time" and abs(one.start - spot.start) <= _TOGETHER)
    return all(
        (one.value < spot.value) == (now.get(one.group, one.value) < new) for one in near if one.group != spot.group
    )


def _timed(text: str, spot: Spot, minutes: int) -> Iterator[tuple[int, int, str, Pair]]:
    hour, rest = divmod(minutes, 60)
    if "half" in spot.parts:
        hour = hour % 12 or 12
    start, end = spot.parts["h"]
    width = 2 if text[start] == "0" else 1
    yield start, end, f"{hour:0{width}d}", spot.shown
    if "min" in spot.parts:
        yield *spot.parts["min"], f"{rest:02d}", spot.shown


def _year(spots: Spots, mine: Sequence[Spot], seed: object, now: Mapping[str, Decimal]) -> tuple[Made, Decimal] | None:
    year = int(mine[0].value)
    held = {int(one.value) for one in spots.spots if one.kind == "year"}
    held |= {_of(one)[0] for one in spots.spots if one.kind == "date"}
    held |= {int(value) for name, value in now.items() if name.startswith("year:")}
    new = next((year - far for far in shuffled((1, 2, 3, 4), seed, year) if year - far not in held), None)
    if new is None:
        return None
    made: Made = [(one.start, one.end, str(new), one.shown) for one in mine]
    for one in spots.spots:
        if one.kind == "date" and _of(one)[0] == year:
            _, month, day = _of(one)
            made += [
                *_weekday(spots, one, (year, month, day), (new, month, day)),
                (*one.parts["y"], str(new), one.shown),
            ]
    return made, Decimal(new)
