"""A mean as the records of the audits keep it, and as a cell of a table. Pure."""

from __future__ import annotations

from ragtester.records import MeanValue
from ragtester.statistics import Interval, Quantity
from ragtester.tables import Estimate

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


def mean_cell(one: MeanValue, *, signed: bool = False) -> Estimate | None:
    """The mean of shares of 0 to 1 as a table prints it, to three decimals; `signed` for a difference."""
    if one.value is None:
        return None
    ends = Interval(one.low, one.high) if one.low is not None and one.high is not None else None
    return Estimate(one.value, one.n, ends, signed=signed, decimals=3)
