"""Faults of a settings file in words that a user can mend them by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ragtester.settings.nearest import did_you_mean
from ragtester.settings.whole import Settings


def faults_of(error: ValidationError) -> list[ErrorDetails]:
    """Every fault once: a list that is only too short because of its faulty entries is no fault more."""
    found = error.errors()
    return [item for item in found if not (item["type"] == "too_short" and _is_around(item, found))]


def _is_around(item: ErrorDetails, found: Iterable[ErrorDetails]) -> bool:
    """Whether another fault lies within what this one is about."""
    size = len(item["loc"])
    return any(len(one["loc"]) > size and one["loc"][:size] == item["loc"] for one in found)


def explain(item: ErrorDetails) -> str:
    """One fault of the settings, as pydantic reports it, in the words of a settings file."""
    location = ".".join(str(part) for part in item["loc"])
    if item["type"] == "extra_forbidden":
        *path, name = item["loc"]
        table = _table_at(path)
        hint = _within(table, path, str(name)) or did_you_mean(str(name), table.model_fields)
        return f"unknown setting {location!r}{hint}"
    message = item["msg"].removeprefix("Value error, ")
    if item["type"] == "too_short" and item["loc"][-1] == "arms":
        message = "name at least one arm"
    # What was given may hold a key, and what a whole table was is of no use to a reader.
    if item["loc"][0] == "models" or isinstance(item["input"], dict):
        return f"{location}: {message}"
    return f"{location}: {message} (given: {item['input']!r})"


def _within(table: type[BaseModel], path: Iterable[int | str], name: str) -> str:
    """A hint where each entry of a list of this table has a setting of that name, as each arm of a search has."""
    for field, known in table.model_fields.items():
        inner = next((one for one in get_args(known.annotation) if isinstance(one, type)), None)
        if inner is not None and issubclass(inner, BaseModel) and name in inner.model_fields:
            place = ".".join(map(str, (*path, field)))
            return f"; it is set in each entry of {place}"
    return ""


def _table_at(path: Iterable[int | str]) -> type[BaseModel]:
    """The table to which a path through the settings leads: `("models", "openai:x")` to that of a model."""
    table: type[BaseModel] = Settings
    parts = iter(path)
    for part in parts:
        annotation = table.model_fields[str(part)].annotation
        inner = get_args(annotation)  # of `dict[str, Table]` and `tuple[Table, ...]`; none where the field is a table
        table = next(one for one in (annotation, *inner) if isinstance(one, type) and issubclass(one, BaseModel))
        if inner:
            next(parts)  # the name or the place of one table among several
    return table
