"""What a retrieval audit says: sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.records import BeforeAfter, RetrievalResult
from ragtester.stages.change_tables import basis, flips_part, metrics_table
from ragtester.stages.retrieval import metric_tables, stage_tables
from ragtester.stages.retrieval.access import access_section
from ragtester.tables import Document, Paragraph, Section, Table

FLIPS = 10
"""Flips that the terminal shows; the files hold all."""


def retrieval_document(result: RetrievalResult, *, full: bool = True) -> Document:
    """What `ragtester audit retrieval` prints and writes; without `full` the longest slices are left out."""
    made = [
        metric_tables.reached(result),
        metric_tables.curve(result),
        metric_tables.arms(result),
        stage_tables.stages(result),
        stage_tables.cases(result),
        metric_tables.claims(result),
        _before(result, full),
        metric_tables.parts(result, full=full),
        access_section(result),
        _notes(result),
    ]
    return Document(f"Retrieval audit: run {result.run}", tuple(one for one in made if one is not None))


def access_document(result: RetrievalResult) -> Document:
    """The note on what access rules took out of the denominator."""
    return Document(f"Access rules in the retrieval audit of run {result.run}", (access_section(result),))


def _before(result: RetrievalResult, full: bool) -> Section | None:
    tests = sum(len(one.metrics) for one in result.before)
    parts = [part for one in result.before for part in _comparison(one, tests, None if full else FLIPS)]
    return Section("before", "Before and after", tuple(parts)) if parts else None


def _comparison(one: BeforeAfter, tests: int, most: int | None) -> Iterator[Paragraph | Table]:
    yield Paragraph(one.reading, answer=True)
    yield from basis(one)
    title = f"{one.run} ({one.embedding_before}) and this run ({one.embedding_after}), the same {one.queries} queries"
    notes = (f"Evidence missed before and not now: {one.found}; missed now and not before: {one.lost}.",)
    yield metrics_table(f"before-{one.embedding_after}", title, one, tests, notes)
    yield flips_part(f"flips-{one.embedding_after}", one, most)


def _notes(result: RetrievalResult) -> Section | None:
    if not result.notes:
        return None
    return Section("notes", "To know when reading this", tuple(Paragraph(text) for text in result.notes))
