"""Which failures the systems share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtester.plots import style
from ragtester.plots.counts import judged_by_rule
from ragtester.plots.systems import NO_ROWS
from ragtester.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

System = tuple[str, str]
Cases = set[tuple[str, str]]


def overlap(results: Results) -> Figure:
    """A heat map: of the cases that either of two systems failed, the share that both failed (Jaccard index).

    Only cases that both have a grade for are counted. Undefined where neither failed any.
    """
    import numpy as np

    graded: dict[System, Cases] = {system: set() for system in results.systems}
    failed: dict[System, Cases] = {system: set() for system in results.systems}
    rows = [row for row in results.open_book if row.graded]
    for row in rows:
        graded[row.system].add((row.run, row.case_id))
        if row.status == "fail":
            failed[row.system].add((row.run, row.case_id))
    systems = sorted(graded)
    with style.drawing(name for system in systems for name in system) as lettered:
        title = "Failures that two systems share"
        if len(systems) < 2 or not rows:
            return style.nothing(title, "It takes two systems with grades." if systems else NO_ROWS)
        cells = np.array([[_jaccard(a, b, graded, failed) for b in systems] for a in systems], dtype=float)
        size = max(2.2, 0.27 * len(systems))
        figure = style.new_figure(size + 1.3, max(style.WIDTH, size + 4.2))
        axes = figure.subplots()
        np.fill_diagonal(cells, np.nan)
        top = max(20.0, 10 * np.ceil(np.nanmax(cells, initial=0) / 10))
        image = axes.imshow(cells, cmap="cividis", vmin=0, vmax=top, aspect="auto")
        axes.set_facecolor("#F2F2F2")
        names = style.short([" × ".join(system) for system in systems], lettered, 46)
        axes.set_yticks(range(len(systems)), [f"{name}  {place}" for place, name in enumerate(names, start=1)])
        axes.set_xticks(range(len(systems)), [str(place) for place in range(1, len(systems) + 1)])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        for (down, across), value in np.ndenumerate(cells):
            text = "" if down == across else "n/a" if np.isnan(value) else f"{value:.0f}"
            ink = style.GRAY if np.isnan(value) else "white" if value < top / 2 else "black"
            axes.text(across, down, text, ha="center", va="center", color=ink, fontsize=6.5 if len(systems) > 8 else 8)
        bar = figure.colorbar(image, ax=axes, format=lambda value, _: f"{value:g} %", shrink=0.7, aspect=25)
        bar.outline.set_visible(False)
        axes.set_title(title)
        cases = len(set().union(*graded.values()))
        note = f"Per cent: failed by both, of the cases failed by either; {cases:,} cases, graded by both systems."
        style.below(figure, note, judged_by_rule(rows))
        return figure


def _jaccard(a: System, b: System, graded: dict[System, Cases], failed: dict[System, Cases]) -> float | None:
    both = graded[a] & graded[b]
    either = (failed[a] | failed[b]) & both
    return 100 * len(failed[a] & failed[b] & both) / len(either) if either else None
