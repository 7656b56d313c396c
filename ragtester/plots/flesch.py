"""Does harder text fail more? Failure rate by the Flesch Reading Ease of the section a case was made from."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from ragtester.plots import style
from ragtester.plots.counts import judged_by_rule, left_out
from ragtester.plots.groups import POOLED
from ragtester.plots.systems import INTERVALS
from ragtester.results import Result, Results
from ragtester.tables import Rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS = 10
LEAST = 8
Scored = tuple[float, str, list[Result]]


def flesch_against_failure(results: Results) -> Figure:
    """Failure rate with interval in bins that hold about as many cases each; low scores are hard text.

    At most ten bins of at least eight cases; the bars across show how far a bin reaches. No line joins the points:
    nothing was measured between them.
    """
    title = "Failure rate by reading ease"
    cases = _scored(results)
    with style.drawing():
        if not cases:
            return style.nothing(title, "No graded case carries a Flesch score.")
        bins = _bins(cases)
        figure = style.new_figure(3.4)
        axes = figure.subplots()
        for group in bins:
            _draw_bin(axes, group)
        ends = [100 * interval.high for group in bins if (interval := _rate(group).interval)]
        style.percent_axis(axes, "failed, of graded answers", ends, vertical=True)
        axes.set_ylim(0, axes.get_ylim()[1] * 1.09)
        axes.set_xlabel("Flesch Reading Ease of the section (hard  →  easy)")
        axes.set_title(f"{title} ({len(cases):,} cases)")
        note = "Numbers: graded answers. Bars across: the scores of a bin."
        rows = [row for _, _, group in cases for row in group]
        pooled = POOLED if len({row.system for row in rows}) > 1 else ""
        style.below(figure, note, INTERVALS, pooled, _unscored(results), left_out(rows), judged_by_rule(rows))
        return figure


def _scored(results: Results) -> list[Scored]:
    """Score, case and graded rows of every case that has all three, hardest first."""
    found: dict[tuple[str, str], Scored] = {}
    for row in results.open_book:
        case = results.case(row)
        if row.graded and case is not None and case.flesch is not None:
            found.setdefault((row.document_id, row.case_id), (case.flesch, row.case_id, []))[2].append(row)
    return sorted(found.values(), key=lambda scored: scored[:2])


def _bins(cases: list[Scored]) -> list[list[Scored]]:
    """Cases in order, in at most ten bins of about equal size; equal scores stay together."""
    count = max(1, min(BINS, len(cases) // LEAST))
    groups: list[list[Scored]] = []
    for place, scored in enumerate(cases):
        begins = place * count // len(cases) != (place - 1) * count // len(cases)
        if not groups or (len(groups[-1]) >= LEAST and begins and scored[0] != cases[place - 1][0]):
            groups.append([])
        groups[-1].append(scored)
    return groups


def _rate(group: list[Scored]) -> Rate:
    rows = [row for _, _, rows in group for row in rows]
    return Rate(sum(row.status == "fail" for row in rows), len(rows))


def _draw_bin(axes: Axes, group: list[Scored]) -> None:
    rate = _rate(group)
    if rate.share is None or rate.interval is None:
        return
    scores = [score for score, _, _ in group]
    middle, height = median(scores), 100 * rate.share
    axes.plot([scores[0], scores[-1]], [height, height], color="#A8A8A8", linewidth=3, solid_capstyle="butt", zorder=1)
    ends = [[height - 100 * rate.interval.low], [100 * rate.interval.high - height]]
    axes.errorbar([middle], [height], yerr=ends, fmt="o", markersize=4.5, linewidth=1.3, color=style.BLUE)
    top = (middle, 100 * rate.interval.high)
    axes.annotate(f"{rate.n:,}", top, (0, 3), textcoords="offset points", ha="center", fontsize=7, color="#333333")


def _unscored(results: Results) -> str:
    rows = [row for row in results.open_book if row.graded]
    count = sum((case := results.case(row)) is None or case.flesch is None for row in rows)
    return f"{count:,} graded answers to cases without a score are not shown." if count else ""
