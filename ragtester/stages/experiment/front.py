"""Which points no other beats: as good in quality and in every cost, and better in one. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragtester.records import ExperimentResult, PointResult, PointTimes
from ragtester.stages.experiment.changeable import K

QUALITY = ("evidence", "recall")
"""The first that every point has: only the share of evidence has the same denominator under any chunker."""


SAME = 1.25


@dataclass(frozen=True)
class Offer:
    """A point with its quality (higher is better), its costs (lower is better) and its seconds a query."""

    label: str
    quality: float
    costs: tuple[float, ...]
    seconds: float

    def beats(self, other: Offer) -> bool:
        """No worse in anything, and better in something. Times that differ by less than a quarter count as equal."""
        pairs = [(-self.quality, -other.quality), *zip(self.costs, other.costs, strict=True)]
        if self.seconds > SAME * other.seconds or any(mine > its for mine, its in pairs):
            return False
        return SAME * self.seconds < other.seconds or any(mine < its for mine, its in pairs)


def label(point: PointResult | PointTimes) -> str:
    """Name and embedding model."""
    return f"{point.name} × {point.embedding}" if point.embedding else point.name


def quality_of(points: Sequence[PointResult]) -> str:
    """The metric that all measured points have; empty where none is measured."""
    measured = [point for point in points if point.hit.n]
    for metric in QUALITY:
        if measured and all(point.metrics[metric].value is not None for point in measured):
            return metric
    return ""


def cost_names(result: ExperimentResult) -> tuple[str, ...]:
    """What a point costs. Where K is swept, what a model must read counts too: more chunks are never free."""
    return ("index size", "query time", *(("context",) if K in result.axes else ()))


def front(result: ExperimentResult, times: Mapping[str, PointTimes]) -> tuple[str, ...]:
    """Labels of the points that no other beats, the best first; points without a time or a size are left out."""
    metric = quality_of(result.points)
    offers = [
        found
        for point in result.points
        if (found := _offer(point, times.get(label(point)), metric, result)) is not None
    ]
    best = [one for one in offers if not any(other.beats(one) for other in offers)]
    return tuple(one.label for one in sorted(best, key=lambda one: (-one.quality, one.costs, one.label)))


def _offer(point: PointResult, times: PointTimes | None, metric: str, result: ExperimentResult) -> Offer | None:
    quality = point.metrics[metric].value if metric else None
    if quality is None or point.index is None or times is None or times.query is None:
        return None
    costs: list[float] = [point.index.total]
    if "context" in cost_names(result):
        costs.append(point.context.value or 0.0)
    return Offer(label(point), quality, tuple(costs), times.query)
