"""Laying an experiment over the settings: every point and pair that it measures, or every fault of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from ragtester.errors import UsageError
from ragtester.records import PointKind
from ragtester.settings import Settings
from ragtester.stages.experiment.changeable import EMBEDDING, K, leaves, nested
from ragtester.stages.experiment.counting import changed
from ragtester.stages.experiment.overlay import lay, parsed, shown
from ragtester.stages.experiment.points import Pair, Point, Points, Start, models_of
from ragtester.stages.experiment.syntax import BASELINE, Experiment, Variant
from ragtester.stages.experiment.words import GRID

MOST_POINTS = 2000
NAMED = 3
"""Points left out that a message names."""


def make_points(settings: Settings, experiment: Experiment) -> Points:
    """Lay the experiment over the workspace's settings. Raises UsageError with every fault."""
    points, faults = lay_points(settings, experiment)
    refuse(experiment, faults)
    return points


def lay_points(settings: Settings, experiment: Experiment) -> tuple[Points, list[str]]:
    """All points that can be made, and every fault, those of the file by itself first."""
    faults = list(experiment.faults)
    base, sound = _baseline(settings, experiment, faults)
    names = experiment.embeddings or models_of(base)
    made = Points()
    starts = [Start(made.add(_point(BASELINE, "baseline", base, name, {})), name) for name in names]
    for variant in experiment.variants:
        _add_variant(made, variant, starts, faults, sound)
    _add_grid(made, experiment.sweep, starts, faults)
    labels = [point.label for point in made.points]
    faults += [f"{label!r} is the name of two settings" for label in labels if labels.count(label) > 1]
    return made, list(dict.fromkeys(faults))


def refuse(experiment: Experiment, faults: Sequence[str]) -> None:
    """Raise UsageError with all faults, where there are any."""
    if faults:
        raise UsageError(f"{experiment.where}: " + "; ".join(faults))


def _baseline(settings: Settings, experiment: Experiment, faults: list[str]) -> tuple[Settings, bool]:
    """The baseline, and whether it is sound; where it is not, what of it can be."""
    tree = settings.model_dump()
    lay(tree, experiment.baseline)
    k = dict(leaves(experiment.baseline)).get(K, experiment.k)
    if experiment.k is not None and k != experiment.k:
        faults.append(f"k = {experiment.k} and baseline.{K} = {k} differ; keep one of them")
    if experiment.k is not None:
        tree["execute"]["k"] = experiment.k
    base = parsed(tree, "baseline", faults)
    if base is not None:
        return base, True
    for name, value in leaves(experiment.baseline):
        tree = settings.model_dump()
        lay(tree, nested(name, value))
        settings = parsed(tree, "", []) or settings
    return settings, False


def _add_variant(made: Points, variant: Variant, starts: list[Start], faults: list[str], sound: bool) -> None:
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
        told = list[str]()
        laid = _changed(start, change, where, told)
        # Settings that exclude each other may do so for a fault of the baseline alone.
        faults += told if sound else [one for one in told if _is_of(change, one.removeprefix(f"{where}: "))]
        if laid is None:
            faults += _count(where, list(change), variant)
            return
        settings, embedding = laid
        single = changed(start.point.settings, settings, (name for name in change if name != EMBEDDING))
        if EMBEDDING in change and embedding != start.embedding:
            single.append(EMBEDDING)
        same = [name for name in change if not any(one == name or one.startswith(f"{name}.") for one in single)]
        faults += [f"{where}: {name} is what the baseline has already" for name in same if sound]
        faults += _count(where, single, variant)
        if not change or same:
            continue
        point = _point(variant.name, "variant", settings, embedding, change)
        known = made.add(point)
        if known is not point and known.name != variant.name:
            faults.append(f"{where}: retrieves exactly as {known.name!r} does; take one of them out")
        pair = Pair(start.point, known, variant.combination)
        made.pairs += [pair] if pair not in made.pairs else []


def _count(where: str, single: Sequence[str], variant: Variant) -> Iterator[str]:
    """Whether it changes one setting, or says that it changes several; what was refused counts as well."""
    changes = len(single) + variant.refused
    if changes > 1 and not variant.combination:
        named = ", ".join((*single, *(("what is refused",) if variant.refused else ())))
        yield (
            f"{where}: changes {changes} settings ({named}), so that what helped could not be told; "
            "change one, or write combination = true"
        )
    if changes == 1 and variant.combination:
        yield f"{where}: is called a combination and changes one setting"


def _is_of(change: Mapping[str, Any], fault: str) -> bool:
    """Whether a fault is that of a value, and not of settings that exclude each other."""
    return fault.startswith(tuple(change))


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
            laid = _changed(start, change, where, told)
            if laid is None:
                for text in (one.removeprefix(f"{where}: ") for one in told):
                    # A value that no setting takes is a fault; settings that exclude each other are left out.
                    is_value = _is_of(change, text)
                    (faults if is_value else wrong).append(f"sweep: {text}" if is_value else f"{name}: {text}")
                continue
            point = _point(name, "grid", *laid, change)
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
