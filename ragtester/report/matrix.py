"""The LLM × embedding matrix as a heat map: a table whose cells carry the figures, not only a colour."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.report.blocks import link
from ragtester.report.html import Child, Element, h, hidden_text, name
from ragtester.report.words import number, percent
from ragtester.results import Result
from ragtester.results.tally import Tally, by, count

STEPS = 9
LEAST_RANGE = 0.10


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
        h("th", "Language model", scope="col"),
        *(h("th", name(embedding), scope="col") for embedding in embeddings),
        h("th", "All", scope="col"),
    )
    body = []
    for llm, tally in llms.items():
        cells = [_cell(pairs.get((llm, embedding)), f"{llm} × {embedding}", low, high) for embedding in embeddings]
        body.append(h("tr", h("th", name(llm), scope="row"), *cells, _edge(tally)))
    totals = [_edge(tally) for tally in embeddings.values()]
    foot = h("tr", h("th", "All", scope="row"), *totals, _edge(count(rows)))
    caption = "Passed of graded answers, with the 95 % interval. Each figure opens the failures of its system."
    table = h("table", h("caption", caption), h("thead", head), h("tbody", *body), h("tfoot", foot), class_="heat")
    shades = [h("i", class_=f"step-{step}", aria_hidden="true") for step in range(STEPS)]
    legend = h("p", f"{percent(low)} passed", *shades, percent(high), class_="scale")
    return h("div", h("div", table, class_="scroll", tabindex=0, role="group", aria_label=caption), legend)


def scale(tallies: Sequence[Tally]) -> tuple[float, float]:
    """The range of shades: that of the rates, widened to ten points so that noise does not look like a difference."""
    shares = [tally.pass_rate.share or 0.0 for tally in tallies] or [0.0, 1.0]
    low, high = min(shares), max(shares)
    short = max(0.0, LEAST_RANGE - (high - low))
    low = max(0.0, min(low - short / 2, 1.0 - LEAST_RANGE))
    return low, min(1.0, max(high, low + LEAST_RANGE))


def _cell(tally: Tally | None, system: str, low: float, high: float) -> Element:
    if tally is None:
        return h("td", "not run", class_="none")
    share = tally.pass_rate.share
    if share is None:
        return h("td", "n/a", h("small", f"0 of 0; {number(tally.left_out)} not graded"), class_="none")
    step = round((share - low) / (high - low) * (STEPS - 1))
    inside = (h("b", percent(share)), h("small", *_figures(tally)))
    if not tally.failed:
        return h("td", *inside, class_=f"step-{step}")
    address = link({"status": "fail", "system": system})
    return h("td", h("a", *inside, hidden_text(" show failures"), href=address), class_=f"step-{step}")


def _edge(tally: Tally) -> Element:
    return h("td", h("b", percent(tally.pass_rate.share)), h("small", *_figures(tally)), class_="edge")


def _figures(tally: Tally) -> list[Child]:
    interval = tally.pass_rate.interval
    span = f"[{100 * interval.low:.1f}, {100 * interval.high:.1f}]" if interval else "n/a"
    left: list[Child] = [h("br"), f"{tally.left_out} not graded"] if tally.left_out else []
    return [f"{tally.passed}/{tally.graded} ", h("span", span, class_="nowrap"), *left]
