"""An experiment's result as sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragtester.records import Comparison, ExperimentResult, ExperimentTimes, PointResult, PointTimes
from ragtester.stages.experiment.comparison_tables import brief_table, comparison_section
from ragtester.stages.experiment.front import label
from ragtester.stages.experiment.values import METRICS
from ragtester.stages.experiment.words import changes_text, mean_cell, size_text
from ragtester.tables import Cell, Document, Paragraph, Rate, Section, Table

BRIEF_FLIPS = 20
SHOWN_POINTS = 40
INDEX = (
    "Index: vectors (chunks × dimensions × 4 bytes), the BM25 arrays and words, and the chunks' texts in UTF-8; "
    "what the database adds is left out."
)
TIMES = (
    "Build: cutting, embedding and storing, BM25; n/a where a store was not made in one go. Query: median over batches "
    "(the questions of a document), without embedding the question. Times are of this machine."
)


def experiment_document(result: ExperimentResult, times: ExperimentTimes, *, full: bool = True) -> Document:
    """What `ragtester experiment` prints and writes; without `full` long lists are cut, and say so."""
    known = {label(one): one for one in times.points}
    flips = None if full else BRIEF_FLIPS
    sections = [_overview(result, full)]
    if full or len(result.comparisons) == 1:
        sections += [comparison_section(result, at, one, flips) for at, one in enumerate(result.comparisons)]
    if result.axes:
        sections.append(_sweep(result, times, known, full))
    sections.append(_costs(result, known, full))
    return Document(f"Experiment {result.name}, suite {result.suite}", tuple(sections))


def _overview(result: ExperimentResult, full: bool) -> Section:
    said = [Paragraph(_reading(one), answer=True) for one in result.comparisons]
    if not said:
        said.append(Paragraph(f"{len(result.points)} settings were measured; none is a variant to be compared."))
    said += [Paragraph(f"Note: {note}.") for note in result.notes]
    planned = result.points[0].queries.planned
    answers = (
        "; answers and verdicts stand in runs of their own" if any(one.generation for one in result.comparisons) else ""
    )
    said.append(Paragraph(f"The same {planned} cases under every setting, with retrieval alone{answers}."))
    shown = [point for point in result.points if point.kind != "grid"]
    table = _points("metrics", f"Before and after, K = {result.k}", shown)
    differences = (brief_table(result, full),) if result.comparisons and (full or len(result.comparisons) > 1) else ()
    return Section("overview", "What changed", (*said, table, *differences))


def _reading(one: Comparison) -> str:
    return f"{one.variant}{_under(one)} ({changes_text(one.changes)}): {one.reading}"


def _under(one: Comparison) -> str:
    if one.embedding_before == one.embedding_after:
        return f" with {one.embedding_after}" if one.embedding_after else ""
    return ""


def _points(name: str, title: str, points: Sequence[PointResult], notes: tuple[str, ...] = ()) -> Table:
    """One row a setting, every metric as a mean with its interval."""
    columns = ("setting", "embedding model", "queries", *METRICS.values())
    rows = tuple(
        (_name(point), point.embedding or "none", point.queries.measured, *(_cell(point, metric) for metric in METRICS))
        for point in points
    )
    told = "Means with 95 % intervals over documents, hit rates with Wilson's. Evidence: share of its characters."
    return Table(name, title, columns, rows, (told, *notes), keys=2)


def _cell(point: PointResult, metric: str) -> Cell:
    if metric == "hit":
        return Rate(point.hit.successes, point.hit.n)
    return mean_cell(point.metrics[metric])


def _sweep(result: ExperimentResult, times: ExperimentTimes, known: dict[str, PointTimes], full: bool) -> Section:
    grid = list(result.points)
    shown = grid if full else _best(grid, times)[:SHOWN_POINTS]
    more = (
        () if len(shown) == len(grid) else (f"{len(shown)} of {len(grid)} settings, the best first; result.md has all",)
    )
    parts: list[Paragraph | Table] = [Paragraph(_choice(len(grid)))]
    if result.left_out:
        parts.append(
            Paragraph(
                f"{len(result.left_out)} settings of the grid exclude each other and are left out: "
                f"{'; '.join(result.left_out[:3])}{' …' if len(result.left_out) > 3 else ''}."
            )
        )
    parts.append(_points("sweep", f"Sweep over {', '.join(result.axes)}", shown, more))
    parts += _front(result, times, known)
    return Section("sweep", "Sweep", tuple(parts))


def _best(points: Sequence[PointResult], times: ExperimentTimes) -> list[PointResult]:
    metric = times.quality or "recall"
    return sorted(points, key=lambda point: -(point.metrics[metric].value or 0.0))


def _choice(count: int) -> str:
    return (
        f"{count} settings side by side. The best of many looks better than it is: confirm it as a variant, "
        "best on cases that took no part in the choice. Without a test no difference here is a finding."
    )


def _front(
    result: ExperimentResult, times: ExperimentTimes, known: dict[str, PointTimes]
) -> Iterator[Paragraph | Table]:
    by_label = {label(point): point for point in result.points}
    if not times.front:
        yield Paragraph("No front can be drawn: quality, index size or query time is not known of any setting.")
        return
    columns = ("", "setting", "embedding model", times.quality, "index", "query, ms", "context, characters")
    rows = []
    for place, name in enumerate(times.front, start=1):
        point = by_label[name]
        size = size_text(point.index.total) if point.index else None
        quality = mean_cell(point.metrics[times.quality])
        rows.append(
            (place, _name(point), point.embedding or "none", quality, size, _ms(known[name].query), point.context.value)
        )
    note = f"No other setting is as good in {times.quality} and as low in {', '.join(times.costs)}, and better in one."
    yield Table("front", "Settings that no other beats", columns, tuple(rows), (note,), keys=2)


def _costs(result: ExperimentResult, times: dict[str, PointTimes], full: bool) -> Section:
    points = list(result.points)
    shown = points if full else points[:SHOWN_POINTS]
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
    notes = [INDEX, TIMES]
    if len(shown) < len(points):
        notes.append(f"{len(shown)} of {len(points)} settings; result.md has all")
    table = Table("costs", "Index size, build time, query time", columns, rows, tuple(notes), keys=2)
    return Section("costs", "What it takes", (table,))


def _cost_row(point: PointResult, times: PointTimes | None) -> tuple[Cell, ...]:
    index = point.index
    sizes: tuple[Cell, ...] = (None,) * 5
    if index:
        parts = (index.vectors, index.sparse, index.texts, index.total)
        sizes = (index.chunks, *map(size_text, parts))
    build = times.build if times else None
    seconds = (build, _ms(times.query) if times else None, _ms(times.embed) if times else None)
    return (_name(point), point.embedding or "none", *sizes, *seconds, point.context.value)


def _name(point: PointResult) -> str:
    return f"{point.name} ({point.also})" if point.also else point.name


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else 1000 * seconds
