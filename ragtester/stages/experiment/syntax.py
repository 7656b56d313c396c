"""The file of an experiment: a frozen baseline, variants that change one setting each, and a grid to sweep."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator

from ragtester.errors import UsageError
from ragtester.records import CLOSED_BOOK_SUFFIX
from ragtester.settings import Table, not_toml
from ragtester.settings.nearest import did_you_mean
from ragtester.stages.experiment.changeable import EMBEDDING, K, changes_in, tree_of
from ragtester.tables.cells import clean

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
    """`change` maps a setting to its value; `refused` counts those left out of it, for they may not be changed."""

    name: str
    change: dict[str, Any]
    combination: bool = False
    refused: int = 0


@dataclass(frozen=True)
class Experiment:
    """What the file asks for. `baseline` is a tree to be laid over the settings, `sweep` maps a setting to its values.

    `where` names the file in messages. `faults` are those of the file by itself: `make_points` adds those that only the
    settings tell, and refuses them all together.
    """

    name: str
    where: str
    k: int | None = None
    embeddings: tuple[str, ...] | None = None
    generate: bool = False
    baseline: dict[str, Any] = field(default_factory=dict)
    variants: tuple[Variant, ...] = ()
    sweep: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    faults: tuple[str, ...] = ()


def read_experiment(path: Path) -> Experiment:
    """Read the TOML file of an experiment. Raises UsageError where it is no TOML; other faults are in the result."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror or error})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise not_toml(path, error) from error
    return parse_experiment(data, str(path))


def parse_experiment(data: Mapping[str, Any], where: str) -> Experiment:
    """The same from a tree; `where` is named in messages."""
    faults: list[str] = []
    wrong: set[int | str] = set()
    try:
        _File.model_validate(dict(data))
    except ValidationError as error:
        faults += [_shape(item["loc"], item["type"], item["msg"]) for item in error.errors()]
        wrong = {item["loc"][0] for item in error.errors()}
    # What is sound is looked at further, so that all faults are told at once.
    sound = {key: value for key, value in data.items() if key not in wrong}
    embeddings = sound.get("embeddings")
    asked = Experiment(
        name=sound.get("name", ""),
        where=where,
        k=sound.get("k"),
        embeddings=None if embeddings is None else tuple(embeddings),
        generate=sound.get("generate", False),
        baseline=tree_of(data.get("baseline"), "baseline", faults),
        variants=tuple(_variants(data.get("variants"), faults)),
        sweep=_sweep(data.get("sweep"), faults),
    )
    faults += _whole(asked, bool(data.get("variants") or data.get("sweep")))
    return replace(asked, faults=tuple(faults))


def _shape(place: tuple[int | str, ...], kind: str, message: str) -> str:
    location = ".".join(str(part) for part in place)
    if kind == "extra_forbidden":
        known = _Variant if place[0] == "variants" else _File
        return f"unknown key {location!r}{did_you_mean(str(place[-1]), known.model_fields)}"
    return f"{location}: {message.removeprefix('Value error, ')}"


def _whole(asked: Experiment, written: bool) -> Iterator[str]:
    """Faults that no part has by itself; `written` says whether there are variants or a sweep, sound or not."""
    if not written:
        yield "there is nothing to compare: write [[variants]] or [sweep]"
    if asked.generate and asked.sweep:
        yield "generate goes with variants; a sweep is retrieval alone"
    names = [variant.name for variant in asked.variants]
    for name in dict.fromkeys(names):
        if name == BASELINE:
            yield f"variants: {BASELINE!r} is the name of what they are compared with"
        if name.endswith(CLOSED_BOOK_SUFFIX.lstrip(".")):
            yield f"variants: {name!r} ends as the controls without retrieval do; name it otherwise"
        if names.count(name) > 1:
            yield f"variants: {name!r} stands twice"
    if asked.embeddings and EMBEDDING in asked.sweep:
        yield f"embeddings and sweep.{EMBEDDING} both name the models; keep one of them"


def _variants(found: Any, faults: list[str]) -> list[Variant]:
    made = []
    for place, one in enumerate(found if isinstance(found, list) else ()):
        if isinstance(one, dict) and isinstance(one.get("change"), dict):
            name = str(one.get("name", place))
            change, written = changes_in(one["change"], f"variant {name!r}", faults)
            if change.pop(K, None) is not None:
                told = "K is the same for all variants; write k = … for the experiment, or sweep over it"
                faults.append(f"variant {name!r}: {told}")
            made.append(Variant(name, change, one.get("combination") is True, written - len(change)))
    return made


def _sweep(found: Any, faults: list[str]) -> dict[str, tuple[Any, ...]]:
    axes: dict[str, tuple[Any, ...]] = {}
    for name, values in changes_in(found, "sweep", faults)[0].items() if isinstance(found, dict) else ():
        if not isinstance(values, list) or not values:
            faults.append(f"sweep.{name}: a list of values is wanted, as in {name} = [1, 2]")
        elif any(values.count(value) > 1 for value in values):
            faults.append(f"sweep.{name}: names a value twice")
        else:
            axes[name] = tuple(values)
    return axes
