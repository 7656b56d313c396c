"""How long queries took: beside the results, for no result depends on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median


@dataclass
class Times:
    """Batches of queries, each as their number and seconds.

    `searched`: comparing questions that are embedded with every arm's index. `routed`: what follows, from the floors
    to the packing.
    """

    searched: list[tuple[int, float]] = field(default_factory=list)
    routed: list[tuple[int, float]] = field(default_factory=list)

    def query(self) -> float | None:
        """Seconds of a query, median over the batches; None where none was searched."""
        parts = [median_each(self.searched), median_each(self.routed)]
        known = [part for part in parts if part is not None]
        return sum(known) if known else None


def median_each(batches: list[tuple[int, float]]) -> float | None:
    """Median over batches of the seconds for one; None where there is no batch."""
    each = [seconds / count for count, seconds in batches if count]
    return median(each) if each else None
