"""Means over queries as the audit's records keep them. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ragtester.records import MeanValue
from ragtester.stages.means import mean_record
from ragtester.statistics.means import mean


def mean_value(values: Iterable[tuple[str, float | None]]) -> MeanValue:
    """The mean of (document, value) pairs; a value of None is undefined: it is left out and not counted."""
    pairs = list(values)
    return mean_record(mean([value for _, value in pairs], [document for document, _ in pairs]))
