"""Pass rates of the systems: one by one, and as a matrix of language and embedding models."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor
from typing import TYPE_CHECKING

from ragtester.plots import style
from ragtester.plots.counts import judged_by_rule, left_out, rates
from ragtester.results import Results
from ragtester.stages.compare.closed_book import may_be_lucky
from ragtester.tables import Rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NO_ROWS = "This run holds no rows of a system with retrieval."
INTERVALS = "Lines: 95 % Wilson intervals."
CONTROL = "Hollow: answerable questions alone, asked without retrieval (closed book); no rejection cases."


def pass_rates(results: Results) -> Figure:
    """A dot with its interval for every system, by language model; the closed-book control as a hollow diamond."""
    rows = list(results.open_book)
    control = [row for row in results.closed_book if may_be_lucky(row)]
    found = rates(rows, lambda row: row.system, "pass")
    by_llm: dict[str, list[tuple[str, Rate]]] = {}
    for (llm, embedding), rate in sorted(found.items()):
        by_llm.setdefault(llm, []).append((embedding, rate))
    without = rates(control, lambda row: row.llm, "pass")
    with style.drawing(name for system in found for name in system) as lettered:
        if not found:
            return style.nothing("Pass rate by system", NO_ROWS)
        lines = sum(1 + len(systems) + (llm in without) for llm, systems in by_llm.items())
        figure = style.new_figure(1.35 + 0.21 * lines)
        axes = figure.subplots()
        _draw_systems(axes, by_llm, without, lettered)
        axes.set_title("Pass rate by system")
        note = CONTROL if without else ""
        style.below(figure, INTERVALS, left_out(rows), note, judged_by_rule(rows))
        return figure


def _draw_systems(
    axes: Axes,
    by_llm: dict[str, list[tuple[str, Rate]]],
    without: dict[str, Rate],
    lettered: Callable[[str], str],
) -> None:
    place = 0.0
    ticks: dict[float, str] = {}
    counts: dict[float, str] = {}
    heads: list[float] = []
    ends: list[float] = []
    embeddings = list({embedding: None for systems in by_llm.values() for embedding, _ in systems})
    named = dict(zip(embeddings, style.short(embeddings, lettered, 38), strict=True))
    for llm, head in zip(by_llm, style.short(list(by_llm), lettered, 52), strict=True):
        ticks[place] = head.replace("\n", " ")
        heads.append(place)
        lines = [(named[embedding], rate, False) for embedding, rate in by_llm[llm]]
        lines += [("no retrieval", without[llm], True)] if llm in without else []
        for name, rate, hollow in lines:
            place -= 1
            ticks[place] = name
            counts[place] = style.counted(rate)
            look = {"fmt": "D", "markerfacecolor": "white", "color": style.GRAY} if hollow else {}
            style.whisker(axes, rate, place, **look)
            ends += [100 * rate.interval.low, 100 * rate.interval.high] if rate.interval else []
        place -= 1.3
    axes.set_yticks(list(ticks), list(ticks.values()))
    for tick, label in zip(ticks, axes.get_yticklabels(), strict=True):
        label.set_fontweight("bold" if tick in heads else "normal")
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(place + 0.6, 0.7)
    style.percent_axis(axes, "passed, of graded answers", [100.0])
    axes.set_xlim(*_limits(ends))
    style.in_margin(axes, counts)


def _limits(ends: list[float]) -> tuple[float, float]:
    """Whole tens around all intervals, at least 30 points apart: dots need no axis from 0."""
    low, high = 10 * floor(min(ends, default=0) / 10), 10 * ceil(max(ends, default=100) / 10)
    low = max(0, min(low, high - 30))
    return low - 0.5, max(high, low + 30) + 1.0


def matrix(results: Results) -> Figure:
    """A heat map of pass rates, language models down and embedding models across, with the numbers written in."""
    import numpy as np

    rows = list(results.open_book)
    found = rates(rows, lambda row: row.system, "pass")
    llms = sorted({llm for llm, _ in found})
    embeddings = sorted({embedding for _, embedding in found})
    with style.drawing([*llms, *embeddings]) as lettered:
        shares = [rate.share for rate in found.values() if rate.share is not None]
        if not shares:
            return style.nothing("Pass rates", NO_ROWS if not found else "No row has a grade.")
        width = max(style.WIDTH, 3.2 + 1.05 * len(embeddings))
        figure = style.new_figure(1.9 + 0.45 * len(llms), width)
        axes = figure.subplots()
        low, high = np.floor(min(shares) * 10) * 10, np.ceil(max(shares) * 10) * 10
        cells = np.array([[_percent(found.get((llm, name))) for name in embeddings] for llm in llms], dtype=float)
        image = axes.imshow(cells, cmap="cividis", vmin=low, vmax=max(high, low + 10), aspect="auto")
        axes.set_facecolor("#F2F2F2")
        axes.set_xticks(range(len(embeddings)), style.short(embeddings, lettered, 26), rotation=20, ha="right")
        axes.set_yticks(range(len(llms)), style.short(llms, lettered, 34))
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        for down, llm in enumerate(llms):
            for across, name in enumerate(embeddings):
                _write_cell(axes, (across, down), found.get((llm, name)), (low + max(high, low + 10)) / 2)
        bar = figure.colorbar(image, ax=axes, format=lambda value, _: f"{value:g} %", shrink=0.8, aspect=25)
        bar.outline.set_visible(False)
        axes.set_title("Pass rate by language model and embedding model")
        note = "n/a: not in the run, or nothing graded." if np.isnan(cells).any() else ""
        style.below(figure, "In brackets: graded answers.", left_out(rows), note, judged_by_rule(rows))
        return figure


def _percent(rate: Rate | None) -> float | None:
    return None if rate is None or rate.share is None else 100 * rate.share


def _write_cell(axes: Axes, place: tuple[int, int], rate: Rate | None, middle: float) -> None:
    value = _percent(rate)
    if rate is None or value is None:
        axes.text(*place, "n/a", ha="center", va="center", color=style.GRAY, fontsize=8)
        return
    colour = "white" if value < middle else "black"
    axes.text(*place, f"{value:.1f} %\n({rate.n:,})", ha="center", va="center", color=colour, fontsize=7.5)
