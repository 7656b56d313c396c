"""Means over queries as the audit's records keep them. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ragtester.records import MeanValue
from ragtester.statistics.means import mean

DIGITS = 6


def mean_value(values: Iterable[tuple[str, float | None]]) -> MeanValue:
    """The mean of (document, value) pairs; a value of None is undefined: it is left out and not counted."""
    pairs = list(values)
    found = mean([value for _, value in pairs], [document for document, _ in pairs])
    if found is None:
        return MeanValue()
    ends = found.interval
    return MeanValue(
        value=round(found.value, DIGITS),
        n=found.n,
        low=round(ends.low, DIGITS) if ends else None,
        high=round(ends.high, DIGITS) if ends else None,
    )
