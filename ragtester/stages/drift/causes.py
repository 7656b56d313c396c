"""What explains a difference, in the order in which it is to be ruled out, and what the rows say of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from ragtester.records import Cause, CauseKind
from ragtester.stages.drift.changed import Change, Scope, dependency_changes, index_changes, prompt_changes
from ragtester.stages.drift.changed_models import judge_changes, model_changes
from ragtester.stages.drift.changed_settings import settings_changes, watched_changes
from ragtester.stages.drift.evidence import evidence
from ragtester.stages.drift.figure_values import LAYER_FIGURES
from ragtester.stages.drift.flips import Flipped
from ragtester.stages.drift.rows import RunData, System

ORDER: tuple[CauseKind, ...] = get_args(CauseKind)
NAMES: dict[CauseKind, str] = {
    "index": "the index",
    "prompt": "the prompt",
    "dependency": "a dependency",
    "judge": "the judge",
    "settings": "a setting",
    "model": "the served model",
}
_AFTER_SEARCH = ("pass_rate", *LAYER_FIGURES["claims"], *LAYER_FIGURES["coverage"], *LAYER_FIGURES["calls"])
_MOVES: dict[Scope, tuple[str, ...]] = {
    "context": (*LAYER_FIGURES["retrieval"], *_AFTER_SEARCH),
    "all": (*LAYER_FIGURES["retrieval"], *_AFTER_SEARCH),
    "answer": _AFTER_SEARCH,
    "verdict": ("pass_rate",),
    "claims": (*LAYER_FIGURES["claims"], "supported_coverage", "mentioned"),
    "coverage": ("mentioned",),
    "cost": ("cost",),
}


def find_changes(before: RunData, after: RunData, systems: dict[System, System]) -> list[Change]:
    """Everything that differs by the manifests, in the order in which it is to be ruled out."""
    found = [
        *index_changes(before, after, systems),
        *prompt_changes(before, after),
        *dependency_changes(before, after),
        *judge_changes(before, after),
        *settings_changes(before, after, systems),
        *model_changes(before, after, systems),
        *watched_changes(before, after),
    ]
    return sorted(found, key=lambda change: ORDER.index(change.kind))


def causes(changes: Sequence[Change], walked: Sequence[Flipped], measured: Sequence[str]) -> tuple[Cause, ...]:
    """Each change with the figures that it can move, and what the rows say of it."""
    found = []
    for change in changes:
        speaks, said = evidence(change.scope, walked)
        found.append(
            Cause(
                kind=change.kind,
                what=change.what,
                before=change.before,
                after=change.after,
                text=change.text,
                moves=tuple(name for name in _MOVES[change.scope] if name in measured),
                evidence=said,
                speaks=speaks,
            )
        )
    return tuple(found)
