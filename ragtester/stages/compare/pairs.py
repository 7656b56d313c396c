"""Two systems on the cases that both were asked and the same judge graded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from ragtester.stages.compare.view import CaseKey, Grade, System, View
from ragtester.stages.compare.words import LEVEL, of_group, points
from ragtester.statistics import Test, cluster_bootstrap_difference, holm, mcnemar, paired_cases_needed
from ragtester.tables import Cell, Estimate, PValue, Rate, Table


@dataclass
class Pair:
    """`only_first` cases failed with the first alone, `only_second` with the second alone."""

    first: System
    second: System
    cases: int
    both: int
    only_first: int
    only_second: int
    test: Test
    corrected: float = 1.0
    other_judge: int = 0
    difference: Estimate | None = None

    @property
    def told_apart(self) -> bool:
        """Whether the difference holds after Holm's correction."""
        return self.corrected < LEVEL

    @property
    def by_cases_only(self) -> bool:
        """Told apart by cases, but not by documents: the interval from resampling them includes no difference."""
        ends = self.difference.interval if self.difference else None
        return self.told_apart and ends is not None and ends.low <= 0 <= ends.high

    @property
    def missing_cases(self) -> int | None:
        """How many more cases a test alone would need to see this difference; None where none is seen."""
        found = paired_cases_needed(self.only_first, self.only_second, self.cases) if self.cases else None
        return None if found is None else max(0, found - self.cases)

    @property
    def rates(self) -> tuple[Rate, Rate]:
        """What each failed of the common cases."""
        return Rate(self.both + self.only_first, self.cases), Rate(self.both + self.only_second, self.cases)


@dataclass
class Family:
    """Every pair of the systems, with the corrected p-values."""

    systems: Sequence[System]
    pairs: dict[tuple[System, System], Pair] = field(default_factory=dict)

    def of(self, first: System, second: System) -> Pair | None:
        """The pair in either order; None where the two have no common graded case."""
        return self.pairs.get((first, second)) or self.pairs.get((second, first))

    def ranks(self, system: System) -> tuple[int, int]:
        """The best and the worst rank that the data leave open."""
        better = worse = 0
        for other in self.systems:
            pair = self.of(system, other) if other != system else None
            if pair is None or not pair.told_apart:
                continue
            more = pair.only_first > pair.only_second
            if (pair.first == system) == more:
                better += 1
            else:
                worse += 1
        return 1 + better, len(self.systems) - worse


@dataclass(frozen=True)
class _Marks:
    """Cases of one system as numbers, so that set operations count a pair: a case as such, and with its judge."""

    cases: frozenset[int]
    graded: frozenset[int]
    failed: frozenset[int]

    @classmethod
    def of(cls, grades: Mapping[CaseKey, Grade], numbers: dict[object, int]) -> _Marks:
        def number(of: object) -> int:
            return numbers.setdefault(of, len(numbers))

        return cls(
            frozenset(map(number, grades)),
            frozenset(number((key, grade.judge)) for key, grade in grades.items()),
            frozenset(number((key, grade.judge)) for key, grade in grades.items() if grade.failed),
        )


def make_family(view: View, systems: Sequence[System]) -> Family:
    """McNemar's exact test of every pair, Holm's correction over all of them."""
    found = Family(systems)
    numbers: dict[object, int] = {}
    marks = [(system, _Marks.of(view.graded[system], numbers)) for system in systems]
    for (first, mine), (second, theirs) in combinations(marks, 2):
        pair = _pair((first, mine), (second, theirs))
        if pair.cases:
            found.pairs[first, second] = pair
    corrected = holm({str(number): pair.test.p for number, pair in enumerate(found.pairs.values())})
    for pair, p in zip(found.pairs.values(), corrected.values(), strict=True):
        pair.corrected = p
    return found


def compare_pair(view: View, first: System, second: System) -> Pair:
    """Count the four ways in which a case can end; the p-value is not corrected."""
    numbers: dict[object, int] = {}
    one, two = ((system, _Marks.of(view.graded[system], numbers)) for system in (first, second))
    return _pair(one, two)


def _pair(first: tuple[System, _Marks], second: tuple[System, _Marks]) -> Pair:
    (one, mine), (two, theirs) = first, second
    cases = len(mine.graded & theirs.graded)
    both = len(mine.failed & theirs.failed)
    b, c = len(mine.failed & theirs.graded) - both, len(theirs.failed & mine.graded) - both
    other_judge = len(mine.cases & theirs.cases) - cases
    return Pair(one, two, cases, both, b, c, mcnemar(b, c), other_judge=other_judge)


def pair_difference(view: View, pair: Pair, seed: int) -> Estimate | None:
    """Failure rate of the first minus that of the second on their common cases, documents resampled; None for none."""
    if not pair.cases:
        return None
    one, two = view.graded[pair.first], view.graded[pair.second]
    groups: dict[str, list[tuple[float | None, float | None]]] = {}
    for key in common(view, pair.first, pair.second):
        groups.setdefault(one[key].document, []).append((float(one[key].failed), float(two[key].failed)))
    interval = cluster_bootstrap_difference(groups, seed)
    return points((pair.only_first - pair.only_second) / pair.cases, pair.cases, interval)


def common(view: View, first: System, second: System) -> list[CaseKey]:
    """Cases that the same judge graded for both."""
    one, two = view.graded[first], view.graded[second]
    return [key for key, grade in one.items() if key in two and two[key].judge == grade.judge]


def pairs_table(family: Family, shown: Sequence[Pair], mark: str = "") -> Table:
    """One row a pair; their differences are measured before."""
    rows: list[tuple[Cell, ...]] = []
    for pair in shown:
        test = pair.test
        rows.append(
            (
                pair.first.name,
                pair.second.name,
                *pair.rates,
                pair.difference,
                pair.only_first,
                pair.only_second,
                Estimate(test.effect, test.n, test.interval) if test.effect is not None else None,
                PValue(test.p),
                PValue(pair.corrected),
                "by cases only" if pair.by_cases_only else "yes" if pair.told_apart else "no",
                0 if pair.told_apart else pair.missing_cases,
            )
        )
    columns = (
        "first",
        "second",
        "first failed",
        "second failed",
        "difference",
        "only first failed",
        "only second failed",
        "odds ratio",
        "p",
        "p (Holm)",
        "told apart",
        "more cases needed",
    )
    note = (
        f"McNemar's exact test on the cases that both were asked, a family of {len(family.pairs)} pairs corrected by "
        "Holm. Differences in percentage points with a bootstrap over documents. By cases only: "
        "that interval includes 0, so that other documents may not show it. More cases needed: for 80 % power at 5 % "
        "in a single test, were cases independent; n/a where no difference is seen."
    )
    notes = [note]
    if len(shown) < len(family.pairs):
        notes.append(f"Shown are the {len(shown)} pairs with the first of the ranking, of {len(family.pairs)}.")
    left_out = sum(pair.other_judge for pair in shown)
    if left_out:
        notes.append(f"{left_out} pairs of answers were graded by different judges and are left out.")
    title = f"Systems against each other, on the same cases{of_group(mark)}"
    return Table(f"pairs{mark}", title, columns, tuple(rows), tuple(notes), keys=2)
