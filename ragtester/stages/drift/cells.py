"""How figures of drift stand in tables and sentences. Pure."""

from __future__ import annotations

from ragtester.records import HistoryFigure, Moved
from ragtester.statistics import Interval
from ragtester.tables import Cell, Estimate

_UNITS = {"seconds": "s", "usd": "$"}


def level(one: Moved, value: float | None, n: int) -> Cell:
    """The figure in one of the runs."""
    if value is None:
        return None
    if one.unit in _UNITS:
        return Estimate(value, n, unit=_UNITS[one.unit])
    if one.unit == "mean":
        return Estimate(value, n, decimals=3)
    return Estimate(100 * value, n, unit="%", decimals=1)


def difference(one: Moved) -> Cell:
    """The change with its interval; of shares in percentage points."""
    if one.difference is None:
        return None
    scale, unit, decimals = _scale(one)
    ends = Interval(scale * one.low, scale * one.high) if one.low is not None and one.high is not None else None
    return Estimate(scale * one.difference, one.pairs, ends, unit=unit, signed=True, decimals=decimals)


def _scale(one: Moved) -> tuple[float, str, int | None]:
    """Shares in percentage points; means of metrics as they are; seconds and dollars."""
    found: dict[str, tuple[float, str, int | None]] = {
        "share": (100.0, "points", 1),
        "mean": (1.0, "", 3),
        "seconds": (1.0, "s", None),
        "usd": (1.0, "$", None),
    }
    return found[one.unit]


def change(one: Moved) -> str:
    """ "+6.2 points" or "-0.041"."""
    scale, unit, decimals = _scale(one)
    value = scale * (one.difference or 0.0)
    text = f"{value:+z.{decimals}f}" if decimals is not None else f"{value:+z.3g}"
    return _with_unit(text, unit)


def size(one: Moved, value: float | None) -> str:
    """A change without a sign."""
    if value is None:
        return "n/a"
    scale, unit, decimals = _scale(one)
    text = f"{scale * value:.{decimals}f}" if decimals is not None else f"{scale * value:.3g}"
    return _with_unit(text, unit)


def _with_unit(text: str, unit: str) -> str:
    """ "+6.2 points", "0.041", "+$0.002", as in tables."""
    if unit == "$":
        return f"{text[0]}${text[1:]}" if text[0] in "+-" else f"${text}"
    return f"{text} {unit}".strip()


def allowed(one: Moved) -> str:
    """The threshold; relative for seconds and cost."""
    if one.threshold is None:
        return "–"
    if one.unit in _UNITS:
        return f"{100 * one.threshold:g} %"
    return size(one, one.threshold)


def standing(one: HistoryFigure) -> Cell:
    """A figure of a run of a history, with its interval."""
    if one.value is None:
        return None
    scale, decimals = (100.0, 1) if one.unit == "share" else (1.0, 3 if one.unit == "mean" else None)
    ends = Interval(scale * one.low, scale * one.high) if one.low is not None and one.high is not None else None
    unit = "%" if one.unit == "share" else _UNITS.get(one.unit, "")
    return Estimate(scale * one.value, one.n, ends, unit=unit, decimals=decimals)


def mark(one: Moved) -> str:
    """What a change amounts to, in a word."""
    return "DRIFT" if one.breach else "noise" if one.within_noise else ""
