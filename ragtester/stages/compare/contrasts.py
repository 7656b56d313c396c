"""Two techniques, or two corpus sources, set against each other: other cases, the same systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ragtester.results.tally import Tally
from ragtester.stages.compare.view import Place, System, View
from ragtester.stages.compare.words import LEVEL, points
from ragtester.statistics import (
    Interval,
    Test,
    cluster_bootstrap_difference,
    fisher,
    holm,
    rate_difference,
    unpaired_cases_needed,
    vargha_delaney,
)
from ragtester.tables import Cell, Estimate, PValue, Table

Side = Callable[[Place], str]


@dataclass
class Contrast:
    """`first` against `second`, over the systems that have graded answers of both.

    `test` ranks cases by the share of systems that failed them, so that one case counts once however many systems were
    asked; `interval` is that of the difference of the failure rates, documents resampled.
    """

    first: str
    second: str
    by_system: dict[System, tuple[Tally, Tally]] = field(default_factory=dict)
    one_sided: list[System] = field(default_factory=list)
    tests: dict[System, Test] = field(default_factory=dict)
    corrected: dict[System, float] = field(default_factory=dict)
    family: int = 0
    totals: tuple[Tally, Tally] = field(default_factory=lambda: (Tally(), Tally()))
    interval: Interval | None = None
    test: Test | None = None
    documents: tuple[int, int] = (0, 0)

    @property
    def difference(self) -> float | None:
        """Failure rate of the first minus that of the second."""
        one, two = self.totals[0].fail_rate.share, self.totals[1].fail_rate.share
        return None if one is None or two is None else one - two

    @property
    def estimate(self) -> Estimate | None:
        """The difference in points with its interval over documents."""
        n = self.totals[0].graded + self.totals[1].graded
        return None if self.difference is None else points(self.difference, n, self.interval)

    @property
    def told_apart(self) -> bool:
        """Whether the interval over documents excludes no difference."""
        return self.interval is not None and (self.interval.low > 0 or self.interval.high < 0)

    def wins(self, sign: int) -> list[System]:
        """Systems with more failures of the first (`sign` 1), of the second (-1), or as many (0)."""
        return [system for system in self.by_system if self._sign(system) == sign]

    def significant(self, sign: int) -> list[System]:
        """Those of `wins` that hold after Holm's correction."""
        return [system for system in self.wins(sign) if self.corrected[system] < LEVEL]

    def needed(self) -> int | None:
        """Cases a side at which the observed shares would be told apart, were cases independent."""
        one, two = self.totals[0].fail_rate.share, self.totals[1].fail_rate.share
        return None if one is None or two is None else unpaired_cases_needed(one, two)

    def _sign(self, system: System) -> int:
        one, two = (tally.fail_rate.share or 0.0 for tally in self.by_system[system])
        return (one > two) - (one < two)


def make_contrast(view: View, side: Side, names: tuple[str, str], seed: int) -> Contrast:
    """Compare the places whose `side` is the first name with those of the second."""
    found = Contrast(*names)
    cells = view.by(lambda place: (place.system, side(place)), lambda place: side(place) in names)
    for system in view.systems:
        pair = tuple(cells.get((system, name), Tally()) for name in names)
        if all(tally.graded for tally in pair):
            found.by_system[system] = (pair[0], pair[1])
        elif any(tally.planned for tally in pair):
            found.one_sided.append(system)
    for system, (first, second) in found.by_system.items():
        found.tests[system] = fisher(first.failed, first.passed, second.failed, second.passed)
        for total, tally in zip(found.totals, (first, second), strict=True):
            total.merge(tally)
    correct_together([found])
    _overall(found, view, side, seed)
    return found


def correct_together(contrasts: Sequence[Contrast]) -> int:
    """Holm's correction over the tests of all the contrasts, one family; gives its size."""
    tests = [test for contrast in contrasts for test in contrast.tests.values()]
    ps = {str(number): test.p for number, test in enumerate(tests)}
    corrected = iter(holm(ps).values())
    for contrast in contrasts:
        contrast.corrected = {system: next(corrected) for system in contrast.tests}
        contrast.family = len(ps)
    return len(ps)


def _overall(found: Contrast, view: View, side: Side, seed: int) -> None:
    """The test over cases and the interval over documents."""
    pairs: dict[str, list[tuple[float | None, float | None]]] = {}
    sides: tuple[set[str], set[str]] = (set(), set())
    cases: tuple[dict[tuple[str, str], list[bool]], ...] = ({}, {})
    names = (found.first, found.second)
    for system in found.by_system:
        asked = view.asked[system]
        for key, grade in view.graded[system].items():
            name = side(asked[key])
            if name not in names:
                continue
            value = float(grade.failed)
            pairs.setdefault(grade.document, []).append((value, None) if name == found.first else (None, value))
            cases[names.index(name)].setdefault(key, []).append(grade.failed)
            sides[names.index(name)].add(grade.document)
    found.documents = (len(sides[0]), len(sides[1]))
    if found.by_system:
        found.interval = cluster_bootstrap_difference(pairs, seed)
        one, two = ([sum(failed) / len(failed) for failed in side_cases.values()] for side_cases in cases)
        found.test = vargha_delaney(one, two)


def contrast_table(contrast: Contrast, table_id: str, title: str) -> Table:
    """One row a system, and the total with its interval over documents."""
    first, second = contrast.first, contrast.second
    columns = ("system", first, second, "difference", "odds ratio", "p", "p (Holm)")
    rows: list[tuple[Cell, ...]] = []
    for system, (one, two) in contrast.by_system.items():
        test = contrast.tests[system]
        n = one.graded + two.graded
        difference = (one.fail_rate.share or 0.0) - (two.fail_rate.share or 0.0)
        odds = Estimate(test.effect, n, test.interval) if test.effect is not None else None
        rows.append(
            (
                system.name,
                one.fail_rate,
                two.fail_rate,
                points(difference, n, _newcombe(one, two)),
                odds,
                PValue(test.p),
                PValue(contrast.corrected[system]),
            )
        )
    total: Sequence[Cell] = (
        "total",
        contrast.totals[0].fail_rate,
        contrast.totals[1].fail_rate,
        contrast.estimate,
        None,
        None,
        None,
    )
    note = (
        f"One Fisher exact test a system, a family of {contrast.family}, corrected by Holm. Differences in "
        "percentage points: by system with Newcombe's interval, in the total with a bootstrap over documents. "
        "The odds ratio is that of failing."
    )
    return Table(table_id, title, columns, (*rows, tuple(total)), (note,))


def _newcombe(one: Tally, two: Tally) -> Interval | None:
    found = rate_difference((one.failed, one.graded), (two.failed, two.graded))
    return found.interval if found else None
