"""Failure rates of techniques, and of generated and brought documents, side by side for every system."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ragtester.plots import style
from ragtester.plots.counts import judged_by_rule, left_out, rates
from ragtester.plots.systems import INTERVALS, NO_ROWS
from ragtester.records import PrecisionResult
from ragtester.results import Result, Results
from ragtester.tables import Rate

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

System = tuple[str, str]


def failures_by_technique(results: Results) -> Figure:
    """Failure rates of every system on the cases of each technique (the paper's RQ2)."""
    return _side_by_side(results, lambda row: row.technique, "Failure rate by system and technique")


def failures_by_source(results: Results) -> Figure:
    """Failure rates of every system on generated and on brought documents (the paper's RQ3)."""
    return _side_by_side(results, lambda row: row.source or "unknown", "Failure rate by system and source of documents")


def _side_by_side(results: Results, key: Callable[[Result], str], title: str) -> Figure:
    rows = list(results.open_book)
    found = rates(rows, lambda row: (row.system, key(row)), "fail")
    systems = sorted({system for system, _ in found})
    groups = sorted({group for _, group in found})
    with style.drawing([*groups, *(name for system in systems for name in system)]) as lettered:
        if not found:
            return style.nothing(title, NO_ROWS)
        figure = style.new_figure(1.6 + (0.16 * len(groups) + 0.1) * len(systems))
        axes = figure.subplots()
        counts: dict[float, str] = {}
        ends: list[float] = []
        for series, group in enumerate(groups):
            look = {"color": style.COLOURS[series % 8], "fmt": style.MARKERS[series % 8]}
            for place, system in enumerate(systems):
                rate = found.get((system, group), Rate(0, 0))
                height = -place - (series - (len(groups) - 1) / 2) * 0.62 / len(groups)
                style.whisker(axes, rate, height, **look)
                counts[height] = style.counted(rate)
                ends += [100 * rate.interval.high] if rate.interval else []
        names = style.short([" × ".join(system) for system in systems], lettered, 46)
        axes.set_yticks([-place for place in range(len(systems))], names)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(-len(systems) + 0.45, 0.55)
        style.percent_axis(axes, "failed, of graded answers", ends)
        style.in_margin(axes, counts)
        axes.set_title(title)
        handles = [_handle(series, lettered(group)) for series, group in enumerate(groups)]
        figure.legend(handles=handles, loc="outside upper right", ncols=len(groups))
        style.below(figure, INTERVALS, left_out(rows), judged_by_rule(rows))
        return figure


def _handle(series: int, name: str) -> Line2D:
    """An entry of the legend, also for a series without a single rate."""
    from matplotlib.lines import Line2D

    return Line2D([], [], color=style.COLOURS[series % 8], marker=style.MARKERS[series % 8], markersize=4.5, label=name)


def oracle_precision(audit: PrecisionResult) -> Figure:
    """Precision of the oracle by the groups of a precision audit: what the panel confirmed of the failures it saw."""
    title = "Precision of the oracle"
    groups = list(audit.figures)
    with style.drawing([audit.judge, *(group.name for group in groups)]) as lettered:
        if not any(group.precision.n for group in groups):
            return style.nothing(title, "No sampled failure has been decided.")
        figure = style.new_figure(1.5 + 0.22 * len(groups))
        axes = figure.subplots()
        names: list[str] = []
        counts: dict[float, str] = {}
        for place, group in enumerate(groups):
            rate = Rate(group.tp, group.tp + group.fp)
            colour = style.COLOURS[2] if group.by == "overall" else style.BLUE
            style.whisker(axes, rate, -place, color=colour)
            counts[-place] = style.counted(rate)
            names.append("overall" if group.by == "overall" else f"{group.by}: {group.name}")
        axes.set_yticks([-place for place in range(len(groups))], style.short(names, lettered, 50))
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(-len(groups) + 0.4, 0.6)
        style.percent_axis(axes, "confirmed by the panel, of decided failures", [100.0])
        style.in_margin(axes, counts)
        axes.set_title(title)
        first = groups[0]
        open_ = (
            f"Left out: {first.ambiguous} ambiguous and {first.open} open cases."
            if first.ambiguous + first.open
            else ""
        )
        panel = [member.model for member in audit.panel]
        rule = "The panel votes by rule." if any(name.startswith("embedded:") for name in panel) else ""
        style.below(figure, f"Judge {lettered(audit.judge)}, panel of {len(panel)}.", INTERVALS, open_, rule)
        return figure
