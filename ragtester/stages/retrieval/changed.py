"""What of the settings differs between two audits, by the names of `ragtester.toml`. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ragtester.settings import ArmSettings

CONFIGURED = ("k", "scope", "chunker", "query path", "access", "embedding models")
"""Parts of `configuration.json` that say what retrieved."""
_INTERNAL = ("chunker.version", "query path.tokenizer")
_DEFAULTS = ArmSettings().model_dump(mode="json")


def changed_settings(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """What of the configuration differs, as `budget = 300 (was 0)`; versions of the program's parts are no settings."""
    was, now = ({name: tree[name] for name in CONFIGURED if name in tree} for tree in (old, new))
    before, after = dict(_flat(was)), dict(_flat(now))
    return tuple(
        f"{name} = {_text(after.get(name))} (was {_text(before.get(name))})"
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    )


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if name in _INTERNAL:
            continue
        if name == "query path.arms":
            yield "arms", list(map(_arm, value))
        elif isinstance(value, dict) and key != "filters":
            yield from _flat(value, f"{name}.")
        else:
            yield _setting(name), value


def _setting(name: str) -> str:
    """`query path.budget` is `budget` in the settings' file, and `embedding models.x.model` stands under `models`."""
    if name.startswith("embedding models."):
        return name.removeprefix("embedding ")
    return name.removeprefix("query path.").removeprefix("chunker.")


def _arm(arm: Mapping[str, Any]) -> Any:
    """An arm by its kind alone where the rest is as by default, else with what is not."""
    told = {name: value for name, value in arm.items() if name == "kind" or value != _DEFAULTS.get(name)}
    return told["kind"] if set(told) == {"kind"} else told


def _text(value: Any) -> str:
    return "none" if value is None or value == "" else json.dumps(value, ensure_ascii=False)
