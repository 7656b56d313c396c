"""Counts of a report: how many rows of a group passed, failed, were not graded or are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from ragtester.results import Result
from ragtester.stages.compare.offers import quantile
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
    def pass_rate(self) -> Rate:
        """Passed of graded."""
        return Rate(self.passed, self.graded)

    @property
    def fail_rate(self) -> Rate:
        """Failed of graded."""
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


def type_name(type_: str, subtype: str) -> str:
    """`coverage (multi)`."""
    return f"{type_} ({subtype})" if subtype else type_


def reasons(rows: Iterable[Result]) -> Counter[tuple[str, str]]:
    """Why rows have no grade: status and reason, with counts."""
    return Counter((row.status, row.reason) for row in rows if not row.graded)


@dataclass(frozen=True)
class Spread:
    """Measured values of one group: how many, how many rows without a value, and where they lie."""

    n: int
    unknown: int
    total: float = 0.0
    p10: float | None = None
    middle: float | None = None
    p90: float | None = None


@dataclass
class Values:
    """Collects values, None for a row that was not measured."""

    values: list[float] = field(default_factory=list)
    unknown: int = 0

    def add(self, value: float | None) -> None:
        """Take one row's value."""
        if value is None:
            self.unknown += 1
        else:
            self.values.append(value)

    def spread(self) -> Spread:
        """Each percentile is the smallest value that at least so many of the values do not exceed."""
        ends = [quantile(self.values, share) for share in (0.1, 0.5, 0.9)]
        return Spread(len(self.values), self.unknown, sum(self.values), *ends)
