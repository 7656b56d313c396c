"""Settings as an experiment's file writes them: by full names or as tables, and which of them may be changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragtester.settings import ExecuteSettings, IndexSettings, RetrievalSettings, Settings
from ragtester.settings.nearest import did_you_mean

EMBEDDING = "embedding"
K = "execute.k"
# What variants and a sweep may change; the baseline may differ from ragtester.toml in anything.
CHANGEABLE = (
    *(f"execute.index.{name}" for name in IndexSettings.model_fields),
    *(f"execute.retrieval.{name}" for name in RetrievalSettings.model_fields),
    K,
    EMBEDDING,
)
_WHY_NOT = {
    "access": (
        "access rules are the same for the whole experiment; change them in ragtester.toml and run ragtester cases"
    ),
    "execute.groups": f'the embedding model is changed with "{EMBEDDING}"; language models are no part of a search',
    "execute.technique": "the cases are the same for the whole experiment; set it under [baseline]",
    "workspace": "the cases are the same for the whole experiment; set it under [baseline]",
}


def changes_in(table: dict[str, Any], where: str, faults: list[str]) -> tuple[dict[str, Any], int]:
    """The settings of a table by their full names, and how many were written.

    Those that may not be changed become faults and are left out.
    """
    written = list(leaves(tree_of(table, where, faults)))
    faults += [f"{where}: {_refusal(name)}" for name, _ in written if name not in CHANGEABLE]
    return {name: value for name, value in written if name in CHANGEABLE}, len(written)


def _refusal(name: str) -> str:
    for prefix, why in _WHY_NOT.items():
        if name == prefix or name.startswith(f"{prefix}."):
            return f"{name} cannot be changed: {why}"
    if name.partition(".")[0] in Settings.model_fields and not name.startswith(("execute.index", "execute.retrieval")):
        is_execute = name.removeprefix("execute.") in ExecuteSettings.model_fields
        if is_execute or not name.startswith("execute."):
            return f"{name} cannot be changed: it does not change what is retrieved"
    ends = [known for known in CHANGEABLE if known.rpartition(".")[2] == name.rpartition(".")[2]]
    hint = f"; did you mean {ends[0]!r}?" if ends else did_you_mean(name, CHANGEABLE)
    return f"unknown setting {name!r}{hint}"


def leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Settings with their full names; a setting may itself hold a table, as `filters` does."""
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and name not in CHANGEABLE and value:
            yield from leaves(value, f"{name}.")
        else:
            yield name, value


def tree_of(table: Any, where: str, faults: list[str]) -> dict[str, Any]:
    """Tables as TOML nests them: the key "execute.k" in quotes is execute.k."""
    tree: dict[str, Any] = {}
    for key, value in table.items() if isinstance(table, dict) else ():
        first, _, rest = key.partition(".")
        if not _put(tree, first, nested(rest, value) if rest else value):
            faults.append(f"{where}: {key} stands twice")
    return tree


def nested(name: str, value: Any) -> dict[str, Any]:
    """The tree of one setting: {"execute": {"k": 4}} for execute.k."""
    for part in reversed(name.split(".")):
        value = {part: value}
    return dict(value)


def _put(here: dict[str, Any], key: str, value: Any) -> bool:
    """Lay a value into a table, tables into one another; False where something else stands there."""
    if key not in here:
        here[key] = value
        return True
    if not isinstance(here[key], dict) or not isinstance(value, dict):
        return False
    return all(_put(here[key], inner, one) for inner, one in value.items())
