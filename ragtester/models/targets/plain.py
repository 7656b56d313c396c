"""What foreign code gives back, as plain data: texts, numbers, lists and dictionaries with texts as keys."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from ragtester.models.problems import Problem, Told

# Deeper is no reply but a structure that refers to itself.
DEEPEST = 20
MOST_VALUES = 100_000


def plain(value: Any) -> Any:
    """The value as JSON has it. Objects give their fields; NaN and what has none become None.

    Nothing is called but `model_dump`, `_asdict`, `tolist` and `item`. Raises Told for what is no reply: a client or a
    session with all that hangs on it.
    """
    return _Walk().plain(value, 0)


@dataclasses.dataclass
class _Walk:
    """One value on the way; `seen` counts its parts."""

    seen: int = 0

    def plain(self, value: Any, deep: int) -> Any:
        self.seen += 1
        if self.seen > MOST_VALUES:
            told = f"the reply holds more than {MOST_VALUES} values; give a dictionary with answer and chunks"
            raise Told(Problem("unparseable", told))
        if value is None or isinstance(value, bool | str | Real):
            return _scalar(value)
        if deep >= DEEPEST:
            return None
        if isinstance(value, Mapping):
            return {str(name): self.plain(one, deep + 1) for name, one in value.items()}
        if isinstance(value, set | frozenset):
            value = sorted(value, key=str)
        if isinstance(value, list | tuple) and not hasattr(value, "_asdict"):
            return [self.plain(one, deep + 1) for one in value]
        return self.plain(_fields(value), deep + 1)


def _scalar(value: Any) -> Any:
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if math.isfinite(value) else None


def _fields(value: Any) -> Any:
    """The fields of an object: of a model, a data class, a named tuple, an array, or any other."""
    if isinstance(value, type):
        return None
    for name in ("model_dump", "_asdict", "tolist", "item"):
        method = getattr(value, name, None)
        if callable(method):
            return method()
    if dataclasses.is_dataclass(value):
        return {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
    found = getattr(value, "__dict__", None)
    return {name: one for name, one in found.items() if not name.startswith("_")} if found else None
