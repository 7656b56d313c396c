"""A document of sections, each with sentences and tables. What a number means is data, apart from how it is printed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite

from ragtester.statistics import Interval, wilson


@dataclass(frozen=True)
class Rate:
    """A share with its count: `successes` of `n`. Printed with its Wilson interval; "0/0 = n/a" for nothing."""

    successes: int
    n: int

    def __post_init__(self) -> None:
        if not 0 <= self.successes <= self.n:
            raise ValueError(f"{self.successes} successes of {self.n}")

    @property
    def share(self) -> float | None:
        """`successes / n`; None for an empty denominator."""
        return self.successes / self.n if self.n else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's 95 % interval."""
        return wilson(self.successes, self.n)


@dataclass(frozen=True)
class Estimate:
    """A number with its interval and the count it rests on, such as a difference from a bootstrap.

    `value` and `interval` are in `unit` and printed as they are: a difference of shares of 0.062 is given as 6.2 with
    the unit "points" (percentage points; printed with its sign), dollars have the unit "$", seconds "s". `signed` asks
    for the sign in other units too. `of` says what `n` counts ("answers"): it then always stands with its count.
    `decimals` are those printed; None leaves them to the size of the number.
    """

    value: float
    n: int
    interval: Interval | None = None
    unit: str = ""
    signed: bool = False
    of: str = ""
    decimals: int | None = None

    def __post_init__(self) -> None:
        ends = (self.interval.low, self.interval.high) if self.interval else ()
        if not all(isfinite(number) for number in (self.value, *ends)):
            raise ValueError("an estimate is a finite number; undefined is None")


@dataclass(frozen=True)
class PValue:
    """The p-value of a test: printed as "0.034", or "<0.001" where more digits would say nothing."""

    value: float

    def __post_init__(self) -> None:
        if not 0 <= self.value <= 1:
            raise ValueError(f"a p-value of {self.value}")


Cell = str | int | float | Rate | Estimate | PValue | None
"""A cell. None is printed as "n/a": undefined, never 0."""


@dataclass(frozen=True)
class Table:
    """`id` is also the file's name. Every row has one cell a column; the first `keys` columns name the row.

    They are repeated where a wide table goes on below itself. With `whole_names` names that are too long for their
    column on a terminal go over lines and are never cut.
    """

    id: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    keys: int = 1
    whole_names: bool = False

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table {self.id}: a row of {len(row)} cells under {len(self.columns)} columns")
            if not all(isfinite(cell) for cell in row if isinstance(cell, float)):
                raise ValueError(f"table {self.id}: a number that is not finite; undefined is None")

    def without_empty(self, *columns: str) -> Table:
        """The table without those of the columns in which no row has anything: undefined, 0, or a rate of nothing."""
        dropped = [
            at
            for at, name in enumerate(self.columns)
            if name in columns and all(_is_empty(row[at]) for row in self.rows)
        ]
        if not dropped:
            return self
        kept = [at for at in range(len(self.columns)) if at not in dropped]
        rows = tuple(tuple(row[at] for at in kept) for row in self.rows)
        return replace(self, columns=tuple(self.columns[at] for at in kept), rows=rows)


def _is_empty(cell: Cell) -> bool:
    return not cell.n if isinstance(cell, Rate) else cell is None or cell == 0


@dataclass(frozen=True)
class Paragraph:
    """A sentence or two that state something with its count, interval and test.

    `answer` marks what its section comes to: a summary repeats it.
    """

    text: str
    answer: bool = False


@dataclass(frozen=True)
class Section:
    """A heading with its paragraphs and tables, in order."""

    id: str
    title: str
    parts: tuple[Paragraph | Table, ...]

    @property
    def tables(self) -> Iterator[Table]:
        """The section's tables, in order."""
        return (part for part in self.parts if isinstance(part, Table))


@dataclass(frozen=True)
class Document:
    """What a command prints or writes."""

    title: str
    sections: tuple[Section, ...]

    @property
    def tables(self) -> Iterator[Table]:
        """All tables, in order."""
        return (table for section in self.sections for table in section.tables)

    def table(self, table_id: str) -> Table:
        """The first table of this id; raises KeyError where there is none."""
        for table in self.tables:
            if table.id == table_id:
                return table
        raise KeyError(table_id)
