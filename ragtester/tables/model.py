"""A document of sections, each with sentences and tables. What a number means is data, apart from how it is printed."""

from __future__ import annotations

from dataclasses import dataclass

from ragtester.statistics import Interval, wilson


@dataclass(frozen=True)
class Rate:
    """A share with its count: `successes` of `n`. Printed with its Wilson interval; "0/0 = n/a" for nothing."""

    successes: int
    n: int

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
    """A number with its interval and the count it rests on, such as a difference from a bootstrap."""

    value: float
    n: int
    interval: Interval | None = None
    unit: str = ""


Cell = str | int | float | Rate | Estimate | None
"""A cell. None is printed as "n/a": undefined, never 0."""


@dataclass(frozen=True)
class Table:
    """`id` is also the file's name. Every row has one cell a column; the first column names the row."""

    id: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table {self.id}: a row of {len(row)} cells under {len(self.columns)} columns")


@dataclass(frozen=True)
class Paragraph:
    """A sentence or two that state an answer with its count, interval and test."""

    text: str


@dataclass(frozen=True)
class Section:
    """A heading with its paragraphs and tables, in order."""

    id: str
    title: str
    parts: tuple[Paragraph | Table, ...]


@dataclass(frozen=True)
class Document:
    """What a command prints or writes."""

    title: str
    sections: tuple[Section, ...]
