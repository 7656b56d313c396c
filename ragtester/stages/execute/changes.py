"""Answer rows that were made from other inputs: what changed, and what becomes of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ragtester.errors import ChangedInputsError
from ragtester.provenance import flat
from ragtester.records import Manifest
from ragtester.searching.tagged import TAGS

_WHY = {
    "gone": "is no longer in the suite",
    "changed": "was answered under other inputs",
    "not asked for": "was answered under other inputs",
    "twice": "stands twice",
}
_DROPPED = {
    "gone": "of cases that left the suite",
    "not asked for": "of techniques that are not asked for now, made from other inputs",
    "twice": "that stood twice",
}


@dataclass(frozen=True)
class Stale:
    """A row that cannot stay. One that was `changed` is made again, every other one is dropped."""

    path: Path
    number: int
    case_id: str
    technique: str
    why: Literal["gone", "changed", "not asked for", "twice"]

    def __str__(self) -> str:
        """Where it stands and what is wrong with it."""
        return f"{self.path}:{self.number}: case {self.case_id} {_WHY[self.why]}"


def by_technique(counts: Counter[str]) -> str:
    """As in "baseline 12, ragtester 30"."""
    return ", ".join(f"{name} {counts[name]}" for name in sorted(counts))


def replaced(run: str, stale: list[Stale]) -> str:
    """One line on what --overwrite does away with."""
    again = sum(row.why == "changed" for row in stale)
    told = [f"{again} answer(s) were made from other inputs and are made again"] if again else []
    if dropped := _dropped(stale):
        told.append(f"{len(stale) - again} answer(s) are dropped: {dropped}")
    return f"run {run}: {'; '.join(told)}"


def refuse(stale: list[Stale], old: Manifest | None, new: Manifest) -> None:
    """Raise ChangedInputsError that says which parameter, prompt or input changed, and what --overwrite would drop."""
    reasons = changes(old, new) if old else []
    told = "; ".join(reasons[:6] + (["…"] if len(reasons) > 6 else [])) or str(stale[0])
    dropped = _dropped(stale)
    raise ChangedInputsError(
        f"run {new.name}: {len(stale)} answer row(s) were made from other inputs: {told}. "
        "Choose another run name (--run), or replace these rows with --overwrite"
        + (f", which drops {dropped}" if dropped else "")
    )


def same_kind(old: Manifest | None, *, target: bool) -> None:
    """Raise ChangedInputsError where a run of our own systems would go on with a target, or the other way round.

    Both keep chunks in the same files.
    """
    if old is not None and ("target" in old.parameters) != target:
        before, now = ("a target", "systems of ragtester") if target is False else ("systems of ragtester", "a target")
        raise ChangedInputsError(
            f"run {old.name} was executed with {before}, and the settings name {now}; choose another run name (--run)"
        )


def _dropped(stale: list[Stale]) -> str:
    parts = []
    for why, what in _DROPPED.items():
        counts = Counter(row.technique for row in stale if row.why == why)
        if counts:
            parts.append(f"{counts.total()} {what} ({by_technique(counts)})")
    return ", ".join(parts)


def changes(old: Manifest, new: Manifest) -> list[str]:
    """Differences of two manifests of one run, one line each; what only one of them has is no change of a row."""
    lines = []
    before, after = dict(flat(old.parameters, " ")), dict(flat(new.parameters, " "))
    for name in [*before, *(name for name in after if name not in before)]:
        shared = name in before and name in after
        if shared and before[name] != after[name]:
            lines.append(f"{name} was {before[name]!r} and is {after[name]!r}")
        elif not shared and _same_model(name, old.parameters, new.parameters):
            lines.append(f"{name} was {before.get(name, 'not set')!r} and is {after.get(name, 'not set')!r}")
    lines += [f"the prompt {name} changed" for name in old.prompts if old.prompts[name] != new.prompts.get(name)]
    lines += _tags(old.inputs, new.inputs)
    for name, digest in old.inputs.items():
        if name.startswith(TAGS):
            continue
        if name in new.inputs and new.inputs[name] != digest:
            lines.append(f"{name} changed")
        elif name not in new.inputs:
            lines.append(f"{name} is no longer there")
    return lines


def _tags(old: dict[str, str], new: dict[str, str]) -> list[str]:
    """Documents that other users may see now; one that is new or gone is told by its text."""
    names = [name for name in dict.fromkeys((*old, *new)) if name.startswith(TAGS)]
    known = [name for name in names if f"text {name.removeprefix(TAGS)}" in old.keys() & new.keys()]
    told = ((name, old.get(name) or "none", new.get(name) or "none") for name in known)
    return [f"{name} were {before} and are {after}" for name, before, after in told if before != after]


def _same_model(name: str, old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether an option that only one side has belongs to a model that both sides have."""
    table, _, rest = name.partition(" ")
    model = rest.rpartition(" ")[0]
    return model in old.get(table, {}) and model in new.get(table, {})
