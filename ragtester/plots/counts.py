"""What the plots count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from ragtester.results import Result
from ragtester.tables import Rate

Key = TypeVar("Key", bound=Hashable)


def rates(rows: Iterable[Result], key: Callable[[Result], Key], status: str) -> dict[Key, Rate]:
    """The share of graded rows that have `status`, by group, in the order the groups are met.

    A group without graded rows has an undefined rate, and is there.
    """
    wanted: Counter[Key] = Counter()
    graded: dict[Key, int] = {}
    for row in rows:
        group = key(row)
        graded[group] = graded.get(group, 0) + row.graded
        wanted[group] += row.status == status
    return {group: Rate(wanted[group], n) for group, n in graded.items()}


def type_name(row: Result) -> str:
    """`coverage (multi)`."""
    return f"{row.type} ({row.subtype})" if row.subtype else row.type


def left_out(rows: Iterable[Result]) -> str:
    """What has no grade, for the line below a plot; empty where every row has one."""
    count = Counter(row.status for row in rows)
    parts = [f"{count[status]:,} {status}" for status in ("ungraded", "missing") if count[status]]
    return f"Left out: {' and '.join(parts)} rows." if parts else ""


def judged_by_rule(rows: Iterable[Result]) -> str:
    """Said wherever the embedded engine judged: it is no language model."""
    return "Judged by rule, not by a language model." if any(row.judge.startswith("embedded:") for row in rows) else ""
