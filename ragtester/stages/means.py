"""A mean as the records of the audits keep it. Pure."""

from __future__ import annotations

from ragtester.records import MeanValue
from ragtester.statistics import Quantity

DIGITS = 6


def mean_record(found: Quantity | None) -> MeanValue:
    """A mean with its interval, rounded to six digits; undefined where there is nothing."""
    if found is None:
        return MeanValue()
    ends = found.interval
    return MeanValue(
        value=round(found.value, DIGITS),
        n=found.n,
        low=round(ends.low, DIGITS) if ends else None,
        high=round(ends.high, DIGITS) if ends else None,
    )
