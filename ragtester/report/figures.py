"""What a report measures besides counts: why rows have no grade, and where measured values lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ragtester.results import Result
from ragtester.stages.compare.offers import quantile


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
