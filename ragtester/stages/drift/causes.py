"""What explains a difference, in the order in which it is to be ruled out, and what the rows say of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ragtester.records import Cause, CauseKind
from ragtester.stages.drift.changed import (
    Change,
    Scope,
    dependency_changes,
    index_changes,
    prompt_changes,
    settings_changes,
    watched_changes,
)
from ragtester.stages.drift.changed_models import judge_changes, model_changes
from ragtester.stages.drift.figures import LABELS, LAYER_FIGURES
from ragtester.stages.drift.flips import Flipped
from ragtester.stages.drift.rows import RunData, System
from ragtester.tables.cells import counted

ORDER: tuple[CauseKind, ...] = get_args(CauseKind)
NAMES: dict[CauseKind, str] = {
    "index": "the index",
    "prompt": "the prompt",
    "dependency": "a dependency",
    "judge": "the judge",
    "settings": "a setting",
    "model": "the served model",
}
Speaks = Literal["for", "partly", "against", "unclear"]
_CLAIMS = ("unsupported", "contradicted")
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


@dataclass(frozen=True)
class _Sign:
    """Where a cause would make pairs differ, and how that is said."""

    ways: tuple[str, ...]
    said: str
    whats: tuple[str, ...] = ("verdict", *_CLAIMS)


_SIGNS: dict[Scope, _Sign] = {
    "context": _Sign(("context", "order"), "saw other chunks"),
    "answer": _Sign(("answer",), "saw the same chunks and got another answer"),
    "verdict": _Sign(("verdict",), "are the same answer from the same chunks with another verdict", ("verdict",)),
    "claims": _Sign(("verdict",), "are the same answer from the same chunks with other claims", _CLAIMS),
}


# Which changes explain pairs that differ at a sign: those of the first scope, or any of the others.
_EXPLAINED: tuple[tuple[Scope, ...], ...] = (
    ("context", "all"),
    ("answer", "all"),
    ("verdict", "claims", "coverage", "all"),
)


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
        speaks, evidence = _evidence(change.scope, walked)
        found.append(
            Cause(
                kind=change.kind,
                what=change.what,
                before=change.before,
                after=change.after,
                text=change.text,
                moves=tuple(name for name in _MOVES[change.scope] if name in measured),
                evidence=evidence,
                speaks=speaks,
            )
        )
    return tuple(found)


def _evidence(scope: Scope, walked: Sequence[Flipped]) -> tuple[Speaks, str]:
    sign = _SIGNS.get(scope)
    if sign is None:
        return "unclear", ""
    flipped = [one for one in walked if any(what in sign.whats for what, _, _ in one.whats)]
    known = [one for one in flipped if one.way != "unknown"]
    steady = [one for one in walked if not one.whats and one.way != "unknown"]
    there, beside = (sum(one.way in sign.ways for one in group) for group in (known, steady))
    of_others = f"; of the answers that did not, {beside} of {len(steady)}" if scope in ("context", "answer") else ""
    if known:
        text = f"{there} of {len(known)} {_flips(len(known))} {sign.said}{of_others}"
        return ("for" if 2 * there >= len(known) else "partly" if there else "against"), text
    if flipped:
        return "unclear", f"no trace tells whether the {len(flipped)} {_flips(len(flipped))} {sign.said}"
    if scope not in ("context", "answer") or not steady:
        return "unclear", "nothing that it could move flipped"
    return ("unclear" if beside else "against"), f"nothing flipped; {beside} of {len(steady)} answers {sign.said}"


def _flips(count: int) -> str:
    return "flip" if count == 1 else "flips"


def explain(
    found: Sequence[Cause], changes: Sequence[Change], walked: Sequence[Flipped], moving: Sequence[str], last: str
) -> str:
    """The sentences that come of the causes. `moving` names the figures that moved, `last` the models that answer."""
    flipped = sum(bool(one.whats) for one in walked)
    if not flipped and not moving:
        return f"Nothing moved beyond chance{_though(found)}."
    told = list(_told(found)) if found else [_nothing_differs(walked, last)]
    stuck = [LABELS[name] for name in moving if not any(name in cause.moves for cause in found)]
    if found and stuck:
        told.append(f"None of these can move {', '.join(stuck)}.")
    return " ".join([*told, *_unexplained(changes, walked)]) if found else " ".join(told)


def _unexplained(changes: Sequence[Change], walked: Sequence[Flipped]) -> Iterator[str]:
    """Flips that differ first where no recorded change could make them differ."""
    flipped = [one for one in walked if one.whats]
    for scopes in _EXPLAINED:
        sign = _SIGNS[scopes[0]]
        there = sum(one.way in sign.ways for one in flipped)
        if there and not any(change.scope in scopes for change in changes):
            yield f"{there} of {counted(len(flipped), 'flip')} {sign.said}, and no recorded change explains that."


def _though(found: Sequence[Cause]) -> str:
    if not found:
        return ", and nothing that the manifests record differs"
    return f", though {counted(len(found), 'recorded thing')} changed: " + "; ".join(cause.text for cause in found[:5])


def _told(found: Sequence[Cause]) -> Iterator[str]:
    """The first cause that the rows do not speak against, then the others in order."""
    first = next((cause for cause in found if cause.speaks in ("for", "partly")), None)
    first = first or next((cause for cause in found if cause.speaks == "unclear"), None)
    if first is None:
        first = found[0] if found else None
    if first is None:
        return
    against = first.speaks == "against"
    verb = "The rows speak against every cause that is recorded; first to rule out is" if against else "Rule out first:"
    yield f"{verb} {NAMES[first.kind]}: {_sentence(first)}"
    others = [cause for cause in found if cause is not first]
    if others:
        yield "Also changed: " + " ".join(f"{NAMES[cause.kind]}: {_sentence(cause)}" for cause in others[:5])
    if len(others) > 5:
        yield f"And {len(others) - 5} more, see the table of causes."


def _sentence(cause: Cause) -> str:
    evidence = f" ({cause.evidence})" if cause.evidence else ""
    return f"{cause.text}{evidence}."


def _nothing_differs(walked: Sequence[Flipped], last: str) -> str:
    """Nothing recorded differs: what is left is what cannot be seen, and what the rows say of it."""
    flipped = [one for one in walked if one.whats]
    counts = {way: sum(one.way == way for one in flipped) for way in ("context", "order", "answer", "verdict")}
    other = counts["context"] + counts["order"]
    said = (
        f"Of {len(flipped)} flips {counts['answer']} saw the same chunks and got another answer, {counts['verdict']} "
        f"are the same answer with another verdict, {other} saw other chunks."
        if flipped
        else "No verdict and no claim flipped."
    )
    return (
        f"Nothing that the manifests record differs. What is left is the provider behind {last}, or chance: models "
        f"that do not give the same reply twice. {said} Repeats of the same run tell how much is chance."
    )
