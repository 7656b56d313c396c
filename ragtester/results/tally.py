"""Counts of joined rows: how many of a group passed, failed, were not graded or are missing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from ragtester.results.rows import Result
from ragtester.tables import Rate

Key = TypeVar("Key", bound=Hashable)


@dataclass
class Tally:
    """Rows of one group. Only `passed` and `failed` are graded; the others are counted beside every rate."""

    passed: int = 0
    failed: int = 0
    ungraded: int = 0
    missing: int = 0

    def add(self, row: Result) -> None:
        """Count one row."""
        if row.status == "pass":
            self.passed += 1
        elif row.status == "fail":
            self.failed += 1
        elif row.status == "ungraded":
            self.ungraded += 1
        else:
            self.missing += 1

    @property
    def graded(self) -> int:
        """The denominator of every rate."""
        return self.passed + self.failed

    @property
    def left_out(self) -> int:
        """Rows that count in no rate."""
        return self.ungraded + self.missing

    @property
    def planned(self) -> int:
        """All rows."""
        return self.graded + self.left_out

    def merge(self, other: Tally) -> None:
        """Count another tally's rows too."""
        self.passed += other.passed
        self.failed += other.failed
        self.ungraded += other.ungraded
        self.missing += other.missing

    @property
    def pass_rate(self) -> Rate:
        """Passed of graded; undefined where nothing is graded."""
        return Rate(self.passed, self.graded)

    @property
    def fail_rate(self) -> Rate:
        """Failed of graded; undefined where nothing is graded."""
        return Rate(self.failed, self.graded)


def count(rows: Iterable[Result]) -> Tally:
    """All rows as one group."""
    found = Tally()
    for row in rows:
        found.add(row)
    return found


def by(rows: Iterable[Result], key: Callable[[Result], Key]) -> dict[Key, Tally]:
    """Rows by group, in the order the groups are met."""
    found: dict[Key, Tally] = {}
    for row in rows:
        found.setdefault(key(row), Tally()).add(row)
    return found
