"""What a retrieval audit says: sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.records import BeforeAfter, RetrievalResult
from ragtester.stages.means import mean_cell
from ragtester.stages.retrieval import metric_tables, stage_tables
from ragtester.stages.retrieval.access import access_section
from ragtester.tables import Document, Paragraph, Section, Table


def retrieval_document(result: RetrievalResult, *, full: bool = True) -> Document:
    """What `ragtester audit retrieval` prints and writes; without `full` the longest slices are left out."""
    made = [
        metric_tables.reached(result),
        metric_tables.curve(result),
        metric_tables.arms(result),
        stage_tables.stages(result),
        stage_tables.cases(result),
        metric_tables.claims(result),
        _before(result),
        metric_tables.parts(result, full=full),
        access_section(result),
        _notes(result),
    ]
    return Document(f"Retrieval audit: run {result.run}", tuple(one for one in made if one is not None))


def access_document(result: RetrievalResult) -> Document:
    """The note on what access rules took out of the denominator."""
    return Document(f"Access rules in the retrieval audit of run {result.run}", (access_section(result),))


def _before(result: RetrievalResult) -> Section | None:
    parts = [part for one in result.before for part in _comparison(one)]
    return Section("before", "Before and after", tuple(parts)) if parts else None


def _comparison(one: BeforeAfter) -> Iterator[Paragraph | Table]:
    yield Paragraph(one.reading, answer=True)
    rows = tuple(
        (change.metric, change.before, change.after, mean_cell(change.difference, signed=True))
        for change in one.changes
    )
    title = f"{one.run} ({one.embedding_before}) and this run ({one.embedding_after}), the same {one.queries} queries"
    notes = (f"Evidence missed before and not now: {one.found}; missed now and not before: {one.lost}.",)
    yield Table(f"before-{one.embedding_after}", title, ("metric", "before", "after", "difference"), rows, notes)


def _notes(result: RetrievalResult) -> Section | None:
    if not result.notes:
        return None
    return Section("notes", "To know when reading this", tuple(Paragraph(text) for text in result.notes))
