"""What a comparison comes to, in sentences: drift, noise, or no threshold passed. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.records import DriftResult, Moved
from ragtester.stages.drift.cells import allowed, change, level, size
from ragtester.stages.drift.changed import listed
from ragtester.stages.drift.figure_values import FIGURES, LABELS
from ragtester.tables.cells import show

LEVEL = 0.05


def decision(result: DriftResult) -> str:
    """The first paragraph: what breaches, what only noise excuses, what has no threshold, and the explanation."""
    breaches = [figure for figure in result.moved if figure.breach]
    excused = [one for figure in result.moved if (one := _excused(figure)) is not None]
    told = [
        "Drift: " + "; ".join(f"{told_change(one)}, allowed is {allowed(one)}" for one in breaches) + "."
        if breaches
        else f"No {'drift' if excused else 'threshold was passed'}{stamp(result.floating, result.after_started)}."
    ]
    there = {one.name for one in result.moved}
    missing = [LABELS[name] for name, limit in result.settings.items() if limit is not None and name not in there]
    missing += [
        f"{LABELS[one.name]} of {system.system}"
        for one in result.moved
        for system in one.systems
        if system.difference is None
    ]
    if missing:
        told.append(f"Not measured in both runs, though there is a threshold: {', '.join(missing)}.")
    for one in excused:
        name = LABELS[one.name] + (f" of {one.system}" if one.system else "")
        told.append(
            f"The {name}, {change(one)}, passed the threshold of {allowed(one)}, but by no more than "
            f"repeats of the same run differ ({size(one, one.band or 0.0)}): that is noise, not drift."
        )
    if loose := _without_threshold(result):
        told.append(f"Worse beyond chance, and [drift] sets no threshold for it: {'; '.join(loose)}.")
    return " ".join([*told, result.explanation])


def told_change(one: Moved) -> str:
    """As in "recall -0.041"; of several systems that which decides, with its figures."""
    label, far = LABELS[one.name], one.deciding
    if far is one:
        return f"{label} {change(one)}"
    before, after = (show(level(far, *side)) for side in ((far.before, far.before_n), (far.after, far.after_n)))
    return (
        f"{label} of {far.system} {change(far)} ({before} to {after}; the farthest of {len(one.systems)} systems, "
        f"which are {change(one)} together)"
    )


def _excused(one: Moved) -> Moved | None:
    """Where the threshold was passed by no more than noise: the farthest such system, or all together."""
    sides = () if one.breach else (*one.systems, one)
    return next((side for side in sides if side.exceeded and side.within_noise), None)


def _without_threshold(result: DriftResult) -> list[str]:
    """Figures that could have a threshold, have none, and got worse beyond chance (after Holm) and noise."""
    worse = {figure.name: figure.worse for figure in FIGURES}
    return [
        f"{LABELS[one.name]} {change(one)}"
        for one in result.moved
        if result.settings.get(one.name, 0.0) is None
        and worse[one.name] * (one.difference or 0.0) > 0
        and one.holm is not None
        and one.holm < LEVEL
        and not one.within_noise
    ]


def stamp(floating: Sequence[str], started: str) -> str:
    """What "no regression" means where a model may change under its name."""
    if not floating:
        return ""
    names, when = listed(floating), started or "an unknown time"
    alias = "a floating alias" if len(floating) == 1 else "floating aliases"
    return f"; {names} being {alias}, that is a timestamp ({when}) and no claim about the model of tomorrow"
