"""Two systems side by side: the cases that both answered and that one judge graded, and what fell out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ragtester.results.rows import Result, Results

System = tuple[str, str]
Place = tuple[str, str, str]
"""Suite, technique, case id."""


@dataclass(frozen=True)
class Paired:
    """`pairs` hold (first, second) of one case each; `left_out` counts the other cases of either system by reason."""

    pairs: list[tuple[Result, Result]]
    left_out: dict[str, int]

    def counts(self) -> tuple[int, int, int, int]:
        """Cases that passed with both, with the first alone, with the second alone, and with neither."""
        found = Counter((one.status == "pass", two.status == "pass") for one, two in self.pairs)
        return found[True, True], found[True, False], found[False, True], found[False, False]


def paired(results: Results, first: System, second: System) -> Paired:
    """Pair two systems, each (LLM, embedding model), by case.

    Where a system was asked a case in several runs, rows of the same run make a pair; what then has no partner, or more
    than one, is left out. Rows without a grade and rows that different judges graded make no pair.
    """
    one, two = _by_case(results, first), _by_case(results, second)
    pairs: list[tuple[Result, Result]] = []
    left: Counter[str] = Counter()
    for place in dict.fromkeys((*one, *two)):
        mine, theirs = one.get(place, []), two.get(place, [])
        if len(mine) > 1 or len(theirs) > 1:
            shared = [(a, b) for a in mine for b in theirs if a.run == b.run]
            left["asked in several runs"] += max(len(mine), len(theirs)) - len(shared)
        else:
            shared = [(a, b) for a in mine for b in theirs]
            left["asked of the first only"] += not theirs
            left["asked of the second only"] += not mine
        for a, b in shared:
            reason = _why_not(a, b)
            if reason:
                left[reason] += 1
            else:
                pairs.append((a, b))
    return Paired(pairs, {reason: count for reason, count in sorted(left.items()) if count})


def _by_case(results: Results, system: System) -> dict[Place, list[Result]]:
    found: dict[Place, list[Result]] = {}
    for row in results.of_system(system):
        found.setdefault((results.suite_of(row.run), row.technique, row.case_id), []).append(row)
    return found


def _why_not(first: Result, second: Result) -> str:
    bad: Iterable[tuple[str, Result]] = (("first", first), ("second", second))
    told = [f"{name} {row.status}: {row.reason}" for name, row in bad if not row.graded]
    if told:
        return "; ".join(told)
    return "graded by different judges" if first.judge != second.judge else ""
