"""The retrieval audit on the page, where there is one: metrics, curve, and where the evidence got lost."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.records import RetrievalFigures, RetrievalResult, StageFigures, TellingCase
from ragtester.report import charts
from ragtester.report.blocks import grid_table, notes, part, section, table_html
from ragtester.report.html import Child, Element, h, name
from ragtester.report.words import rate, tight
from ragtester.stages.retrieval import read_result, retrieval_document, retrieval_staleness, whole_curve
from ragtester.stages.retrieval.naming import shortened
from ragtester.stages.retrieval.stage_tables import without_labels
from ragtester.tables import Document, Rate, Section, Table
from ragtester.tables.cells import counted
from ragtester.workspace import Workspace

LONGEST = 400
ROWS = 60
"""Of a table of parts."""
SAID = {
    "answers": "What of the evidence reached the models of this run, and where the rest got lost.",
    "search": "What a search of the suite found, made apart from this run's answers, and where the rest got lost.",
    "traces": "What the traces of another system say; this run's answers have no part in it.",
}


def retrieval(workspace: Workspace, run: str) -> Element | None:
    """The section; None where retrieval was not audited."""
    result = read_result(workspace, run)
    if result is None:
        return None
    made = retrieval_document(result)
    stale = retrieval_staleness(workspace, run)
    parts: list[Child] = []
    if stale:
        parts.append(h("p", f"Stale: {stale}. `ragtester audit retrieval` audits anew.", class_="trouble"))
    parts += [h("p", SAID[result.source]), *_first(made.sections[0])]
    parts += [_curve(one, result) for one in result.overall if one.queries]
    parts += [table_html(table) for table in _tables(made, "arms", "stages")]
    if result.unlabelled.failed:
        parts.append(h("p", without_labels(result.unlabelled)))
    parts += [_cases(stage) for stage in result.stages if stage.cases]
    parts += [table_html(table) for section_ in made.sections[1:] for table in section_.tables if table.id == "claims"]
    parts += [table_html(table) for table in _tables(made, "access-tags")]
    parts += [h("p", one.reading) for one in result.before]
    parts += [table_html(table) for table in made.tables if table.id.startswith("before-")]
    parts.append(_slices(made))
    parts.append(notes(result.notes, "notes warn"))
    return section("retrieval", "Retrieval", *parts)


def _first(reached: Section) -> Iterator[Element]:
    """What reached the model: what it comes to, then its tables."""
    for one in reached.parts:
        if isinstance(one, Table):
            yield table_html(one)
        elif one.answer:
            yield h("p", one.text)


def _slices(made: Document) -> Element | None:
    """The same in parts, folded away; a table of very many parts stays in its file."""
    own = [table for table in made.tables if table.id.startswith("slice-")]
    if not own:
        return None
    shown = [table_html(table) for table in own if len(table.rows) <= ROWS]
    longer = [
        f"{table.title}: {len(table.rows)} rows, in tables/{table.id}.csv" for table in own if len(table.rows) > ROWS
    ]
    return h("details", h("summary", f"The same in parts: {counted(len(own), 'table')}"), *shown, notes(longer))


def _tables(made: Document, *ids: str) -> Iterator[Table]:
    return (table for table in made.tables if table.id in ids)


def _curve(overall: RetrievalFigures, result: RetrievalResult) -> Element | None:
    """Recall over K as dots with their intervals."""
    own = whole_curve(overall, result.curve)
    if len(own) < 2:
        return None
    rows: list[list[Child]] = [[str(one.k), _plot(one), *_figures(one)] for one in own]
    caption = f"{overall.embedding}: over K, {counted(overall.queries, 'query', 'queries')}"
    columns = ("K", "Recall", "Hit rate", "Recall, 95 % interval", "MRR", "nDCG")
    return part(f"Over K: {overall.embedding}", grid_table(caption, columns, rows, wide=1))


def _plot(one: RetrievalFigures) -> Child:
    middle = one.recall.value
    if middle is None:
        return "n/a"
    low = middle if one.recall.low is None else one.recall.low
    high = middle if one.recall.high is None else one.recall.high
    return charts.span(low, middle, high, 1.0)


def _figures(one: RetrievalFigures) -> list[Child]:
    values = (one.recall, one.reciprocal_rank, one.ndcg)
    told: list[Child] = [rate(Rate(one.hit.successes, one.hit.n))]
    for value in values:
        ends = "" if value.low is None or value.high is None else f" [{value.low:.3f}, {value.high:.3f}]"
        told.append("n/a" if value.value is None else tight(f"{value.value:.3f}{ends}"))
    return told


def _cases(stage: StageFigures) -> Element:
    """The telling cases of a stage, folded away."""
    count = counted(stage.queries.successes if stage.queries else 0, "query", "queries")
    items = [h("li", *_case(case)) for case in stage.cases]
    return h("details", h("summary", f"{stage.stage}: {count}, the most telling ones"), h("ol", *items))


def _case(case: TellingCase) -> list[Child]:
    return [
        h("p", name(case.query_id), " (", name(case.embedding), "): ", h("q", shortened(case.question, LONGEST))),
        h("p", shortened(case.seen, LONGEST)),
        h("p", f"Try first: {case.fix}"),
    ]
