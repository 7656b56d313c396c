"""From audited rows to the figures of `result.json`. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ragtester.records import AuditedQuery, AuditSource, Document, Ledger, RetrievalResult
from ragtester.settings import Settings
from ragtester.stages.retrieval.access import account
from ragtester.stages.retrieval.figures import Audited, arm_figures, claim_figures, curve, figures, ledger
from ragtester.stages.retrieval.reading import readings
from ragtester.stages.retrieval.slices import slices
from ragtester.stages.retrieval.stages import stage_figures, unchecked_notes, unlabelled


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
    stages = stage_figures(rows)
    return RetrievalResult(
        run=settings.execute.run,
        suite=settings.workspace.suite if documents else "",
        source=source,
        k=tuple(sorted({row.k for row in rows if row.status != "unfinished"})),
        embeddings=embeddings,
        ledgers=tuple(ledger(name, [row for row in rows if row.embedding == name]) for name in embeddings),
        overall=overall,
        curve=tuple(point for name in embeddings for point in curve(name, of[name])),
        slices=slices([one.row for one in measured], embeddings),
        arms=tuple(one for name in embeddings for one in arm_figures(name, [a.row for a in of[name]])),
        diagnosed=sum(row.diagnosis is not None for row in rows),
        stages=stages,
        unlabelled=unlabelled(rows),
        claims=tuple(one for name in embeddings for one in claim_figures(name, _of(rows, name))),
        access=account(rows, documents),
        reading=readings(overall, rows),
        notes=(*notes, *unchecked_notes(stages)),
    )


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
