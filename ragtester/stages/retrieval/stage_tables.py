"""Where the evidence got lost: the table of stages, and the cases that show each best."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.records import Proportion, RetrievalResult, StageFigures, Unlabelled
from ragtester.stages.proportions import rate_cell
from ragtester.stages.retrieval import metric_tables
from ragtester.stages.retrieval.naming import shortened
from ragtester.tables import Cell, Paragraph, Section, Table

LONGEST = 300
"""Characters of a question or of what was seen that are shown; the files hold all."""


def stages(result: RetrievalResult) -> Section:
    """The table of stages; a column an embedding model where there are several."""
    parts: list[Paragraph | Table] = [_table(result)] if result.diagnosed else [Paragraph(_nothing(result))]
    if result.unlabelled.failed:
        parts.append(Paragraph(without_labels(result.unlabelled)))
    return Section("stages", "Where the evidence got lost", tuple(parts))


def _nothing(result: RetrievalResult) -> str:
    gold = metric_tables.has_gold(result)
    return "No query missed its evidence, and no answer failed." if gold else "Nothing was measured."


def _table(result: RetrievalResult) -> Table:
    names = result.embeddings if len(result.embeddings) > 1 else ()
    rows = tuple(
        (one.stage, *(_share(one.embeddings.get(name)) for name in names), _share(one.queries), one.failed, one.missed)
        for one in result.stages
    )
    notes = [
        "failed: an LLM's answer was judged wrong. missed: the evidence did not wholly reach the context.",
        "The first stage that applies is named; generate and label are not retrieval.",
    ]
    if any(one.queries is None for one in result.stages):
        notes.append("n/a: could not be looked at there for any query.")
    title = f"Primary stage of each query that failed or missed evidence ({result.diagnosed})"
    return Table(
        "stages", title, ("stage", *names, "all" if names else "queries", "failed", "missed"), rows, tuple(notes)
    )


def _share(one: Proportion | None) -> Cell:
    return rate_cell(one) if one else None


def without_labels(one: Unlabelled) -> str:
    """Wrong answers of which nobody said the gold, in a sentence."""
    told = f"Failed without labels, so at no stage: {one.failed}"
    if not one.traced:
        return f"{told}; no claims were looked for in their contexts."
    seen = f"the context supports all claims of the expected answer in {one.supported} of {one.traced}"
    return f"{told}; {seen} that were looked at."


def cases(result: RetrievalResult) -> Section | None:
    """The most telling cases, each with the fix to try first."""
    parts = tuple(part for stage in result.stages for part in _telling(stage))
    return Section("cases", "The most telling cases of each stage", parts) if parts else None


def _telling(stage: StageFigures) -> Iterator[Paragraph]:
    if not stage.cases or stage.queries is None:
        return
    fixes = list(dict.fromkeys(case.fix for case in stage.cases))
    shared = f" Try first: {fixes[0]}" if len(fixes) == 1 else ""
    yield Paragraph(f"{stage.stage}: {stage.queries.successes} of {stage.queries.n} queries.{shared}")
    for number, case in enumerate(stage.cases, start=1):
        told = f"“{shortened(case.question, LONGEST)}” Seen: {shortened(case.seen, LONGEST)}"
        own = "" if shared else f" Try first: {case.fix}"
        yield Paragraph(f"({number}) {case.query_id}, {case.embedding}: {told}{own}")
