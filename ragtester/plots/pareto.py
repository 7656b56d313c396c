"""Quality against what it costs: money and time. A system is on the front when none is as good for less."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

from ragtester.plots import style
from ragtester.plots.counts import judged_by_rule, left_out, rates
from ragtester.plots.systems import INTERVALS, NO_ROWS
from ragtester.results import Result, Results
from ragtester.tables import Rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

System = tuple[str, str]
WIDE = 20


@dataclass(frozen=True)
class Point:
    """A system with its price (US dollars an answer, or seconds) and pass rate."""

    system: System
    price: float
    rate: Rate

    @property
    def share(self) -> float:
        """The pass rate; points are only made of systems that have one."""
        return self.rate.share or 0.0


def cost_against_pass_rate(results: Results) -> Figure:
    """Mean cost of an answer (without the judge's) against the pass rate."""
    told = ("Pass rate and cost", "US dollars for an answer, mean", "cost")
    return _draw(results, lambda row: row.cost, fmean, told)


def latency_against_pass_rate(results: Results) -> Figure:
    """Median latency of the model server against the pass rate."""
    told = ("Pass rate and latency", "seconds for an answer, median", "latency")
    return _draw(results, lambda row: row.seconds, median, told)


def front(points: list[Point]) -> list[Point]:
    """Points that no other beats: as cheap and better, or as good and cheaper; cheapest first."""
    found: list[Point] = []
    for point in sorted(points, key=lambda point: (point.price, -point.share, point.system)):
        equal = bool(found) and (point.price, point.share) == (found[-1].price, found[-1].share)
        if not found or point.share > found[-1].share or equal:
            found.append(point)
    return found


def _draw(
    results: Results,
    price_of: Callable[[Result], float | None],
    centre: Callable[[list[float]], float],
    told: tuple[str, str, str],
) -> Figure:
    title, axis, what = told
    rows = list(results.open_book)
    prices: dict[System, list[float]] = {}
    for row in rows:
        price = price_of(row)
        if price is not None:
            prices.setdefault(row.system, []).append(price)
    found = rates(rows, lambda row: row.system, "pass")
    points = [
        Point(system, centre(prices[system]), rate)
        for system, rate in sorted(found.items())
        if system in prices and rate.share is not None
    ]
    left = [system for system in sorted(found) if system not in {point.system for point in points}]
    with style.drawing(name for system in found for name in system) as lettered:
        if not points:
            why = f"Of none of the {len(found)} systems are both a {what} and a grade known." if found else NO_ROWS
            return style.nothing(title, why)
        if not any(point.price for point in points):
            return style.nothing(title, f"The {what} of all {len(points)} systems that have one is 0.")
        figure = style.new_figure(4.3)
        axes = figure.subplots()
        best = front(points)
        _draw_points(axes, points, lettered)
        _draw_front(axes, best)
        axes.set_xlabel(axis)
        axes.set_title(title)
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right upper", title="language model", alignment="left")
        unknown = f"Without a known {what}, not shown: {_listed(left, lettered)}." if left else ""
        ringed = "; ".join(f"{place}: {' × '.join(map(lettered, point.system))}" for place, point in enumerate(best, 1))
        note = f"Ringed: no other system is as good for less ({ringed})."
        style.below(figure, note, INTERVALS, unknown, _partly(what, prices, rows), left_out(rows), judged_by_rule(rows))
        return figure


def _draw_points(axes: Axes, points: list[Point], lettered: Callable[[str], str]) -> None:
    llms = sorted({point.system[0] for point in points})
    names = dict(zip(llms, style.short(llms, lettered, 26), strict=True))
    for place, llm in enumerate(llms):
        own = [point for point in points if point.system[0] == llm]
        colour = style.COLOURS[place % len(style.COLOURS)]
        marker = style.MARKERS[(place + place // len(style.COLOURS)) % len(style.MARKERS)]
        lows = [100 * (point.share - point.rate.interval.low) for point in own if point.rate.interval]
        highs = [100 * (point.rate.interval.high - point.share) for point in own if point.rate.interval]
        x, y = [point.price for point in own], [100 * point.share for point in own]
        axes.errorbar(x, y, yerr=[lows, highs], fmt="none", ecolor=colour, elinewidth=0.8, alpha=0.55)
        axes.plot(x, y, marker, color=colour, markersize=5.5, label=names[llm], linestyle="none")
    values = [point.price for point in points]
    if min(values) > 0 and max(values) / min(values) > WIDE:
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter("")
    else:
        top = max(values)
        axes.set_xlim(-0.06 * top, 1.08 * top)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
    axes.set_ylabel("passed, of graded answers")
    axes.grid()


def _draw_front(axes: Axes, best: list[Point]) -> None:
    """Rings with numbers, which the small print explains: names would lie over each other where points are near."""
    x, y = [point.price for point in best], [100 * point.share for point in best]
    axes.plot(x, y, color="#333333", linewidth=0.9, linestyle="--", drawstyle="steps-post", zorder=1)
    axes.plot(x, y, "o", markersize=11, markerfacecolor="none", markeredgecolor="#333333", markeredgewidth=1)
    for place, spot in enumerate(zip(x, y, strict=True), start=1):
        shift, side = ((-7, 3), "right") if place % 2 else ((7, 3), "left")
        axes.annotate(str(place), spot, shift, textcoords="offset points", ha=side, fontsize=8, fontweight="bold")


def _listed(systems: list[System], lettered: Callable[[str], str]) -> str:
    shown = [" × ".join(map(lettered, system)) for system in systems[:4]]
    return ", ".join(shown) + (f" and {len(systems) - 4} more" if len(systems) > 4 else "")


def _partly(what: str, prices: dict[System, list[float]], rows: list[Result]) -> str:
    """Answers of the systems shown whose price is unknown, such as failed calls."""
    asked = sum(row.system in prices and row.outcome is not None for row in rows)
    known = sum(map(len, prices.values()))
    return f"The {what} of {asked - known:,} of {asked:,} answers is unknown." if asked > known else ""
