"""Settings as rows of a table: every metric as a mean with its interval."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.records import PointResult
from ragtester.stages.means import mean_cell
from ragtester.stages.proportions import rate_cell
from ragtester.stages.query_values import METRICS
from ragtester.tables import Cell, Table


def points_table(name: str, title: str, points: Sequence[PointResult]) -> Table:
    """One row a setting."""
    columns = ("setting", "embedding model", "queries", *METRICS.values())
    rows = tuple(
        (named(point), point.embedding or "none", point.queries.measured, *(_cell(point, metric) for metric in METRICS))
        for point in points
    )
    told = "Means with 95 % intervals over documents, hit rates with Wilson's. Evidence: share of its characters."
    return Table(name, title, columns, rows, (told,), keys=2)


def _cell(point: PointResult, metric: str) -> Cell:
    return rate_cell(point.hit) if metric == "hit" else mean_cell(point.metrics[metric])


def named(point: PointResult) -> str:
    """A point's name, with that on the grid where it has another."""
    return f"{point.name} ({point.also})" if point.also else point.name


def milliseconds(seconds: float | None) -> float | None:
    """Seconds in thousandths."""
    return None if seconds is None else 1000 * seconds
