"""From audited rows to the figures of `result.json`. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ragtester.records import TARGET, AuditedQuery, AuditSource, Document, Ledger, RetrievalFigures, RetrievalResult
from ragtester.settings import Settings
from ragtester.stages.retrieval.access import account
from ragtester.stages.retrieval.figures import Audited, arm_figures, claim_figures, curve, figures, ledger, whole_curve
from ragtester.stages.retrieval.leaks import leak_notes
from ragtester.stages.retrieval.naming import shortened
from ragtester.stages.retrieval.reading import readings
from ragtester.stages.retrieval.slices import slices
from ragtester.stages.retrieval.stages import stage_figures, unchecked_notes, unlabelled
from ragtester.tables.cells import counted

LONGEST = 200
"""Characters of a failure's message in a note."""


def make_result(
    settings: Settings,
    documents: Mapping[str, Document],
    source: AuditSource,
    audited: Sequence[Audited],
    notes: Iterable[str],
) -> RetrievalResult:
    """All figures of the rows, in their order; `settings` are those that were retrieved with."""
    rows = [one.row for one in audited]
    embeddings = tuple(dict.fromkeys(row.embedding for row in rows))
    measured = [one for one in audited if one.row.status == "measured"]
    of = {name: [one for one in measured if one.row.embedding == name] for name in embeddings}
    overall = tuple(figures("", "all", name, [one.row for one in of[name]]) for name in embeddings)
    points = tuple(point for name in embeddings for point in curve(name, of[name]))
    stages, access = stage_figures(rows), account(rows, documents)
    return RetrievalResult(
        run=settings.execute.run,
        suite=settings.workspace.suite if documents else "",
        source=source,
        k=tuple(sorted({row.k for row in rows if row.status != "unfinished"})),
        embeddings=embeddings,
        ledgers=tuple(ledger(name, [row for row in rows if row.embedding == name]) for name in embeddings),
        overall=overall,
        curve=points,
        slices=slices([one.row for one in measured], embeddings),
        arms=tuple(one for name in embeddings for one in arm_figures(name, [a.row for a in of[name]])),
        diagnosed=sum(row.diagnosis is not None for row in rows),
        stages=stages,
        unlabelled=unlabelled(rows),
        claims=tuple(one for name in embeddings for one in claim_figures(name, _of(rows, name))),
        access=access,
        reading=readings(overall, rows),
        notes=(
            *leak_notes(access),
            *_unfinished_notes(rows),
            *notes,
            *_curve_notes(settings, source, overall, points),
            *unchecked_notes(stages),
        ),
    )


def _unfinished_notes(rows: Sequence[AuditedQuery]) -> Iterator[str]:
    """How many queries are in no figure, and why the first of them is not."""
    left = [row for row in rows if row.status == "unfinished"]
    if left:
        number = f"{len(left)} of {counted(len(rows), 'query', 'queries')}"
        failure = left[0].failure
        why = f": {shortened(failure.message or failure.type, LONGEST)}" if failure else ""
        yield f"Unfinished, and in no figure: {number} (the first: {left[0].query_id}{why})."


def _curve_notes(
    settings: Settings, source: AuditSource, overall: Sequence[RetrievalFigures], points: Sequence[RetrievalFigures]
) -> Iterator[str]:
    """Where the curve ends before the last K that was asked for, and what shows more."""
    ends = [max((point.k or 0 for point in whole_curve(one, points)), default=0) for one in overall if one.queries]
    last = max(settings.audit_retrieval.curve)
    if not ends or min(ends) >= last:
        return
    more = "A larger fetch_k of the arms (execute.retrieval.arms) shows more."
    if source == "traces":
        more = "Traces with more hits show more."
    elif all(one.embedding == TARGET for one in overall):
        more = "An application that returns more shows more."
    elif source == "answers" and settings.execute.retrieval.goes_on:
        more = "A larger fetch_k of the arm (execute.retrieval.arms) shows more in a new run, --search without one."
    where = f"ends at K = {min(ends)} of {last}" if min(ends) else f"has no point down to K = {last}"
    yield f"The curve {where}: deeper ranks are not known for every query. {more}"


def _of(rows: Iterable[AuditedQuery], embedding: str) -> list[AuditedQuery]:
    return [row for row in rows if row.embedding == embedding]


def ledger_of(result: RetrievalResult) -> Ledger:
    """Queries without gold that counts are accounted for and are no failure."""
    own = result.ledgers
    return Ledger(
        planned=sum(one.planned for one in own),
        ok=sum(one.measured for one in own),
        failed=sum(one.unfinished for one in own),
        unfilled=sum(one.no_gold + one.hidden_gold for one in own),
    )


def counts_of(result: RetrievalResult) -> dict[str, int]:
    """The same in the audit's words."""
    names = ("planned", "measured", "no_gold", "hidden_gold", "unfinished")
    return {name: sum(getattr(one, name) for one in result.ledgers) for name in names}
