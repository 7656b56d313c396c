"""Models that differ between two runs: those that measure, and last of all those that answer. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragtester.records import Manifest
from ragtester.stages.drift.changed import Change, Scope, differences, shown
from ragtester.stages.drift.rows import RunData, System

_MEASURED: dict[str, tuple[str, Scope]] = {
    "judge": ("the judge", "verdict"),
    "claims": ("the judge of claims", "claims"),
    "coverage": ("the judge of contradictions", "coverage"),
}
# Parameters of what measures that say which rows it read, not how it judged them.
_NOT_JUDGING = ("suite", "shares_model_with", "source", "before", "run")


def judge_changes(before: RunData, after: RunData) -> Iterator[Change]:
    """Whoever measures: the model as asked for and as served, its prompts, and the rule (`pass_mean`, repeats)."""
    for layer, (name, scope) in _MEASURED.items():
        one, two = before.manifests.get(layer), after.manifests.get(layer)
        if one is not None and two is not None:
            yield from _measuring(name, scope, one, two)


def _measuring(name: str, scope: Scope, one: Manifest, two: Manifest) -> Iterator[Change]:
    was, now = sorted(one.models), sorted(two.models)
    if was != now:
        text = f"{name} was {', '.join(was) or 'none'} and is {', '.join(now) or 'none'}"
        yield Change("judge", scope, f"{name}: model", text, was, now)
    else:
        for model in was:
            old, new = one.models[model], two.models[model]
            if old and new and old != new:
                text = f"{name} {model} was served as {old} and is served as {new}"
                yield Change("judge", scope, f"{name}: served", text, old, new)
    for prompt, digest in one.prompts.items():
        if two.prompts.get(prompt, digest) != digest:
            text = f"the prompt {prompt} of {name} was edited"
            yield Change("judge", scope, f"{name}: {prompt}", text, digest[:12], two.prompts[prompt][:12])
    for key, old, new in differences(one.parameters, two.parameters):
        # The judge's own name stands there, too, and was told already.
        if not key.startswith(_NOT_JUDGING) and {str(old), str(new)} != {*was, *now}:
            yield Change(
                "judge", scope, f"{name}: {key}", f"{key} of {name} was {shown(old)} and is {shown(new)}", old, new
            )


def model_changes(before: RunData, after: RunData, systems: Mapping[System, System]) -> Iterator[Change]:
    """The models that answer: asked for by another name, served by another, or reached at another address."""
    for old, new in dict.fromkeys((old[0], new[0]) for old, new in systems.items()):
        if old != new:
            yield Change("model", "answer", "model", f"the model was {old} and is {new}", old, new)
        was, now = served(before, old), served(after, new)
        if old == new and was and now and was != now:
            text = f"{new} was served as {', '.join(was)} and is served as {', '.join(now)}"
            yield Change("model", "answer", f"{new}: served", text, was, now)
        for name, one, two in differences(_reached(before, old), _reached(after, new)):
            text = f"{name} of {new} was {shown(one)} and is {shown(two)}"
            yield Change("model", "answer", f"{new}: {name}", text, one, two)


def served(run: RunData, model: str) -> list[str]:
    """What served a model, by the rows and by the manifest; empty where neither tells."""
    found = {row.said.served for place, row in run.rows.items() if place[0] == model and row.said and row.said.served}
    made = run.manifests.get("execute")
    told = made.models.get(model) if made else None
    return sorted(found) or ([told] if told else [])


def _reached(run: RunData, model: str) -> dict[str, Any]:
    options = (run.parameters.get("llms") or {}).get(model) or {}
    return {name: options[name] for name in ("model", "base_url") if options.get(name)}
