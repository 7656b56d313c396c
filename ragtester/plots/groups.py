"""Failure rates by case type and by document, with every system's own rate behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ragtester.plots import style
from ragtester.plots.counts import judged_by_rule, left_out, rates, type_name
from ragtester.plots.systems import INTERVALS, NO_ROWS
from ragtester.results import Result, Results
from ragtester.tables import Rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 40
POOLED = "Systems pooled: answers of several systems to one case are not independent, so true intervals are wider."


def failures_by_type(results: Results) -> Figure:
    """Failure rate of every case type: all systems as a dot with its interval, each system as a faint tick."""
    rows = list(results.open_book)
    found = rates(rows, type_name, "fail")
    order = sorted(found)
    return _draw_groups(rows, type_name, found, ("Failure rate by case type", order, ""))


def failures_by_document(results: Results, most: int = MOST) -> Figure:
    """Failure rate of every document, worst first: at most `most` of them, and the plot says so."""
    rows = list(results.open_book)
    found = rates(rows, lambda row: row.document_id, "fail")
    order = sorted(found, key=lambda name: (-(found[name].share or 0.0), name))
    note = f"The {most} of {len(order)} documents with the highest failure rates." if len(order) > most else ""
    title = ("Failure rate by document", order[:most], note)
    return _draw_groups(rows, lambda row: row.document_id, found, title)


def _draw_groups(
    rows: list[Result],
    key: Callable[[Result], str],
    found: dict[str, Rate],
    told: tuple[str, list[str], str],
) -> Figure:
    title, order, note = told
    with style.drawing(found) as lettered:
        if not order:
            return style.nothing(title, NO_ROWS)
        figure = style.new_figure(1.4 + 0.23 * len(order))
        axes = figure.subplots()
        own = rates(rows, lambda row: (key(row), row.system), "fail")
        several = len({row.system for row in rows}) > 1
        if several:
            _draw_own(axes, order, own)
        for place, name in enumerate(order):
            style.whisker(axes, found[name], -place)
        axes.set_yticks([-place for place in range(len(order))], style.short(order, lettered, 40))
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(-len(order) + 0.4, 0.6)
        ends = [100 * rate.interval.high for rate in map(found.__getitem__, order) if rate.interval]
        ends += [100 * (rate.share or 0) for (group, _), rate in own.items() if several and group in set(order)]
        style.percent_axis(axes, "failed, of graded answers", ends)
        style.in_margin(axes, {-place: style.counted(found[name]) for place, name in enumerate(order)})
        axes.set_title(title)
        pooled = f"{POOLED} Gray ticks: single systems." if several else ""
        style.below(figure, note, INTERVALS, pooled, left_out(rows), judged_by_rule(rows))
        return figure


def _draw_own(axes: Axes, order: list[str], own: dict[tuple[str, tuple[str, str]], Rate]) -> None:
    places = {name: -place for place, name in enumerate(order)}
    points: Iterable[tuple[float, int]] = [
        (100 * rate.share, places[group])
        for (group, _), rate in own.items()
        if group in places and rate.share is not None
    ]
    axes.plot(*zip(*points, strict=True), "|", markersize=8, color="#A8A8A8", markeredgewidth=0.9, zorder=1)
