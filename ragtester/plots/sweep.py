"""A sweep as a plot: quality against index size, query time as colour; what no other setting beats is ringed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtester.plots import style
from ragtester.plots.export import image
from ragtester.records import ExperimentResult, ExperimentTimes, PointResult
from ragtester.stages.experiment.front import label
from ragtester.stages.experiment.words import short_name
from ragtester.storage import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "pareto"
MOST_NAMED = 8
"""Settings of the front that have a number and are named in the small print; the table has all."""
MEGA = 1e6
COLOURS = "viridis_r"
_ROUND = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1))
SHIFTS = tuple((reach * dx, reach * dy) for reach in (11, 16, 23) for dx, dy in _ROUND)
"""Where a number may stand, in points from its dot; the first that is free is taken."""


@dataclass(frozen=True)
class Spot:
    """A setting in the plot: megabytes, quality (a share) with its interval, milliseconds a query.

    `label` tells it from all others, `name` is what the small print calls it.
    """

    label: str
    name: str
    size: float
    quality: float
    low: float
    high: float
    milliseconds: float
    is_baseline: bool


def export_sweep(result: ExperimentResult, times: ExperimentTimes, folder: Path) -> list[Path]:
    """Write `pareto.png` and `pareto.svg`. Raises MissingPackageError without matplotlib, and StorageError."""
    figure = pareto(result, times)
    written = []
    for ending in ("png", "svg"):
        path = folder / f"{NAME}.{ending}"
        write_bytes(path, [image(figure, ending)])
        written.append(path)
    return written


def pareto(result: ExperimentResult, times: ExperimentTimes) -> Figure:
    """Every setting of the sweep whose quality, size and time are known."""
    spots = _spots(result, times)
    title = f"{result.name}: quality, index size and query time"
    with style.drawing([result.name, *(spot.name for spot in spots)]) as lettered:
        if not spots:
            return style.nothing(lettered(title), "Of no setting are quality, index size and query time all known.")
        front = [spot for name in times.front for spot in spots if spot.label == name]
        places = {spot.label: place for place, spot in enumerate(front, start=1)}
        figure = style.new_figure(4.6)
        axes = figure.subplots()
        _draw(figure, axes, spots)
        axes.set_xlabel("index size, MB (vectors, BM25, texts)")
        axes.set_ylabel(f"{times.quality}, mean over queries")
        axes.set_title(lettered(title))
        style.below(figure, _told(front, times, lettered), _baseline(spots), _left_out(result, spots))
        # The last of all, for it asks where things lie.
        _number(figure, axes, spots, places)
        return figure


def _spots(result: ExperimentResult, times: ExperimentTimes) -> list[Spot]:
    seconds = {(one.name, one.embedding): one.query for one in times.points}
    found = (_spot(point, times.quality, seconds) for point in result.points)
    return [spot for spot in found if spot is not None]


def _spot(point: PointResult, metric: str, seconds: Mapping[tuple[str, str], float | None]) -> Spot | None:
    value = point.metrics.get(metric)
    query = seconds.get((point.name, point.embedding))
    if value is None or value.value is None or point.index is None or query is None:
        return None
    low, high = (value.value if end is None else end for end in (value.low, value.high))
    name = short_name(point.changes) if point.kind == "grid" else point.name
    return Spot(
        label=label(point),
        name=f"{name} × {point.embedding}" if point.embedding else name,
        size=point.index.total / MEGA,
        quality=value.value,
        low=low,
        high=high,
        milliseconds=1000 * query,
        is_baseline=point.kind == "baseline",
    )


def _draw(figure: Figure, axes: Axes, spots: Sequence[Spot]) -> None:
    x, y = [spot.size for spot in spots], [spot.quality for spot in spots]
    milliseconds = [spot.milliseconds for spot in spots]
    ends = [[spot.quality - spot.low for spot in spots], [spot.high - spot.quality for spot in spots]]
    axes.errorbar(x, y, yerr=ends, fmt="none", ecolor="#BBBBBB", elinewidth=0.7, zorder=1)
    dots = axes.scatter(
        x,
        y,
        c=milliseconds,
        cmap=COLOURS,
        s=26,
        edgecolor="white",
        linewidth=0.4,
        zorder=3,
    )
    own = [spot for spot in spots if spot.is_baseline]
    axes.scatter(
        [spot.size for spot in own],
        [spot.quality for spot in own],
        c=[spot.milliseconds for spot in own],
        cmap=COLOURS,
        vmin=min(milliseconds),
        vmax=max(milliseconds),
        marker="D",
        s=42,
        edgecolor="#333333",
        linewidth=0.9,
        zorder=3.5,
    )
    bar = figure.colorbar(dots, ax=axes, format=lambda value, _: f"{value:.3g}", shrink=0.85, aspect=28)
    bar.set_label("query time, ms (median)")
    bar.outline.set_visible(False)
    if min(x) > 0 and max(x) / min(x) > 20:
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter("")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.margins(0.07, 0.06)
    axes.grid()


def _number(figure: Figure, axes: Axes, spots: Sequence[Spot], places: Mapping[str, int]) -> None:
    """Rings, and numbers where neither another number nor a dot lies; one without room is left out."""
    own = sorted((spot for spot in spots if spot.label in places), key=lambda spot: places[spot.label])
    look: dict[str, Any] = {
        "markersize": 9.5,
        "markerfacecolor": "none",
        "markeredgecolor": "#333333",
        "markeredgewidth": 1,
    }
    axes.plot([spot.size for spot in own], [spot.quality for spot in own], "o", zorder=4, **look)
    figure.draw_without_rendering()
    points = 72 / figure.dpi
    room = axes.bbox.x0 * points, axes.bbox.x1 * points, axes.bbox.y0 * points, axes.bbox.y1 * points
    taken = [_box(axes, spot, (0, 0), 6) for spot in spots]
    for place, spot in enumerate(own[:MOST_NAMED], start=1):
        boxes = {shift: _box(axes, spot, shift, 6 + 2 * len(str(place))) for shift in SHIFTS}
        free = [shift for shift, box in boxes.items() if _within(box, room) and not _overlaps(box, taken)]
        if free:
            taken.append(boxes[free[0]])
            where: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center", "zorder": 5}
            axes.annotate(str(place), (spot.size, spot.quality), free[0], fontsize=7.5, fontweight="bold", **where)


Box = tuple[float, float, float, float]


def _box(axes: Axes, spot: Spot, shift: tuple[float, float], size: float) -> Box:
    """Left, right, bottom, top of something `size` points wide beside a spot, in points of the figure."""
    points = 72 / axes.figure.dpi
    x, y = axes.transData.transform((spot.size, spot.quality)) * points
    x, y = x + shift[0], y + shift[1]
    return (x - size / 2, x + size / 2, y - 4.5, y + 4.5)


def _overlaps(one: Box, others: Sequence[Box]) -> bool:
    return any(one[0] < two[1] and two[0] < one[1] and one[2] < two[3] and two[2] < one[3] for two in others)


def _within(one: Box, room: Box) -> bool:
    return room[0] <= one[0] and one[1] <= room[1] and room[2] <= one[2] and one[3] <= room[3]


def _told(front: Sequence[Spot], times: ExperimentTimes, lettered: Callable[[str], str]) -> str:
    if not front:
        return ""
    named = "; ".join(f"{place}: {lettered(spot.name)}" for place, spot in enumerate(front[:MOST_NAMED], start=1))
    more = f"; and {len(front) - MOST_NAMED} more, see the table" if len(front) > MOST_NAMED else ""
    costs = ", ".join(times.costs)
    told = f"Ringed: no other setting is as good and as low in {costs} ({named}{more})."
    return f"{told} Lines: 95 % intervals over documents."


def _baseline(spots: Sequence[Spot]) -> str:
    return "Diamonds: the baseline." if any(spot.is_baseline for spot in spots) else ""


def _left_out(result: ExperimentResult, spots: Sequence[Spot]) -> str:
    left = len(result.points) - len(spots)
    return f"{left} of {len(result.points)} settings are not shown: their size or time is not known." if left else ""
