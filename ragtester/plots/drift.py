"""Drift as plots: each figure over runs with its interval, and a map of the questions that flipped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtester.plots import style
from ragtester.plots.export import image
from ragtester.records import DriftHistory, HistoryFigure, HistoryRun, Mark, Strip
from ragtester.stages.drift.figure_values import FIGURES
from ragtester.storage import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS = {
    "claims": "Claims, % of those sent",
    "verdicts": "Pass rate, % of graded answers",
    "retrieval": "Retrieval",
    "coverage": "Coverage",
    "latency": "Latency, seconds an answer",
    "cost": "Cost, US dollars an answer",
}
MOST_STRIPS = 50
NAMED_RUNS = 16
FEW_RUNS = 6
"""More runs than these have numbers, which the small print explains."""
MOST_TOLD = 24
CLOSE = 0.06
"""Where runs are nearer to each other than this share of the whole time, all are drawn equally far apart."""
_COLOURS: dict[Mark, str] = {"pass": "#A8D0E6", "fail": style.ORANGE, "ungraded": "#BFBFBF", "missing": "#FFFFFF"}
_SIGNS: dict[Mark, str] = {"pass": "", "fail": "×", "ungraded": "?", "missing": "·"}
_SHORT = {
    "unsupported": "unsupported",
    "contradicted": "contradicted",
    "supported_coverage": "supported",
    "mentioned": "contradictions mentioned",
}
_SPENT = ("seconds", "usd")  # where nothing was spent there is nothing to draw
_DASHES = ("-", "--", ":", "-.")  # lines may lie on each other
_WORDS: dict[Mark, str] = {"pass": "passed", "fail": "failed", "ungraded": "not graded", "missing": "not there"}


@dataclass(frozen=True)
class _Line:
    """One figure over the runs that have it: places, values, and where it breached."""

    label: str
    places: list[float]
    figures: list[HistoryFigure]


def export_drift(history: DriftHistory, folder: Path) -> list[Path]:
    """Write `figures` and `questions` as PNG and SVG. Raises MissingPackageError (matplotlib) and StorageError."""
    written = []
    for name, plot in (("figures", figures), ("questions", questions)):
        drawn = plot(history)
        for ending in ("png", "svg"):
            path = folder / f"{name}.{ending}"
            write_bytes(path, [image(drawn, ending)])
            written.append(path)
    return written


def figures(history: DriftHistory) -> Figure:
    """Every figure as a line over the runs by date, with its interval as a band; breaches are ringed."""
    title = f"Suite {history.suite}: figures over {len(history.runs)} runs"
    with style.drawing([history.suite, *(run.run for run in history.runs)]) as lettered:
        places, is_time = _places(history.runs)
        panels = {name: _lines(history.runs, places, name) for name in PANELS}
        panels = {name: lines for name, lines in panels.items() if lines}
        if not panels:
            return style.nothing(lettered(title), "No run has a figure.")
        names = _run_names(history.runs, lettered)
        rows = ceil(len(panels) / 2)
        told = _numbers(history.runs, names, lettered)
        figure = style.new_figure(0.9 + 2.1 * rows + _height(told))
        grid = figure.subplots(rows, 2 if len(panels) > 1 else 1, squeeze=False)
        drawn = [axes for row in grid for axes in row]
        for axes, (name, lines) in zip(drawn, panels.items(), strict=False):
            _draw(axes, name, lines)
            _name_runs(axes, places, names)
        for axes in drawn[len(panels) :]:
            axes.set_axis_off()
        figure.suptitle(lettered(title), x=0.01, ha="left", fontsize=10)
        spaced = "" if is_time else "Runs are drawn equally far apart; their dates are not."
        ringed = "Ringed: worse than the run before by more than [drift] allows." if _breaches(history) else ""
        style.below(figure, "Bands: 95 % intervals over documents.", ringed, spaced, told)
        return figure


def questions(history: DriftHistory) -> Figure:
    """A row a question that flipped, a column a run: blue passed, orange failed."""
    title = f"Suite {history.suite}: questions that flipped"
    strips = history.strips[:MOST_STRIPS]
    names = [*(run.run for run in history.runs), *(strip.case_id for strip in strips)]
    with style.drawing([history.suite, *names, *(strip.system for strip in strips)]) as lettered:
        if not strips:
            return style.nothing(lettered(title), "No question changed its verdict between two of these runs.")
        runs = _run_names(history.runs, lettered)
        told = _numbers(history.runs, runs, lettered)
        labels = _strip_names(strips, lettered)
        lines = max(label.count("\n") + 1 for label in labels)
        figure = style.new_figure(1.5 + 0.165 * lines * len(strips) + _height(told))
        axes = figure.subplots()
        _map(axes, strips, labels)
        look: dict[str, Any] = {} if _is_numbered(runs) else {"rotation": 30, "ha": "left"}
        axes.set_xticks(range(len(runs)), runs, fontsize=7.5, **look)
        axes.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False, length=2)
        axes.set_title(lettered(title), pad=10)
        more = len(history.strips) - len(strips)
        left = f"{more} more flipped; history.csv has all." if more else ""
        style.below(figure, "Those with most flips first.", left, told)
        return figure


def _places(runs: Sequence[HistoryRun]) -> tuple[list[float], bool]:
    """Where each run stands: days since the first, or its number where dates lie too close or are not known."""
    try:
        days = [datetime.fromisoformat(run.started).timestamp() / 86400 for run in runs]
    except ValueError:
        return [float(place) for place in range(len(runs))], False
    span = days[-1] - days[0]
    if len(runs) < 3 or any(two - one < CLOSE * span for one, two in pairwise(days)):
        return [float(place) for place in range(len(runs))], len(runs) < 3
    return [day - days[0] for day in days], True


def _lines(runs: Sequence[HistoryRun], places: Sequence[float], panel: str) -> list[_Line]:
    found = []
    for figure in FIGURES:
        if panel not in (figure.layer, figure.name) or figure.name == "hit":
            continue
        there = [
            (place, one)
            for place, run in zip(places, runs, strict=True)
            for one in run.figures
            if one.name == figure.name and one.value is not None
        ]
        if there and (figure.unit not in _SPENT or any(one.value for _, one in there)):
            found.append(
                _Line(_SHORT.get(figure.name, figure.label), [place for place, _ in there], [one for _, one in there])
            )
    return found


def _draw(axes: Axes, panel: str, lines: Sequence[_Line]) -> None:
    ends: list[float] = []
    for line, colour, marker, dash in zip(lines, style.COLOURS, style.MARKERS, _DASHES, strict=False):
        scale = 100.0 if line.figures[0].unit in ("share", "mean") else 1.0
        values = [scale * (one.value or 0.0) for one in line.figures]
        low, high = (
            [scale * (end if end is not None else one.value or 0.0) for one, end in pairs]
            for pairs in ([(one, one.low) for one in line.figures], [(one, one.high) for one in line.figures])
        )
        look: dict[str, Any] = {"color": colour, "linewidth": 1.4, "marker": marker, "markersize": 4}
        drawn = axes.plot(line.places, values, dash, label=line.label, zorder=3, clip_on=False, **look)
        axes.fill_between(line.places, low, high, color=colour, alpha=0.13, linewidth=0, zorder=1)
        bad = [place for place, one in enumerate(line.figures) if one.change is not None and one.change.breach]
        ring: dict[str, Any] = {"markersize": 10, "markerfacecolor": "none", "markeredgecolor": "#333333"}
        drawn += axes.plot(
            [line.places[at] for at in bad], [values[at] for at in bad], "o", zorder=4, clip_on=False, **ring
        )
        for artist in drawn:
            artist.set_in_layout(False)  # a marker may stand out of the axes by half its size
        ends += high
    axes.set_title(PANELS[panel], fontsize=8.5, pad=18 if len(lines) > 1 else 6)
    if panel in ("latency", "cost"):
        axes.set_ylim(0, 1.08 * max(ends) or 1.0)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.grid(axis="y")
    else:
        style.percent_axis(axes, "", ends, vertical=True)
    if len(lines) > 1:
        room: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (-0.03, 0.98), "ncols": len(lines)}
        legend = axes.legend(fontsize=6.5, columnspacing=1.0, handlelength=2.2, borderpad=0.2, **room)
        legend.set_in_layout(False)  # the title's distance keeps room for it


def _name_runs(axes: Axes, places: Sequence[float], names: Sequence[str]) -> None:
    crowded = _is_numbered(names)
    step = ceil(len(names) / NAMED_RUNS)
    look: dict[str, Any] = {} if crowded else {"rotation": 30, "ha": "right"}
    axes.set_xticks(places[::step], names[::step], fontsize=7, **look)
    axes.margins(x=0.06)


def _run_names(runs: Sequence[HistoryRun], lettered: Callable[[str], str]) -> list[str]:
    """Names with dates; numbers where there are many, or where names need more than a line."""
    short = style.short([run.run for run in runs], lettered, 18)
    if len(runs) > FEW_RUNS or any("\n" in name for name in short):
        return [str(place) for place in range(1, len(runs) + 1)]
    return [f"{name}\n{run.started[:10]}" if run.started else name for name, run in zip(short, runs, strict=True)]


def _is_numbered(names: Sequence[str]) -> bool:
    return list(names) == [str(place) for place in range(1, len(names) + 1)]


def _numbers(runs: Sequence[HistoryRun], names: Sequence[str], lettered: Callable[[str], str]) -> str:
    """Which run each number stands for; empty where the runs stand there by name."""
    if not _is_numbered(names):
        return ""
    told = [f"{place}: {lettered(run.run)} {run.started[:10]}".strip() for place, run in enumerate(runs, start=1)]
    more = [f"and {len(told) - MOST_TOLD} more, see the table"] if len(told) > MOST_TOLD else []
    return f"Runs: {', '.join([*told[:MOST_TOLD], *more])}."


def _height(told: str) -> float:
    """Inches that the small print needs for so much more text."""
    return 0.12 * ceil(len(told) / 100)


def _breaches(history: DriftHistory) -> bool:
    return any(one.change is not None and one.change.breach for run in history.runs for one in run.figures)


def _map(axes: Axes, strips: Sequence[Strip], names: Sequence[str]) -> None:
    from matplotlib.patches import Patch, Rectangle

    for row, strip in enumerate(strips):
        for column, mark in enumerate(strip.marks):
            cell = Rectangle(
                (column - 0.5, row - 0.5), 1, 1, facecolor=_COLOURS[mark], edgecolor="white", linewidth=0.8
            )
            axes.add_patch(cell)
            if _SIGNS[mark]:
                axes.text(column, row, _SIGNS[mark], ha="center", va="center", fontsize=6.5, color="#222222")
    axes.set_yticks(range(len(strips)), names, fontsize=6.5)
    axes.set_xlim(-0.5, len(strips[0].marks) - 0.5)
    axes.set_ylim(len(strips) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    there = dict.fromkeys(mark for strip in strips for mark in strip.marks)
    patches = [
        Patch(facecolor=_COLOURS[mark], edgecolor="#999999", label=_legend(mark)) for mark in _WORDS if mark in there
    ]
    axes.legend(handles=patches, loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=7.5)


def _strip_names(strips: Sequence[Strip], lettered: Callable[[str], str]) -> list[str]:
    """Each question, with its system where there are several; the two are shortened one by one, to stay on a line."""
    systems = len({strip.system for strip in strips}) > 1
    cases = style.short([strip.case_id for strip in strips], lettered, 28 if systems else 34)
    if not systems:
        return cases
    asked = style.short([strip.system for strip in strips], lettered, 24)
    return [f"{case} · {system}" for case, system in zip(cases, asked, strict=True)]


def _legend(mark: Mark) -> str:
    return f"{_WORDS[mark]} ({_SIGNS[mark]})" if _SIGNS[mark] else _WORDS[mark]
