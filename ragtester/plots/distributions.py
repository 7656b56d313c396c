"""How the ratings and their means are distributed."""

from __future__ import annotations

from collections import Counter
from math import ceil
from typing import TYPE_CHECKING, Any

from ragtester.plots import style
from ragtester.plots.counts import judged_by_rule, left_out
from ragtester.records import CRITERIA
from ragtester.results import Result, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RATINGS = {"true": ("#CFE3F2", ""), "partially": ("#7FA9C9", "..."), "false": ("#123A5A", "")}
PANELS = 12
COLUMNS = 3


def criteria(results: Results) -> Figure:
    """How often each of the five criteria was rated true, partially and false, all systems pooled."""
    rows = [row for row in results.open_book if row.graded and row.ratings is not None]
    with style.drawing():
        if not rows:
            return style.nothing("Ratings by criterion", "No row has ratings.")
        figure = style.new_figure(2.7)
        axes = figure.subplots()
        for place, criterion in enumerate(CRITERIA):
            count = Counter(getattr(row.ratings, criterion) for row in rows)
            start = 0.0
            for rating, (colour, hatch) in RATINGS.items():
                share = 100 * count[rating] / len(rows)
                label = rating if place == 0 else None
                look: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": "white", "label": label}
                axes.barh(-place, share, left=start, height=0.72, **look)
                if share >= 6:
                    ink = "white" if rating == "false" else "black"
                    box = {"facecolor": colour, "edgecolor": "none", "pad": 0.8}
                    axes.text(
                        start + share / 2, -place, f"{share:.1f} %", ha="center", va="center", color=ink, bbox=box
                    )
                start += share
        axes.set_yticks([-place for place in range(len(CRITERIA))], [name.replace("_", " ") for name in CRITERIA])
        axes.tick_params(axis="y", length=0)
        axes.set_xlim(0, 100)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g} %")
        axes.set_title(f"Ratings by criterion (n = {len(rows):,} graded answers)")
        figure.legend(loc="outside upper right", ncols=3)
        style.below(figure, _unrated(results), left_out(results.open_book), judged_by_rule(rows))
        return figure


def _unrated(results: Results) -> str:
    count = sum(row.graded and row.ratings is None for row in results.open_book)
    return f"{count:,} graded rows carry no ratings." if count else ""


def scores(results: Results) -> Figure:
    """How the mean of the five ratings is distributed, a panel a language model, passed and failed apart.

    A mean is a multiple of 0.1. With more than twelve language models all share one panel.
    """
    rows = [row for row in results.open_book if row.graded and row.mean is not None]
    llms = sorted({row.llm for row in rows})
    with style.drawing(llms) as lettered:
        if not rows:
            return style.nothing("Mean of the five ratings", "No row has a mean.")
        groups = {llm: [row for row in rows if row.llm == llm] for llm in llms}
        if len(llms) > PANELS:
            groups = {"all language models": rows}
        columns = min(COLUMNS, len(groups))
        lines = ceil(len(groups) / columns)
        figure = style.new_figure(1.2 + 1.85 * lines)
        panels = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False).flat
        names = style.short(list(groups), lettered, 32 if columns == COLUMNS else 44)
        for axes, name, group in zip(panels, names, groups.values(), strict=False):
            _draw_scores(axes, group)
            axes.set_title(f"{name}\nn = {len(group):,}", fontsize=8)
        for axes in list(panels)[len(groups) :]:
            axes.set_visible(False)
        figure.suptitle("Mean of the five ratings", x=0.01, ha="left", fontsize=10)
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper right", ncols=2)
        figure.supylabel("share of graded answers", fontsize=8.5)
        note = "Unfaithful answers fail whatever their mean."
        style.below(figure, note, left_out(results.open_book), judged_by_rule(rows))
        return figure


def _draw_scores(axes: Axes, rows: list[Result]) -> None:
    count = Counter((round(10 * (row.mean or 0)), row.status) for row in rows)
    steps = list(range(11))
    failed = [100 * count[step, "fail"] / len(rows) for step in steps]
    passed = [100 * count[step, "pass"] / len(rows) for step in steps]
    places = [step / 10 for step in steps]
    axes.bar(places, failed, 0.08, color=style.ORANGE, label="failed", hatch="///", edgecolor="white", linewidth=0)
    axes.bar(places, passed, 0.08, bottom=failed, color="#9CC3DE", label="passed")
    axes.set_xticks([0, 0.5, 1.0])
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
    axes.grid(axis="y")
