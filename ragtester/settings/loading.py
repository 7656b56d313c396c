"""Reading `ragtester.toml`, and laying the `table.key=value` of a command line over it."""

from __future__ import annotations

import json
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragtester.errors import UsageError
from ragtester.settings.faults import explain, faults_of
from ragtester.settings.whole import Settings

FILE_NAME = "ragtester.toml"
# How the parser's messages begin where something is declared a second time.
_TWICE = ("Cannot declare", "Cannot overwrite", "Cannot mutate immutable namespace", "Duplicate inline table key")


def load_settings(folder: Path, overrides: tuple[str, ...] = ()) -> Settings:
    """Read `folder/ragtester.toml` (defaults where it is absent) and apply `table.key=value` overrides."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; 'ragtester init {folder}' makes a workspace")
    path = folder / FILE_NAME
    data: dict[str, Any] = {}
    if path.exists() or path.is_symlink():
        if not path.is_file():
            raise UsageError(f"{path}: is not a file; settings stand in a text file of this name")
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise not_toml(path, error) from error
    if not overrides:
        return parse_settings(data, str(path))
    whole = deepcopy(data)
    for override in overrides:
        _apply(whole, override)
    return _parse_both(data, whole, str(path))


def if_absent(folder: Path) -> str:
    """For the end of an error for want of input: that the folder has no settings; empty where it has."""
    if (folder / FILE_NAME).exists():
        return ""
    return f"; no {FILE_NAME} in {folder}: name your workspace with -w, or make one with `ragtester init`"


def not_toml(path: Path, error: ValueError) -> UsageError:
    """What to raise for a file that is no TOML."""
    twice = str(error).startswith(_TWICE) and isinstance(error, tomllib.TOMLDecodeError)
    return UsageError(f"{path}: not valid TOML: {error}{'; a table or key stands twice' if twice else ''}")


def parse_settings(data: dict[str, Any], where: str) -> Settings:
    """Check a settings tree; raises UsageError naming every fault at once."""
    try:
        return Settings.model_validate(data)
    except ValidationError as error:
        raise UsageError(f"{where}: " + "; ".join(map(explain, faults_of(error)))) from error


def _parse_both(data: dict[str, Any], whole: dict[str, Any], where: str) -> Settings:
    """The settings of a file with what `--set` laid over it: faults that the file alone lacks are those of `--set`."""
    try:
        return Settings.model_validate(whole)
    except ValidationError as error:
        own = _faults(data)
        found = list(map(explain, faults_of(error)))
        sides = {where: [one for one in found if one in own], "--set": [one for one in found if one not in own]}
        told = [f"{side}: {'; '.join(faults)}" for side, faults in sides.items() if faults]
        raise UsageError("; ".join(told)) from error


def _faults(data: dict[str, Any]) -> list[str]:
    try:
        Settings.model_validate(data)
    except ValidationError as error:
        return list(map(explain, faults_of(error)))
    return []


def _apply(data: dict[str, Any], override: str) -> None:
    name, found, text = override.partition("=")
    keys = _split_keys(name.strip())
    if not found or len(keys) < 2:
        raise UsageError(f"--set {override!r}: write table.key=value, for example --set execute.k=6")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    here = data
    for key in keys[:-1]:
        here = here.setdefault(key, {})
        if not isinstance(here, dict):
            raise UsageError(f"--set {override!r}: {key} is not a table")
    here[keys[-1]] = value


def _split_keys(name: str) -> list[str]:
    """Split a dotted key as TOML does, so that quoted parts may hold dots and colons."""
    try:
        tree: Any = tomllib.loads(f"{name} = 0")
    except tomllib.TOMLDecodeError:
        return [part for part in name.split(".") if part]
    keys = []
    while isinstance(tree, dict):
        key, tree = next(iter(tree.items()))
        keys.append(key)
    return keys


def toml_text(text: str) -> str:
    """`text` as a TOML string; JSON writes strings as TOML does, except that it leaves DEL as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
