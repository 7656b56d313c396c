"""The settings of a sweep side by side: all of them, or the front and the ten best in short."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ragtester.records import ExperimentResult, ExperimentTimes, PointResult, PointTimes
from ragtester.stages.experiment.front import label
from ragtester.stages.experiment.points_table import milliseconds, named, points_table
from ragtester.stages.experiment.words import short_name, size_text
from ragtester.stages.means import mean_cell
from ragtester.stages.query_values import METRICS
from ragtester.tables import Cell, Paragraph, Section, Table

BEST = 10
"""Settings that the terminal shows of the front, and of all."""


def sweep_section(result: ExperimentResult, times: ExperimentTimes, *, full: bool) -> Section:
    """What the grid found; without `full` the front and the ten best."""
    known = {label(one): one for one in times.points}
    count = len(result.points)
    parts: list[Paragraph | Table] = [Paragraph(_choice(count))]
    if result.left_out:
        parts.append(
            Paragraph(
                f"{len(result.left_out)} settings of the grid exclude each other and are left out: "
                f"{'; '.join(result.left_out[:3])}{' …' if len(result.left_out) > 3 else ''}."
            )
        )
    if full:
        parts.append(points_table("sweep", f"Sweep over {', '.join(result.axes)}", result.points))
    parts += _front(result, times, known, full)
    if not full:
        best = _best(result.points, times)[:BEST]
        title = f"The {len(best)} best of {count} settings by {_quality(times)}, and the baseline"
        more = "All settings, all metrics, index sizes and build times: --full, result.md, tables/*.csv."
        best += [point for point in result.points if point.kind == "baseline" and point not in best]
        parts.append(_brief("best", title, best, times, known, (more,)))
    return Section("sweep", "Sweep", tuple(parts))


def _choice(count: int) -> str:
    return (
        f"{count} settings side by side. The best of many looks better than it is: confirm it as a variant, "
        "best on cases that took no part in the choice. Without a test no difference here is a finding."
    )


def _quality(times: ExperimentTimes) -> str:
    return times.quality or "recall"


def _best(points: Sequence[PointResult], times: ExperimentTimes) -> list[PointResult]:
    return sorted(points, key=lambda point: -(point.metrics[_quality(times)].value or 0.0))


def _front(
    result: ExperimentResult, times: ExperimentTimes, known: Mapping[str, PointTimes], full: bool
) -> Iterator[Paragraph | Table]:
    if not times.front:
        yield Paragraph("No front can be drawn: quality, index size or query time is not known of any setting.")
        return
    by_label = {label(point): point for point in result.points}
    points = [by_label[name] for name in times.front]
    shown = points if full else points[:BEST]
    note = f"No other setting is as good in {times.quality} and as low in {', '.join(times.costs)}, and better in one."
    cut = (f"{len(shown)} of {len(points)} settings.",) if len(shown) < len(points) else ()
    yield _brief("front", "Settings that no other beats", shown, times, known, (note, *cut))


def _brief(
    name: str,
    title: str,
    points: Sequence[PointResult],
    times: ExperimentTimes,
    known: Mapping[str, PointTimes],
    notes: tuple[str, ...],
) -> Table:
    """One short row a setting; the embedding model has a column where there are several."""
    models = dict.fromkeys(point.embedding or "none" for point in points)
    several = len(models) > 1
    quality = _quality(times)
    columns = ["setting", *(["embedding model"] if several else []), quality]
    columns += [METRICS[metric] for metric in ("recall", "reciprocal_rank") if metric != quality]
    reads = "context" in times.costs
    columns += ["index", "query, ms", *(["context, characters"] if reads else [])]
    rows = []
    for point in points:
        context = (point.context.value,) if reads else ()
        rows.append((*_brief_row(point, quality, known.get(label(point)), several), *context))
    under = "" if several else f" Embedding model: {next(iter(models), 'none')}."
    told = f"Means over queries, {quality} with its 95 % interval over documents.{under}"
    return Table(name, title, tuple(columns), tuple(rows), (told, *notes), keys=2 if several else 1)


def _brief_row(point: PointResult, quality: str, times: PointTimes | None, several: bool) -> tuple[Cell, ...]:
    name = short_name(point.changes) if point.kind == "grid" else named(point)
    size = size_text(point.index.total) if point.index else None
    return (
        name,
        *((point.embedding or "none",) if several else ()),
        mean_cell(point.metrics[quality]),
        *(point.metrics[metric].value for metric in ("recall", "reciprocal_rank") if metric != quality),
        size,
        milliseconds(times.query) if times else None,
    )
