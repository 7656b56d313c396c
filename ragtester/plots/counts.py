"""What the plots count, and what stands below them in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from ragtester.results import Result
from ragtester.results.tally import Key, by, count
from ragtester.tables import Rate


def rates(rows: Iterable[Result], key: Callable[[Result], Key], status: Literal["pass", "fail"]) -> dict[Key, Rate]:
    """The share of graded rows that have `status`, by group, in the order the groups are met.

    A group without graded rows has an undefined rate, and is there.
    """
    return {group: one.pass_rate if status == "pass" else one.fail_rate for group, one in by(rows, key).items()}


def type_name(row: Result) -> str:
    """`coverage (multi)`."""
    return f"{row.type} ({row.subtype})" if row.subtype else row.type


def left_out(rows: Iterable[Result]) -> str:
    """What has no grade, for the line below a plot; empty where every row has one."""
    found = count(rows)
    parts = [f"{n:,} {word}" for n, word in ((found.ungraded, "ungraded"), (found.missing, "missing")) if n]
    return f"Left out: {' and '.join(parts)} rows." if parts else ""


def judged_by_rule(rows: Iterable[Result]) -> str:
    """Said wherever the embedded engine judged: it is no language model."""
    return "Judged by rule, not by a language model." if any(row.judge.startswith("embedded:") for row in rows) else ""
