"""A share as the records of the audits keep it, and as a cell of a table. Pure."""

from __future__ import annotations

from ragtester.records import Proportion
from ragtester.statistics import format_rate, wilson
from ragtester.tables import Rate


def proportion(successes: int, n: int) -> Proportion:
    """`successes` of `n` with Wilson's interval, rounded to six digits."""
    interval = wilson(successes, n)
    if interval is None:
        return Proportion(successes=successes, n=n)
    low, high = round(interval.low, 6), round(interval.high, 6)
    return Proportion(successes=successes, n=n, share=round(successes / n, 6), low=low, high=high)


def rate_cell(share: Proportion) -> Rate:
    """The share as a table prints it."""
    return Rate(share.successes, share.n)


def rate_text(share: Proportion) -> str:
    """The share as a sentence has it: count, per cent and interval."""
    return format_rate(share.successes, share.n)
