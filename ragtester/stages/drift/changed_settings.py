"""Settings that differ between two runs by their manifests, and files that somebody asked to watch. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragtester.records import CauseKind
from ragtester.stages.drift.changed import (
    INDEX,
    NAMED,
    PROMPTS,
    WATCH,
    Change,
    Scope,
    differences,
    documents,
    listed,
    named,
    parameter_changes,
    shown,
)
from ragtester.stages.drift.rows import RunData, System

_WATCHED: dict[str, tuple[CauseKind, Scope]] = {
    "index": ("index", "context"),
    "prompt": ("prompt", "answer"),
    "dependency": ("dependency", "all"),
    "judge": ("judge", "verdict"),
    "settings": ("settings", "all"),
    "model": ("model", "answer"),
}
_MODELS = ("model", "base_url")


def settings_changes(before: RunData, after: RunData, systems: Mapping[System, System]) -> Iterator[Change]:
    """Every other parameter of the execution, options of the same model, the seed, and who may see which document."""
    told = ("llms.", "embeddings.", *INDEX, *PROMPTS, "retrieval.tokenizer", "suite", "closed_book")
    for name, was, now in parameter_changes(before, after):
        if not name.startswith(told):
            yield Change(*_setting(name), name, f"{name} was {shown(was)} and is {shown(now)}", was, now)
    for old, new in dict.fromkeys((old[0], new[0]) for old, new in systems.items()):
        for name, was, now in differences(_llm(before, old), _llm(after, new)):
            if name not in _MODELS:
                text = f"{name} of {new} was {shown(was)} and is {shown(now)}"
                yield Change("settings", "answer", f"llms.{new}.{name}", text, was, now)
    one, two = (run.manifests.get("execute") for run in (before, after))
    if one and two and one.seed != two.seed:
        yield Change("settings", "all", "seed", f"the seed was {one.seed} and is {two.seed}", one.seed, two.seed)
    yield from _access(named(before.inputs, "tags of "), named(after.inputs, "tags of "))


def _setting(name: str) -> tuple[CauseKind, Scope]:
    """What a parameter of an execution reaches; a target's own (its module, its address) may change anything."""
    if name == "target.model":
        return "model", "answer"
    if name.startswith("target."):
        return "settings", "all"
    return "settings", "context" if name == "k" or name.startswith("retrieval.") else "answer"


def _access(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """Documents that other users may see now."""
    names = [name for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name)]
    if names:
        text = f"who may see {documents(len(names))} changed: {listed(names)}"
        was, now = ({name: side.get(name, "") for name in names[:NAMED]} for side in (old, new))
        yield Change("settings", "context", "access tags", text, was, now)


def watched_changes(before: RunData, after: RunData) -> Iterator[Change]:
    """Files that `[target] watch` names, by the kind that their name says; a name that is none counts as a setting."""
    one, two = named(before.inputs, WATCH), named(after.inputs, WATCH)
    for name in dict.fromkeys((*one, *two)):
        was, now = one.get(name, ""), two.get(name, "")
        if was != now and one and two:
            kind, scope = _WATCHED.get(name.partition(":")[0].strip(), ("settings", "all"))
            text = f"the watched file {name} {'changed' if was and now else 'is new' if now else 'is gone'}"
            yield Change(kind, scope, f"{WATCH}{name}", text, was[:12], now[:12])


def _llm(run: RunData, name: str) -> Mapping[str, Any]:
    options = (run.parameters.get("llms") or {}).get(name)
    return options if isinstance(options, Mapping) else {}
