"""Where in each document the cases come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtester.plots import style
from ragtester.records import Case, Document
from ragtester.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 25
# Lanes of a strip from top to bottom; rejection cases have no evidence in the document.
LANES = {"complexity": "#0072B2", "coverage": "#D55E00", "baseline": "#000000"}


def coverage(results: Results, most: int = MOST) -> Figure:
    """A strip a document: from its first to its last character, with the evidence of every case, a lane a type.

    Fine lines are page borders. At most `most` documents, the least covered first; the plot says so.
    """
    title = "Where the evidence of the cases lies"
    cases: dict[tuple[str, str], list[Case]] = {}
    for (suite, _), case in results.cases.items():
        cases.setdefault((suite, case.document_id), []).append(case)
    documents = {place: row for place, row in results.documents.items() if row.characters}
    shares = {place: covered(row, cases.get(place, [])) for place, row in documents.items()}
    order = sorted(documents, key=lambda place: (shares[place], place))[:most]
    with style.drawing(name for _, name in order) as lettered:
        if not order:
            return style.nothing(title, "The suite holds no documents.")
        figure = style.new_figure(1.5 + 0.34 * len(order))
        axes = figure.subplots()
        for line, place in enumerate(order):
            _draw_strip(axes, documents[place], cases.get(place, []), -line)
        axes.set_yticks([-line for line in range(len(order))], style.short([name for _, name in order], lettered, 40))
        axes.tick_params(axis="y", length=0)
        axes.set_xlim(0, 100)
        axes.set_ylim(-len(order) + 0.4, 0.6)
        axes.spines["left"].set_visible(False)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g} %")
        axes.set_xlabel("place in the document, in characters")
        counts: dict[float, str] = {
            -line: f"{100 * shares[place]:.0f} %, {len(cases.get(place, []))} cases" for line, place in enumerate(order)
        }
        style.in_margin(axes, counts)
        axes.set_title(title)
        _legend(figure)
        note = f"The {most} least covered of {len(documents)} documents." if len(documents) > most else ""
        told = "Right: share of the text that is evidence of at least one case, and all cases of the document."
        without = sum(not case.evidence for group in cases.values() for case in group)
        none = f"{without:,} cases have no evidence (rejection)." if without else ""
        style.below(figure, note, told, none)
        return figure


def covered(document: Document, cases: list[Case]) -> float:
    """Share of a document's characters that lie in the evidence of at least one case, 0 to 1."""
    spans = sorted((span.start, min(span.end, document.characters)) for case in cases for span in case.evidence)
    total, reached = 0, 0
    for start, end in spans:
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total / document.characters


def _draw_strip(axes: Axes, document: Document, cases: list[Case], line: int) -> None:
    scale = 100 / document.characters
    height = 0.74 / len(LANES)
    axes.broken_barh([(0, 100)], (line - 0.37, 0.74), facecolors="#EFEFEF", zorder=0)
    if document.page_starts[1:]:
        pages = [start * scale for start in document.page_starts[1:]]
        axes.vlines(pages, line - 0.37, line + 0.37, colors="#BDBDBD", linewidth=0.5, zorder=1)
    for lane, (type_, colour) in enumerate(LANES.items()):
        spans = [
            (span.start * scale, (span.end - span.start) * scale)
            for case in cases
            if case.type == type_
            for span in case.evidence
        ]
        bottom = line + 0.37 - (lane + 1) * height
        if spans:
            axes.broken_barh(
                spans, (bottom, height * 0.9), facecolors=colour, edgecolors=colour, linewidth=0.4, zorder=2
            )


def _legend(figure: Figure) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(color=colour, label=type_) for type_, colour in LANES.items()]
    figure.legend(handles=handles, loc="outside upper right", ncols=len(LANES), title="lanes, top to bottom")
