"""Whose answers a file holds, and whether the run they are to become is free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtester.errors import ChangedInputsError, UsageError
from ragtester.interchange.items import Item, one_line
from ragtester.records import NO_RETRIEVAL, Case, Manifest
from ragtester.storage import read_json
from ragtester.workspace import Workspace

STAGE = "import"


@dataclass(frozen=True)
class System:
    """The system under test that an answer is of."""

    llm: str
    embedding: str


@dataclass(frozen=True)
class Found:
    """An answer with its case and system."""

    item: Item
    case: Case
    system: System


def systems_of(items: Sequence[Item], name: str, embedding: str, path: Path) -> list[System | None]:
    """The system of each item's answer: as the user names it, or as the file does; empty where no results are wanted.

    Raises UsageError where the user's name and the file's names do not go together.
    """
    given = [item for item in items if item.given is not None]
    named = list(dict.fromkeys(_named(item) for item in given if _named(item)))
    if not name and not named:
        return []
    if name and not given:
        raise UsageError(f"{path}: holds no answers, so there is nothing of a system {name!r} to import")
    if name and len(named) > 1:
        raise UsageError(f"{path}: holds answers of {len(named)} systems ({', '.join(named[:5])}); leave --system out")
    without = [item.where for item in given if not name and not _named(item)]
    if without:
        raise UsageError(f"{path}: {len(without)} answer(s) name no system (first: {without[0]}); say it with --system")
    if embedding == NO_RETRIEVAL:
        raise UsageError(f"--embedding {NO_RETRIEVAL}: this name is kept for the closed-book control")
    return [
        System(one_line(name or _named(item)), one_line(item.own.embedding or embedding)) if item.given else None
        for item in items
    ]


def _named(item: Item) -> str:
    return item.given.system if item.given else ""


def refuse_other(workspace: Workspace, run: str, parameters: Mapping[str, Any], overwrite: bool) -> None:
    """Stop where the run's name is taken by something else. Raises ChangedInputsError and UsageError."""
    place = workspace.answers(run)
    before = read_json(place / "manifest.json", Manifest)
    if before is None:
        if any(place.glob("*/*.jsonl")):
            raise UsageError(f"{place}: holds answers that were not imported; choose another name with --run")
        return
    if before.stage != STAGE:
        raise UsageError(f"{place}: this run was executed, not imported; choose another name with --run")
    changed = [name for name in parameters if before.parameters.get(name) != parameters[name]]
    if changed and not overwrite:
        told = ", ".join("the file" if name == "file_sha256" else name for name in changed)
        raise ChangedInputsError(
            f"{place}: imported otherwise ({told} differ); --run NAME keeps both, --overwrite replaces it"
        )
