"""How much worse a figure may get. Pure."""

from __future__ import annotations

from math import inf

from ragtester.records import Moved
from ragtester.settings import DriftSettings
from ragtester.stages.drift.figure_values import Figure

_SLACK = 1e-9
_RELATIVE = ("seconds", "usd")


def judged(figure: Figure, record: Moved, settings: DriftSettings) -> Moved:
    """The figure with its threshold, whether it was passed, and whether that is no more than noise.

    A breach is a change for the worse by more than the threshold that repeats of the same run do not show as well. A
    change that was not measured against repeats is judged by its size alone.
    """
    threshold = getattr(settings, figure.name, None)
    difference = record.difference or 0.0
    exceeded = threshold is not None and _passed(figure, record, difference, threshold)
    noise = record.band is not None and 0 < abs(difference) <= record.band + _SLACK
    return record.model_copy(
        update={
            "threshold": threshold,
            "exceeded": exceeded,
            "within_noise": noise,
            "breach": exceeded and not noise,
        }
    )


def reach(figure: Figure, record: Moved) -> float:
    """How far a figure went for the worse, on the scale of its threshold."""
    worse = figure.worse * (record.difference or 0.0)
    if record.unit not in _RELATIVE or worse <= 0:
        return worse
    return worse / record.before if record.before else inf


def _passed(figure: Figure, record: Moved, difference: float, threshold: float) -> bool:
    worse = figure.worse * difference
    if record.unit in _RELATIVE:
        return worse > threshold * (record.before or 0.0) + _SLACK
    return worse > threshold + _SLACK
