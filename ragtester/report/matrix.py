"""The LLM × embedding matrix as a heat map: a table whose cells carry the figures, not only a colour."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.report.blocks import link, scroller
from ragtester.report.html import Child, Element, h, hidden_text, name
from ragtester.report.words import number, percent
from ragtester.results import Result
from ragtester.results.tally import Tally, by, count

STEPS = 9
LEAST_RANGE = 0.10
ALL = "All"


def matrix(rows: Sequence[Result]) -> Element:
    """Pass rates of every pair, pooled by LLM and by embedding model at the edges.

    A pair that the run does not hold is "not run". Rates at the edges pool answers: pairs with more graded answers
    weigh more, which the counts show.
    """
    pairs = by(rows, lambda row: row.system)
    llms = dict(sorted(by(rows, lambda row: row.llm).items()))
    embeddings = dict(sorted(by(rows, lambda row: row.embedding).items()))
    low, high = scale([tally for tally in pairs.values() if tally.graded])
    head = h(
        "tr",
        h("th", "Language model", scope="col", role="columnheader"),
        *(h("th", name(embedding), scope="col", role="columnheader") for embedding in embeddings),
        h("th", ALL, scope="col", role="columnheader"),
        role="row",
    )
    body = []
    for llm, tally in llms.items():
        cells = [_cell(pairs.get((llm, embedding)), (llm, embedding), low, high) for embedding in embeddings]
        body.append(_row(name(llm), [*cells, _edge(tally, ALL)]))
    totals = [_edge(tally, embedding) for embedding, tally in embeddings.items()]
    foot = _row(ALL, [*totals, _edge(count(rows), ALL)])
    caption = "Passed of graded answers, with the 95 % interval. Each figure opens the failures of its system."
    groups = (("thead", [head]), ("tbody", body), ("tfoot", [foot]))
    parts = [h(tag, *lines, role="rowgroup") for tag, lines in groups]
    table = h("table", h("caption", caption), *parts, class_="heat", role="table")
    shades = [h("i", class_=f"step-{step}", aria_hidden="true") for step in range(STEPS)]
    legend = h("p", f"{percent(low)} passed", *shades, percent(high), class_="scale")
    return h("div", scroller(caption, table), legend)


def scale(tallies: Sequence[Tally]) -> tuple[float, float]:
    """The range of shades: that of the rates, widened to ten points so that noise does not look like a difference."""
    shares = [tally.pass_rate.share or 0.0 for tally in tallies] or [0.0, 1.0]
    low, high = min(shares), max(shares)
    short = max(0.0, LEAST_RANGE - (high - low))
    low = max(0.0, min(low - short / 2, 1.0 - LEAST_RANGE))
    return low, min(1.0, max(high, low + LEAST_RANGE))


def _row(head: Child, cells: Sequence[Element]) -> Element:
    return h("tr", h("th", head, scope="row", role="rowheader"), *cells, role="row")


def _td(label: str, class_: str, *inside: Child) -> Element:
    """A cell; on a phone, where rows are cards, its label names the column."""
    return h("td", *inside, class_=class_, role="cell", data_label=label)


def _cell(tally: Tally | None, system: tuple[str, str], low: float, high: float) -> Element:
    label = system[1]
    if tally is None:
        return _td(label, "none", "not run")
    share = tally.pass_rate.share
    if share is None:
        return _td(label, "none", "n/a", h("small", f"0 of 0; {number(tally.left_out)} not graded"))
    step = round((share - low) / (high - low) * (STEPS - 1))
    inside = (h("b", percent(share)), h("small", *_figures(tally)))
    if not tally.failed:
        return _td(label, f"step-{step}", *inside)
    address = link({"status": "fail", "system": " × ".join(system)})
    return _td(label, f"step-{step}", h("a", *inside, hidden_text(" show failures"), href=address))


def _edge(tally: Tally, label: str) -> Element:
    return _td(label, "edge", h("b", percent(tally.pass_rate.share)), h("small", *_figures(tally)))


def _figures(tally: Tally) -> list[Child]:
    interval = tally.pass_rate.interval
    span = f"[{100 * interval.low:.1f}, {100 * interval.high:.1f}]" if interval else "n/a"
    left: list[Child] = [h("br"), f"{tally.left_out} not graded"] if tally.left_out else []
    return [f"{tally.passed}/{tally.graded} ", h("span", span, class_="nowrap"), *left]
