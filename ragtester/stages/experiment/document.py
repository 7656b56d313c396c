"""An experiment's result as sentences and tables."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.records import Comparison, ExperimentResult, ExperimentTimes, PointResult, PointTimes
from ragtester.stages.experiment.comparison_tables import brief_table, comparison_section
from ragtester.stages.experiment.front import label
from ragtester.stages.experiment.points_table import milliseconds, named, points_table
from ragtester.stages.experiment.sweep_tables import sweep_section
from ragtester.stages.experiment.words import size_text
from ragtester.tables import Cell, Document, Paragraph, Section, Table

BRIEF_FLIPS = 20
INDEX = (
    "Index: vectors (chunks × dimensions × 4 bytes), the BM25 arrays and words, and the chunks' texts in UTF-8; "
    "what the database adds is left out."
)
TIMES = (
    "Build: cutting, embedding and storing, BM25; n/a where a store was not made in one go. Query: median over batches "
    "(the questions of a document), without embedding the question. Times are of this machine, with everything loaded "
    "and opened once before."
)


def experiment_document(result: ExperimentResult, times: ExperimentTimes, *, full: bool = True) -> Document:
    """What `ragtester experiment` prints and writes; without `full` long lists are cut, and say so."""
    known = {label(one): one for one in times.points}
    flips = None if full else BRIEF_FLIPS
    sections = [_overview(result, full)]
    if full or len(result.comparisons) == 1:
        sections += [comparison_section(result, at, one, flips) for at, one in enumerate(result.comparisons)]
    if result.axes:
        sections.append(sweep_section(result, times, full=full))
    shown = [point for point in result.points if full or point.kind != "grid"]
    if full or result.comparisons:
        sections.append(_costs(shown, known))
    return Document(f"Experiment {result.name}, suite {result.suite}", tuple(sections))


def _overview(result: ExperimentResult, full: bool) -> Section:
    compared = bool(result.comparisons)
    said = [Paragraph(_reading(one), answer=True) for one in result.comparisons]
    if not compared:
        said.append(Paragraph(f"{len(result.points)} settings were measured; none is a variant to be compared."))
    said += [Paragraph(f"Note: {note}.") for note in result.notes]
    planned = result.points[0].queries.planned
    answers = (
        "; answers and verdicts stand in runs of their own" if any(one.generation for one in result.comparisons) else ""
    )
    said.append(Paragraph(f"The same {planned} cases under every setting, with retrieval alone{answers}."))
    shown = [point for point in result.points if point.kind != "grid"]
    title = "Baseline and variants" if compared else "The baseline"
    table = (points_table("metrics", f"{title}, K = {result.k}", shown),) if full or compared else ()
    differences = (brief_table(result, full),) if compared and (full or len(result.comparisons) > 1) else ()
    return Section("overview", "What changed" if compared else "What was measured", (*said, *table, *differences))


def _reading(one: Comparison) -> str:
    return f"{one.variant}{_under(one)}: {one.reading}"


def _under(one: Comparison) -> str:
    if one.embedding_before == one.embedding_after:
        return f" with {one.embedding_after}" if one.embedding_after else ""
    return ""


def _costs(shown: Sequence[PointResult], times: dict[str, PointTimes]) -> Section:
    columns = (
        "setting",
        "embedding model",
        "chunks",
        "vectors",
        "BM25",
        "texts",
        "index",
        "build, s",
        "query, ms",
        "embedding a question, ms",
        "context, characters",
    )
    rows = tuple(_cost_row(point, times.get(label(point))) for point in shown)
    table = Table("costs", "Index size, build time, query time", columns, rows, (INDEX, TIMES), keys=2)
    return Section("costs", "What it takes", (table,))


def _cost_row(point: PointResult, times: PointTimes | None) -> tuple[Cell, ...]:
    index = point.index
    sizes: tuple[Cell, ...] = (None,) * 5
    if index:
        parts = (index.vectors, index.sparse, index.texts, index.total)
        sizes = (index.chunks, *map(size_text, parts))
    build = times.build if times else None
    seconds = (build, milliseconds(times.query) if times else None, milliseconds(times.embed) if times else None)
    return (named(point), point.embedding or "none", *sizes, *seconds, point.context.value)
