"""Faults of a settings file in words that a user can mend them by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from ragtester.settings.nearest import did_you_mean
from ragtester.settings.whole import Settings


def explain(item: ErrorDetails) -> str:
    """One fault of the settings, as pydantic reports it, in the words of a settings file."""
    location = ".".join(str(part) for part in item["loc"])
    if item["type"] == "extra_forbidden":
        *path, name = item["loc"]
        return f"unknown setting {location!r}{did_you_mean(str(name), _table_at(path).model_fields)}"
    message = item["msg"].removeprefix("Value error, ")
    if item["loc"][0] == "models":
        return f"{location}: {message}"  # what was given may hold a key
    return f"{location}: {message} (given: {item['input']!r})"


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
