"""Laying an experiment over the settings: every point and pair that it measures, or every fault of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from ragtester.errors import UsageError
from ragtester.records import PointKind
from ragtester.settings import Settings
from ragtester.stages.experiment.overlay import lay, parsed, shown, value_of
from ragtester.stages.experiment.points import Pair, Point, Points, Start, models_of
from ragtester.stages.experiment.syntax import BASELINE, EMBEDDING, Experiment, K, Variant

MOST_POINTS = 2000
GRID = "grid"
"""Name of a point of a sweep over embedding models alone."""
NAMED = 3
"""Points left out that a message names."""


def make_points(settings: Settings, experiment: Experiment) -> Points:
    """Lay the experiment over the workspace's settings. Raises UsageError with every fault."""
    faults: list[str] = []
    base = _baseline(settings, experiment, faults)
    if base is None or faults:
        raise UsageError(f"{experiment.where}: " + "; ".join(faults))
    names = experiment.embeddings or models_of(base)
    made = Points()
    starts = [Start(made.add(_point(BASELINE, "baseline", base, name, {})), name) for name in names]
    for variant in experiment.variants:
        _add_variant(made, variant, starts, faults)
    _add_grid(made, experiment.sweep, starts, faults)
    labels = [point.label for point in made.points]
    faults += [f"{label!r} is the name of two settings" for label in labels if labels.count(label) > 1]
    if faults:
        raise UsageError(f"{experiment.where}: " + "; ".join(dict.fromkeys(faults)))
    return made


def _baseline(settings: Settings, experiment: Experiment, faults: list[str]) -> Settings | None:
    tree = settings.model_dump()
    lay(tree, experiment.baseline)
    k = experiment.baseline.get("execute", {}).get("k", experiment.k)
    if experiment.k is not None and k != experiment.k:
        faults.append(f"k = {experiment.k} and baseline.{K} = {k} differ; keep one of them")
    if experiment.k is not None:
        tree["execute"]["k"] = experiment.k
    return parsed(tree, "baseline", faults)


def _add_variant(made: Points, variant: Variant, starts: list[Start], faults: list[str]) -> None:
    where = f"variant {variant.name!r}"
    change = dict(variant.change)
    if EMBEDDING in change and len(starts) > 1:
        names = ", ".join(start.embedding for start in starts)
        faults.append(
            f"{where}: changes the embedding model, and the baseline has {len(starts)} of them ({names}); "
            "name one in embeddings"
        )
        return
    for start in starts:
        changed = _changed(start, change, where, faults)
        if changed is None:
            return
        settings, embedding = changed
        now = start.point.settings
        same = [
            name
            for name in change
            if (embedding == start.embedding if name == EMBEDDING else value_of(now, name) == value_of(settings, name))
        ]
        faults += [f"{where}: {name} is what the baseline has already" for name in same]
        faults += _count(where, len(change), variant.combination)
        point = _point(variant.name, "variant", settings, embedding, change)
        known = made.add(point)
        if known is not point and known.name != variant.name and not same:
            faults.append(f"{where}: retrieves exactly as {known.name!r} does; take one of them out")
        pair = Pair(start.point, known, variant.combination)
        made.pairs += [pair] if pair not in made.pairs else []


def _count(where: str, changes: int, combination: bool) -> Iterator[str]:
    if changes > 1 and not combination:
        yield (
            f"{where}: changes {changes} settings, so that what helped could not be told; "
            "change one, or write combination = true"
        )
    if changes == 1 and combination:
        yield f"{where}: is called a combination and changes one setting"


def _add_grid(made: Points, sweep: Mapping[str, tuple[Any, ...]], starts: list[Start], faults: list[str]) -> None:
    if not sweep:
        return
    made.axes = tuple(sweep)
    count = len(starts)
    for values in sweep.values():
        count *= len(values)
    if count > MOST_POINTS:
        faults.append(f"sweep: {count} points; {MOST_POINTS} at most")
        return
    before, wrong = len(made.points), list[str]()
    firsts = starts[:1] if EMBEDDING in sweep else starts
    for values in product(*sweep.values()):
        change = dict(zip(sweep, values, strict=True))
        # The embedding model stands beside the name.
        named = {setting.rpartition(".")[2]: shown(value) for setting, value in change.items() if setting != EMBEDDING}
        name = " ".join(f"{setting}={value}" for setting, value in named.items()) or GRID
        for start in firsts:
            where, told = f"sweep {name}", list[str]()
            changed = _changed(start, change, where, told)
            if changed is None:
                for text in (one.removeprefix(f"{where}: ") for one in told):
                    # A value that no setting takes is a fault; settings that exclude each other are left out.
                    is_value = text.startswith(tuple(change))
                    (faults if is_value else wrong).append(f"sweep: {text}" if is_value else f"{name}: {text}")
                continue
            point = _point(name, "grid", *changed, change)
            known = made.add(point)
            if known.kind != "grid":
                made.also.setdefault(known.label, name)
    if len(made.points) == before and wrong and not faults:
        faults += [f"sweep: no setting of the grid can be: {'; '.join(wrong[:NAMED])}"]
    made.left_out += dict.fromkeys(wrong)


def _changed(start: Start, change: Mapping[str, Any], where: str, faults: list[str]) -> tuple[Settings, str] | None:
    """The baseline's settings with the changes, and the embedding model; None where they are faulty."""
    embedding = change.get(EMBEDDING, start.embedding)
    if not isinstance(embedding, str) or (EMBEDDING in change and not embedding.strip()):
        faults.append(f'{where}: {EMBEDDING} names one model, as in "embedded:wordllama"')
        return None
    tree = start.point.settings.model_dump()
    for name, value in change.items():
        if name != EMBEDDING:
            *path, last = name.split(".")
            here = tree
            for part in path:
                here = here[part]
            here[last] = value
    settings = parsed(tree, where, faults)
    return None if settings is None else (settings, embedding)


def _point(name: str, kind: PointKind, settings: Settings, embedding: str, changes: Mapping[str, Any]) -> Point:
    """A point whose settings name its embedding model alone."""
    used = embedding if settings.execute.retrieval.dense else ""
    return Point(name, kind, settings, used, dict(changes))
