"""What could not be pinned: a run that is the same by its manifest may still not be. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.provenance import is_floating
from ragtester.records import TARGET, Manifest
from ragtester.stages.drift.changed import WATCH
from ragtester.stages.drift.changed_models import served
from ragtester.stages.drift.rows import RunData

_WHO = {
    "execute": "",
    "judge": "the judge ",
    "claims": "the judge of claims ",
    "coverage": "the judge of contradictions ",
}
_OURS = ("embedded:", "scripted:")


def floating(before: RunData, after: RunData) -> tuple[str, ...]:
    """Models of either run whose names may mean another model tomorrow; a target's name is no model's."""
    targets = {llm for run in (before, after) for llm, embedding in run.systems if embedding == TARGET}
    made = [manifest for run in (before, after) for manifest in run.manifests.values()]
    names = [name for manifest in made for name in (*manifest.floating_aliases, *manifest.models)]
    return tuple(dict.fromkeys(name for name in names if is_floating(name) and name not in targets))


def unpinned(before: RunData, after: RunData) -> tuple[str, ...]:
    """One line for each thing that could not be pinned, in either run."""
    lines = [line for run in (before, after) for line in _of_run(run)]
    return tuple(dict.fromkeys([*_aliases(before, after), *lines, *_packages(before, after)]))


def _aliases(before: RunData, after: RunData) -> Iterator[str]:
    for name in floating(before, after):
        yield f"{name} is a floating alias: it may mean another model tomorrow"


def _of_run(run: RunData) -> Iterator[str]:
    if "execute" not in run.manifests:
        yield f"{run.name} has no manifest of its execution: nothing of it is pinned"
    for layer, who in _WHO.items():
        made = run.manifests.get(layer)
        if made is not None:
            yield from _of_layer(run, layer, who, made)


def _of_layer(run: RunData, layer: str, who: str, made: Manifest) -> Iterator[str]:
    for name in _answering(run) if layer == "execute" else made.models:
        known = served(run, name) if layer == "execute" else made.models[name]
        if not known and not name.startswith(_OURS):
            yield f"{run.name}: which model served {who}{name} is not known"
    if layer == "execute":
        if made.dirty:
            yield f"{run.name}: the code had changes that are in no revision"
        yield from _sampling(run)
        if any(embedding == TARGET for _, embedding in run.systems) and not _watched(made):
            yield f"{run.name}: nothing of the target is watched ([target] watch): its changes are not seen"


def _answering(run: RunData) -> list[str]:
    """The LLMs that answered; targets tell of themselves or not at all."""
    return list(dict.fromkeys(llm for llm, _ in run.systems))


def _watched(made: Manifest) -> bool:
    return any(name.startswith(WATCH) for name in made.inputs)


def _sampling(run: RunData) -> Iterator[str]:
    """Models without a seed or a temperature of 0 need not say the same twice."""
    options = run.parameters.get("llms") or {}
    for name in _answering(run):
        own = options.get(name)
        if own is None or name.startswith(_OURS):
            continue
        if "seed" not in (own.get("extra") or {}) and own.get("temperature") != 0:
            yield f"{run.name}: {name} is asked without a seed and without temperature 0"


def _packages(before: RunData, after: RunData) -> Iterator[str]:
    one, two = (run.manifests.get("execute") for run in (before, after))
    if one is None or two is None:
        return
    for run, other, own in ((before, two, one), (after, one, two)):
        gone = sorted(set(other.versions) - set(own.versions))
        if gone:
            yield f"{run.name}: versions of {', '.join(gone)} are not recorded"
