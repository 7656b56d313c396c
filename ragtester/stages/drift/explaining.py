"""The sentences that come of the causes. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragtester.records import Cause
from ragtester.stages.drift.causes import NAMES
from ragtester.stages.drift.changed import Change, Scope
from ragtester.stages.drift.evidence import SIGNS
from ragtester.stages.drift.figure_values import LABELS
from ragtester.stages.drift.flips import Flipped
from ragtester.tables.cells import counted

TOLD = 5
SHUFFLED = 'from the same chunks in another order, which order = "shuffle" draws anew for every run: that is chance'
# Which changes explain pairs that differ at a sign: those of the first scope, or any of the others.
_EXPLAINED: tuple[tuple[Scope, ...], ...] = (
    ("context", "all"),
    ("answer", "all"),
    ("verdict", "claims", "coverage", "all"),
)


def explain(
    found: Sequence[Cause],
    changes: Sequence[Change],
    walked: Sequence[Flipped],
    moving: Sequence[str],
    last: str,
    *,
    drawn: bool = False,
) -> str:
    """What to rule out first, and what else. `moving` names the figures that moved, `last` the models that answer.

    `drawn` says that the order of the chunks is drawn anew for every run: another order is chance then.
    """
    if not moving and not any(one.whats for one in walked):
        return f"Nothing moved beyond chance{_though(found)}."
    if not found:
        return _nothing_differs(walked, last)
    stuck = [LABELS[name] for name in moving if not any(name in cause.moves for cause in found)]
    told = [*_told(found), *([f"None of these can move {', '.join(stuck)}."] if stuck else [])]
    return " ".join([*told, *_unexplained(changes, walked, drawn=drawn)])


def _though(found: Sequence[Cause]) -> str:
    if not found:
        return ", and nothing that the manifests record differs"
    return f", though {counted(len(found), 'recorded thing')} changed: " + "; ".join(cause.text for cause in found[:5])


def _told(found: Sequence[Cause]) -> Iterator[str]:
    """The first cause that the rows speak for, what comes before it and is not ruled out, then the others in order."""
    first = first_cause(found)
    against = first.speaks == "against"
    verb = "The rows speak against every cause that is recorded; first to rule out is" if against else "Rule out first:"
    yield f"{verb} {_told_cause(first)}."
    before = [cause for cause in found[: found.index(first)] if cause.speaks == "unclear"]
    if before:
        yield f"The rows do not rule out what comes before it: {'; '.join(map(_told_cause, before[:TOLD]))}."
    others = [cause for cause in found if cause is not first and cause not in before]
    if others:
        yield f"Also changed: {'; '.join(map(_told_cause, others[:TOLD]))}."
    more = len(before[TOLD:]) + len(others[TOLD:])
    if more:
        yield f"And {more} more, see the table of causes."


def first_cause(found: Sequence[Cause]) -> Cause:
    """In their order the first that the rows speak for; else the first that they leave open; else the first."""
    for speaks in (("for", "partly"), ("unclear",), ("against",)):
        for cause in found:
            if cause.speaks in speaks:
                return cause
    raise ValueError("no cause")


def _told_cause(cause: Cause) -> str:
    evidence = f" ({cause.evidence})" if cause.evidence else ""
    return f"{NAMES[cause.kind]}: {cause.text}{evidence}"


def _unexplained(changes: Sequence[Change], walked: Sequence[Flipped], *, drawn: bool) -> Iterator[str]:
    """Flips that differ first where no recorded change could make them differ."""
    flipped = [one for one in walked if one.whats]
    if drawn:
        shuffled = sum(one.way == "order" for one in flipped)
        if shuffled:
            yield f"{shuffled} of {counted(len(flipped), 'flip')} got another answer {SHUFFLED}."
    for scopes in _EXPLAINED:
        sign = SIGNS[scopes[0]]
        there = sum(one.way in sign.ways and not (drawn and one.way == "order") for one in flipped)
        if there and not any(change.scope in scopes for change in changes):
            yield f"{there} of {counted(len(flipped), 'flip')} {sign.said}, and no recorded change explains that."


def _nothing_differs(walked: Sequence[Flipped], last: str) -> str:
    """Nothing recorded differs: what is left is what cannot be seen, and what the rows say of it."""
    flipped = [one for one in walked if one.whats]
    counts = {way: sum(one.way == way for one in flipped) for way in ("context", "order", "answer", "verdict")}
    other = counts["context"] + counts["order"]
    said = (
        f"Of {counted(len(flipped), 'flip')} {counts['answer']} saw the same chunks and got another answer, "
        f"{counts['verdict']} are the same answer with another verdict, {other} saw other chunks."
        if flipped
        else "No verdict and no claim flipped."
    )
    return (
        f"Nothing that the manifests record differs. What is left is the provider behind {last}, or chance: models "
        f"that do not give the same reply twice. {said} Repeats of the same run tell how much is chance."
    )
