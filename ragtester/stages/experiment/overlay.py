"""Laying values over settings, and what a value is called. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from ragtester.settings import Settings
from ragtester.settings.faults import explain, faults_of


def lay(tree: dict[str, Any], over: Mapping[str, Any]) -> None:
    """Put the values of one tree of settings over those of another, in place."""
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(tree.get(key), dict) and key != "filters":
            lay(tree[key], value)
        else:
            tree[key] = value


def parsed(tree: dict[str, Any], where: str, faults: list[str]) -> Settings | None:
    """The settings of a tree; None, and every fault named, where they are none."""
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        for item in faults_of(error):
            faults.append(f"{where}: {explain(item)}")
        return None


def value_of(settings: Settings, name: str) -> Any:
    """The value of a setting by its full name, as `execute.index.chunk_size`."""
    found: Any = settings
    for part in name.split("."):
        found = getattr(found, part)
    return found


def shown(value: Any) -> str:
    """A value in a point's name: `dense+bm25` for arms."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or value == "":
        return "none"
    if isinstance(value, list):
        return "+".join(map(shown, value)) or "none"
    if isinstance(value, dict):
        rest = ",".join(f"{key}:{shown(one)}" for key, one in value.items() if key != "kind")
        return f"{value.get('kind', '')}({rest})" if rest else str(value.get("kind", ""))
    return str(value)
