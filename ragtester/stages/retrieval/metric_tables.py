"""The tables of a retrieval audit's metrics: what reached the model, over K, arm by arm, by claims, in parts."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.records import ClaimFigures, MeanValue, RetrievalFigures, RetrievalResult
from ragtester.stages.means import mean_cell
from ragtester.stages.proportions import rate_cell
from ragtester.stages.retrieval.figures import FEW, whole_curve
from ragtester.stages.retrieval.slices import SLICES
from ragtester.statistics import Interval
from ragtester.tables import Cell, Estimate, Paragraph, Section, Table
from ragtester.tables.cells import counted, show

METRICS = ("recall", "MRR", "nDCG", "precision", "average precision", "evidence")
SOURCES = {
    "answers": "traces of the run's answers",
    "search": "a search made now; no answer was looked at",
    "traces": "traces of another system; its index was not looked at",
}
LONG = ("document", "family")


def reached(result: RetrievalResult) -> Section:
    """What reached the model; of a suite without gold it is the claims of the expected answers that tell it."""
    depth = "K of each query" if len(result.k) > 1 else f"K = {result.k[0] if result.k else 0}"
    parts: list[Paragraph | Table] = []
    if has_gold(result):
        parts.append(Paragraph(f"From {SOURCES[result.source]}. Metrics are those of the final context, at {depth}."))
        parts += [Paragraph(text, answer=True) for text in result.reading]
        parts.append(_overall(result, depth))
    elif result.claims:
        parts.append(Paragraph(f"From {SOURCES[result.source]}, at {depth}. No query has gold chunks."))
        parts += [Paragraph(_supported(one), answer=True) for one in result.claims]
        parts.append(_claims(result))
    else:
        parts.append(Paragraph(f"From {SOURCES[result.source]}. No query was measured.", answer=True))
    return Section("retrieval", "What reached the model", (*parts, _ledger(result)))


def has_gold(result: RetrievalResult) -> bool:
    """Whether any query was measured against gold chunks."""
    return any(one.measured for one in result.ledgers)


def _overall(result: RetrievalResult, depth: str) -> Table:
    rows = tuple((one.embedding, rate_cell(one.hit), *_means(one)) for one in result.overall if one.queries)
    columns = ("embedding model", "hit rate", *METRICS)
    notes = (
        "evidence: share of the evidence's characters in the context. Precision is of the chunks that were given.",
        "Means carry 95 % intervals over documents; with few documents they are too narrow.",
    )
    return Table("retrieval", f"Measured queries at {depth}", columns, rows, notes)


def _ledger(result: RetrievalResult) -> Table:
    rows = tuple(
        (one.embedding, one.planned, one.measured, one.no_gold, one.hidden_gold, one.unfinished)
        for one in result.ledgers
    )
    columns = ("embedding model", "planned", "measured", "no gold", "hidden gold", "unfinished")
    notes = (
        "no gold: must be refused, or has no labels. hidden gold: the user may see none of it.",
        "unfinished: nothing was retrieved, for a reason that queries.jsonl names.",
    )
    return Table("ledger", "Every query", columns, rows, notes)


def _supported(one: ClaimFigures) -> str:
    support, order = _percent(one.recall), _percent(one.precision)
    return (
        f"{one.embedding}: of the claims of an expected answer the context supports {support}; context precision is "
        f"{order}. Claims were traced by {one.by}."
    )


def _percent(one: MeanValue) -> str:
    if one.value is None:
        return show(None)
    ends = None if one.low is None or one.high is None else Interval(100 * one.low, 100 * one.high)
    return show(Estimate(100 * one.value, one.n, ends, "%", of="query" if one.n == 1 else "queries"))


def claims(result: RetrievalResult) -> Section | None:
    """Claims beside gold; None where there are none, or where they stand first already."""
    return Section("claims", "By claims", (_claims(result),)) if result.claims and has_gold(result) else None


def _claims(result: RetrievalResult) -> Table:
    rows = tuple(
        (one.embedding, one.by, one.queries, mean_cell(one.recall), mean_cell(one.precision)) for one in result.claims
    )
    columns = ("embedding model", "by", "queries", "context recall", "context precision")
    notes = ("For queries without evidence spans; by words is a proxy: it compares words, not meaning.",)
    return Table("claims", "Claims of the expected answers that the context supports", columns, rows, notes, keys=2)


def curve(result: RetrievalResult) -> Section | None:
    """Metrics over K."""
    if not result.curve:
        return None
    said = Paragraph("Of the ranking before the cut at the application's K and before the budget.")
    return Section("curve", "Over K", (said, *(_curve_of(one, result) for one in result.overall if one.queries)))


def _curve_of(overall: RetrievalFigures, result: RetrievalResult) -> Table:
    rows = tuple((one.k, rate_cell(one.hit), *_means(one)[:3]) for one in whole_curve(overall, result.curve))
    title = f"{overall.embedding}, {counted(overall.queries, 'query', 'queries')}"
    return Table(f"curve-{overall.embedding}", title, ("K", "hit rate", *METRICS[:3]), rows)


def arms(result: RetrievalResult) -> Section | None:
    """Each arm by itself, where several were asked."""
    if not result.arms:
        return None
    rows = tuple(
        (one.embedding, one.arm, rate_cell(one.at_k), rate_cell(one.found), rate_cell(one.alone)) for one in result.arms
    )
    columns = ("embedding model", "arm", "gold within K", "gold among its hits", "chunks that it alone found")
    notes = ("Of the queries that the arm was asked. The last column is of the chunks of the final contexts.",)
    return Section("arms", "Each arm by itself", (Table("arms", "Arms before fusion", columns, rows, notes, keys=2),))


def parts(result: RetrievalResult, *, full: bool) -> Section | None:
    """The metrics in slices; without `full` those by document and family are left out."""
    made = tuple(_slices(result, full))
    if not made:
        return None
    text = f"Slices with a single part are left out; read figures of fewer than {FEW} queries with care."
    return Section("slices", "The same in parts", (Paragraph(text), *made))


def _slices(result: RetrievalResult, full: bool) -> Iterator[Table]:
    for by, (title, _) in SLICES.items():
        own = [one for one in result.slices if one.by == by]
        if not own or (by in LONG and not full):
            continue
        rows = tuple(
            (one.name, one.embedding, rate_cell(one.hit), mean_cell(one.recall), mean_cell(one.reciprocal_rank))
            for one in own
        )
        few = sorted({one.name for one in own if one.queries < FEW})
        notes = (f"Fewer than {FEW} queries: {', '.join(few)}.",) if few else ()
        yield Table(f"slice-{by}", title, (by, "embedding model", "hit rate", "recall", "MRR"), rows, notes, keys=2)


def _means(one: RetrievalFigures) -> tuple[Cell, ...]:
    values = (one.recall, one.reciprocal_rank, one.ndcg, one.precision, one.average_precision, one.evidence)
    return tuple(map(mean_cell, values))
