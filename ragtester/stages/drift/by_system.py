"""Each system by itself, where a figure has a threshold: all together they hide one that got worse. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.records import Moved
from ragtester.settings import DriftSettings
from ragtester.stages.drift.figure_values import Figure, total
from ragtester.stages.drift.figures import moved, places, valued
from ragtester.stages.drift.noise import Repeats, band
from ragtester.stages.drift.pairing import Pairing
from ragtester.stages.drift.rows import RunData
from ragtester.stages.drift.thresholds import judged, reach


def by_system(
    figure: Figure,
    pairing: Pairing,
    runs: tuple[RunData, RunData],
    repeats: Repeats,
    settings: DriftSettings,
    seed: int,
) -> tuple[Moved, ...]:
    """The figure of each system against its threshold: what breaches first, then what is undefined, then by distance.

    Empty without a threshold, and where fewer than two systems have the figure in either run. A system that has it in
    one run only has no difference.
    """
    if getattr(settings, figure.name, None) is None:
        return ()
    found = list(_each(figure, pairing, runs, repeats, settings, seed))
    if len(found) < 2:
        return ()
    return tuple(sorted(found, key=lambda one: (not one.breach, one.difference is not None, -reach(figure, one))))


def _each(
    figure: Figure,
    pairing: Pairing,
    runs: tuple[RunData, RunData],
    repeats: Repeats,
    settings: DriftSettings,
    seed: int,
) -> Iterator[Moved]:
    for system in dict.fromkeys(new[:-2] for _, _, new in places(figure, pairing)):
        if not _has(figure, pairing, runs, system):
            continue
        values = valued(figure, pairing, *runs, system)
        record = moved(figure, values, seed) or Moved(name=figure.name, layer=figure.layer, unit=figure.unit)
        noise = band(figure, values, repeats)
        yield judged(figure, record.model_copy(update={"system": " × ".join(system), "band": noise}), settings)


def _has(figure: Figure, pairing: Pairing, runs: tuple[RunData, RunData], system: tuple[str, ...]) -> bool:
    """Whether the system has the figure in one of the runs at least: what costs nothing in both cannot get dearer."""
    own = [(old, new) for _, old, new in places(figure, pairing) if new[:-2] == system]
    sides = ([figure.of(run, pair[side]) for pair in own] for side, run in enumerate(runs))
    return any(total([one for one in side if one is not None])[1] for side in sides)
