"""What a retrieval audit says: sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.records import (
    BeforeAfter,
    MeanValue,
    MetricChange,
    Proportion,
    RetrievalFigures,
    RetrievalResult,
    StageFigures,
)
from ragtester.stages.retrieval.access import access_section
from ragtester.stages.retrieval.figures import FEW
from ragtester.stages.retrieval.slices import SLICES
from ragtester.statistics import Interval
from ragtester.tables import Cell, Document, Estimate, Paragraph, Rate, Section, Table

METRICS = ("recall", "MRR", "nDCG", "precision", "average precision", "evidence")
SOURCES = {
    "answers": "traces of the run's answers",
    "search": "a search made now; no answer was looked at",
    "traces": "traces of another system; its index was not looked at",
}
LONG = ("document", "family")
LONGEST = 300
"""Characters of a question or of what was seen that are shown; the files hold all."""


def retrieval_document(result: RetrievalResult, *, full: bool = True) -> Document:
    """What `ragtester audit retrieval` prints and writes; without `full` the longest slices are left out."""
    made = [_overall(result), _curve(result), _arms(result), _stages(result), _cases(result)]
    made += [_claims(result), _before(result), _slices(result, full), access_section(result), _notes(result)]
    return Document(f"Retrieval audit: run {result.run}", tuple(one for one in made if one is not None))


def access_document(result: RetrievalResult) -> Document:
    """The note on what access rules took out of the denominator."""
    return Document(f"Access rules in the retrieval audit of run {result.run}", (access_section(result),))


def _overall(result: RetrievalResult) -> Section:
    depth = "K of each query" if len(result.k) > 1 else f"K = {result.k[0] if result.k else 0}"
    said = [Paragraph(f"From {SOURCES[result.source]}. Metrics are those of the final context, at {depth}.")]
    said += [Paragraph(text, answer=True) for text in result.reading]
    rows = tuple((one.embedding, _rate(one.hit), *_means(one)) for one in result.overall)
    columns = ("embedding model", "hit rate", *METRICS)
    notes = (
        "evidence: share of the evidence's characters in the context. Precision is of the chunks that were given.",
        "Means carry 95 % intervals over documents; with few documents they are too narrow.",
    )
    table = Table("retrieval", f"Measured queries at {depth}", columns, rows, notes)
    ledgers = tuple(
        (one.embedding, one.planned, one.measured, one.no_gold, one.hidden_gold, one.unfinished)
        for one in result.ledgers
    )
    account = Table(
        "retrieval-queries",
        "Every query",
        ("embedding model", "planned", "measured", "no gold", "hidden gold", "unfinished"),
        ledgers,
        (
            "no gold: must be refused, or has no labels. hidden gold: the user may see none of it.",
            "unfinished: nothing was retrieved, for a reason that queries.jsonl names.",
        ),
    )
    return Section("retrieval", "What reached the model", (*said, table, account))


def _curve(result: RetrievalResult) -> Section | None:
    if not result.curve:
        return None
    said = Paragraph("Of the ranking before the cut at the application's K and before the budget.")
    return Section("curve", "Over K", (said, *(_curve_of(one, result) for one in result.overall if one.queries)))


def _curve_of(overall: RetrievalFigures, result: RetrievalResult) -> Table:
    """The K down to which the ranks of every query are known: with fewer queries a row could not be compared."""
    own = [one for one in result.curve if one.embedding == overall.embedding]
    whole = [one for one in own if one.queries == overall.queries]
    rows = tuple((one.k, _rate(one.hit), *_means(one)[:3]) for one in whole)
    deep = ", ".join(str(one.k) for one in own if one not in whole)
    notes = (f"Ranks at K {deep} are not known for every query; raise fetch_k to see them.",) if deep else ()
    title = f"{overall.embedding}, {overall.queries} queries"
    return Table(f"curve-{overall.embedding}", title, ("K", "hit rate", *METRICS[:3]), rows, notes)


def _arms(result: RetrievalResult) -> Section | None:
    if not result.arms:
        return None
    rows = tuple((one.embedding, one.arm, _rate(one.at_k), _rate(one.found), _rate(one.alone)) for one in result.arms)
    columns = ("embedding model", "arm", "gold within K", "gold among its hits", "chunks that it alone found")
    notes = ("The last column is of the chunks of the final contexts.",)
    return Section("arms", "Each arm by itself", (Table("arms", "Arms before fusion", columns, rows, notes, keys=2),))


def _stages(result: RetrievalResult) -> Section:
    if not result.diagnosed:
        text = "No query missed its evidence, and no answer failed." if _measured(result) else "Nothing was measured."
        return Section("stages", "Where the evidence got lost", (Paragraph(text),))
    rows = tuple((one.stage, _rate(one.queries), one.failed, one.missed) for one in result.stages)
    table = Table(
        "stages",
        f"Primary stage of each query that failed or missed evidence ({result.diagnosed})",
        ("stage", "queries", "failed", "missed"),
        rows,
        (
            "failed: an LLM's answer was judged wrong. missed: the evidence did not wholly reach the context.",
            "The first stage that applies is named; generate and label are not retrieval.",
        ),
    )
    return Section("stages", "Where the evidence got lost", (table,))


def _measured(result: RetrievalResult) -> int:
    return sum(one.measured for one in result.ledgers)


def _cases(result: RetrievalResult) -> Section | None:
    parts = [part for stage in result.stages for part in _telling(stage)]
    return Section("cases", "The most telling cases of each stage", tuple(parts)) if parts else None


def _telling(stage: StageFigures) -> Iterator[Paragraph]:
    if not stage.cases:
        return
    fix = stage.cases[0].fix
    yield Paragraph(f"{stage.stage}: {stage.queries.successes} of {stage.queries.n} queries. Try first: {fix}")
    for number, case in enumerate(stage.cases, start=1):
        other = f" Try first: {case.fix}" if case.fix != fix else ""
        yield Paragraph(
            f"({number}) {case.query_id}, {case.embedding}: “{_short(case.question)}” Seen: {_short(case.seen)}{other}"
        )


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…"


def _claims(result: RetrievalResult) -> Section | None:
    if not result.claims:
        return None
    rows = tuple((one.embedding, one.by, one.queries, _mean(one.recall), _mean(one.precision)) for one in result.claims)
    columns = ("embedding model", "by", "queries", "context recall", "context precision")
    notes = ("For queries without evidence spans; by words is a proxy: it compares words, not meaning.",)
    table = Table("claims", "Claims of the expected answers that the context supports", columns, rows, notes, keys=2)
    return Section("claims", "By claims", (table,))


def _before(result: RetrievalResult) -> Section | None:
    parts = [part for one in result.before for part in _comparison(one)]
    return Section("before", "Before and after", tuple(parts)) if parts else None


def _comparison(one: BeforeAfter) -> Iterator[Paragraph | Table]:
    yield Paragraph(one.reading, answer=True)
    rows = tuple((change.metric, change.before, change.after, _difference(change)) for change in one.changes)
    title = f"{one.run} ({one.embedding_before}) and this run ({one.embedding_after}), the same {one.queries} queries"
    notes = (f"Evidence missed before and not now: {one.found}; missed now and not before: {one.lost}.",)
    yield Table(f"before-{one.embedding_after}", title, ("metric", "before", "after", "difference"), rows, notes)


def _difference(change: MetricChange) -> Cell:
    one = change.difference
    return None if one.value is None else Estimate(one.value, one.n, _ends(one), signed=True)


def _slices(result: RetrievalResult, full: bool) -> Section | None:
    tables = [_slice(by, title, result) for by, (title, _) in SLICES.items() if full or by not in LONG]
    made = tuple(table for table in tables if table is not None)
    if not made:
        return None
    text = f"Slices with a single part are left out; read figures of fewer than {FEW} queries with care."
    return Section("slices", "The same in parts", (Paragraph(text), *made))


def _slice(by: str, title: str, result: RetrievalResult) -> Table | None:
    own = [one for one in result.slices if one.by == by]
    if not own:
        return None
    rows = tuple(
        (one.name, one.embedding, _rate(one.hit), _mean(one.recall), _mean(one.reciprocal_rank)) for one in own
    )
    columns = (by, "embedding model", "hit rate", "recall", "MRR")
    few = sorted({one.name for one in own if one.queries < FEW})
    notes = (f"Fewer than {FEW} queries: {', '.join(few)}.",) if few else ()
    return Table(f"slice-{by}", title, columns, rows, notes, keys=2)


def _notes(result: RetrievalResult) -> Section | None:
    if not result.notes:
        return None
    return Section("notes", "To know when reading this", tuple(Paragraph(text) for text in result.notes))


def _means(one: RetrievalFigures) -> tuple[Cell, ...]:
    values = (one.recall, one.reciprocal_rank, one.ndcg, one.precision, one.average_precision, one.evidence)
    return tuple(map(_mean, values))


def _mean(one: MeanValue) -> Cell:
    return None if one.value is None else Estimate(one.value, one.n, _ends(one))


def _ends(one: MeanValue) -> Interval | None:
    return Interval(one.low, one.high) if one.low is not None and one.high is not None else None


def _rate(one: Proportion) -> Rate:
    return Rate(one.successes, one.n)
