"""The file of an experiment: a frozen baseline, variants that change one setting each, and a grid to sweep."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator

from ragtester.errors import UsageError
from ragtester.records import CLOSED_BOOK_SUFFIX
from ragtester.settings import ExecuteSettings, IndexSettings, RetrievalSettings, Settings, Table
from ragtester.settings.nearest import did_you_mean
from ragtester.tables.cells import clean

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
    "access": "access rules are the same for the whole experiment; change them in ragtester.toml",
    "execute.groups": f'the embedding model is changed with "{EMBEDDING}"; language models are no part of a search',
    "execute.technique": "the cases are the same for the whole experiment; set it under [baseline]",
    "workspace": "the cases are the same for the whole experiment; set it under [baseline]",
}
BASELINE = "baseline"


class _Variant(Table):
    """`[[variants]]`."""

    name: str
    change: dict[str, Any] = Field(min_length=1)
    combination: bool = Field(default=False, strict=True)

    @field_validator("name")
    @classmethod
    def _readable(cls, value: str) -> str:
        return _name(value)


class _File(Table):
    """The whole file."""

    name: str
    k: int | None = Field(default=None, ge=1, strict=True)
    embeddings: tuple[str, ...] | None = Field(default=None, min_length=1)
    generate: bool = Field(default=False, strict=True)
    baseline: dict[str, Any] = Field(default_factory=dict)
    variants: tuple[_Variant, ...] = ()
    sweep: dict[str, Any] = Field(default_factory=dict)

    @field_validator("name")
    @classmethod
    def _readable(cls, value: str) -> str:
        return _name(value)

    @field_validator("embeddings")
    @classmethod
    def _once(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if value and len(set(value)) < len(value):
            raise ValueError("names a model twice")
        return value


def _name(value: str) -> str:
    if not value.strip() or value != clean(value).strip() or len(value) > 80:
        raise ValueError("a name has 1 to 80 characters on one line, with no spaces around it")
    return value


@dataclass(frozen=True)
class Variant:
    """`change` maps a setting to its value."""

    name: str
    change: dict[str, Any]
    combination: bool = False


@dataclass(frozen=True)
class Experiment:
    """What the file asks for. `baseline` is a tree to be laid over the settings, `sweep` maps a setting to its values.

    `where` names the file in messages.
    """

    name: str
    where: str
    k: int | None = None
    embeddings: tuple[str, ...] | None = None
    generate: bool = False
    baseline: dict[str, Any] = field(default_factory=dict)
    variants: tuple[Variant, ...] = ()
    sweep: dict[str, tuple[Any, ...]] = field(default_factory=dict)


def read_experiment(path: Path) -> Experiment:
    """Read the TOML file of an experiment. Raises UsageError with every fault of the file."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror or error})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not valid TOML: {error}") from error
    return parse_experiment(data, str(path))


def parse_experiment(data: Mapping[str, Any], where: str) -> Experiment:
    """The same from a tree. Raises UsageError with every fault; `where` is named in it."""
    faults: list[str] = []
    try:
        file: _File | None = _File.model_validate(dict(data))
    except ValidationError as error:
        file = None
        faults += [_shape(item["loc"], item["type"], item["msg"]) for item in error.errors()]
    baseline = _tree(data.get("baseline"), "baseline", faults)
    variants = _variants(data.get("variants"), faults)
    sweep = _sweep(data.get("sweep"), faults)
    if file is not None:
        faults += _whole(file, variants, sweep)
    if faults or file is None:
        raise UsageError(f"{where}: " + "; ".join(faults))
    return Experiment(file.name, where, file.k, file.embeddings, file.generate, baseline, tuple(variants), sweep)


def _shape(place: tuple[int | str, ...], kind: str, message: str) -> str:
    location = ".".join(str(part) for part in place)
    if kind == "extra_forbidden":
        known = _Variant if place[0] == "variants" else _File
        return f"unknown key {location!r}{did_you_mean(str(place[-1]), known.model_fields)}"
    return f"{location}: {message.removeprefix('Value error, ')}"


def _whole(file: _File, variants: list[Variant], sweep: Mapping[str, Any]) -> Iterator[str]:
    """Faults that no part has by itself."""
    if not file.variants and not file.sweep:
        yield "there is nothing to compare: write [[variants]] or [sweep]"
    if file.generate and file.sweep:
        yield "generate goes with variants; a sweep is retrieval alone"
    names = [variant.name for variant in variants]
    for name in dict.fromkeys(names):
        if name == BASELINE:
            yield f"variants: {BASELINE!r} is the name of what they are compared with"
        if name.endswith(CLOSED_BOOK_SUFFIX.lstrip(".")):
            yield f"variants: {name!r} ends as the controls without retrieval do; name it otherwise"
        if names.count(name) > 1:
            yield f"variants: {name!r} stands twice"
    if file.embeddings and EMBEDDING in sweep:
        yield f"embeddings and sweep.{EMBEDDING} both name the models; keep one of them"


def _variants(found: Any, faults: list[str]) -> list[Variant]:
    made = []
    for place, one in enumerate(found if isinstance(found, list) else ()):
        if isinstance(one, dict) and isinstance(one.get("change"), dict):
            name = str(one.get("name", place))
            change = _changes(one["change"], f"variant {name!r}", faults)
            if K in change:
                told = "K is the same for all variants; write k = … for the experiment, or sweep over it"
                faults.append(f"variant {name!r}: {told}")
            made.append(Variant(name, change, one.get("combination") is True))
    return made


def _sweep(found: Any, faults: list[str]) -> dict[str, tuple[Any, ...]]:
    axes: dict[str, tuple[Any, ...]] = {}
    for name, values in _changes(found, "sweep", faults).items() if isinstance(found, dict) else ():
        if not isinstance(values, list) or not values:
            faults.append(f"sweep.{name}: a list of values is wanted, as in {name} = [1, 2]")
        elif any(values.count(value) > 1 for value in values):
            faults.append(f"sweep.{name}: names a value twice")
        else:
            axes[name] = tuple(values)
    return axes


def _changes(table: dict[str, Any], where: str, faults: list[str]) -> dict[str, Any]:
    """The settings of a table by their full names; those that may not be changed become faults."""
    found = {}
    for name, value in _leaves(_tree(table, where, faults)):
        if name in CHANGEABLE:
            found[name] = value
        else:
            faults.append(f"{where}: {_refusal(name)}")
    return found


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


def _leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Settings with their full names; a setting may itself hold a table, as `filters` does."""
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and name not in CHANGEABLE and value:
            yield from _leaves(value, f"{name}.")
        else:
            yield name, value


def _tree(table: Any, where: str, faults: list[str]) -> dict[str, Any]:
    """Tables as TOML nests them: the key "execute.k" in quotes is execute.k."""
    tree: dict[str, Any] = {}
    for key, value in table.items() if isinstance(table, dict) else ():
        nested = value
        for part in reversed(key.split(".")[1:]):
            nested = {part: nested}
        if not _put(tree, key.split(".")[0], nested):
            faults.append(f"{where}: {key} stands twice")
    return tree


def _put(here: dict[str, Any], key: str, value: Any) -> bool:
    """Lay a value into a table, tables into one another; False where something else stands there."""
    if key not in here:
        here[key] = value
        return True
    if not isinstance(here[key], dict) or not isinstance(value, dict):
        return False
    return all(_put(here[key], inner, one) for inner, one in value.items())
