"""Which systems fail on the same cases. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from ragtester.stages.compare.view import CaseKey, System, View
from ragtester.stages.compare.words import plural
from ragtester.statistics import format_rate
from ragtester.tables import Cell, Paragraph, Rate, Table

MOST_SYSTEMS = 24
MOST_PAIRS = 20
Graded = tuple[CaseKey, str]
"""A case and the judge that graded the answer: verdicts of two judges are not set side by side."""


@dataclass(frozen=True)
class Pair:
    """Failures of two systems on the cases that the same judge graded for both."""

    first: str
    second: str
    common: int
    both: int
    only_first: int
    only_second: int

    @property
    def either(self) -> int:
        """Cases that at least one fails."""
        return self.both + self.only_first + self.only_second

    @property
    def jaccard(self) -> Rate:
        """Cases that both fail, of those that at least one fails."""
        return Rate(self.both, self.either)

    @property
    def by_chance(self) -> float | None:
        """Cases that both would fail if their failures had nothing to do with each other."""
        failed = (self.both + self.only_first) * (self.both + self.only_second)
        return failed / self.common if self.common else None


def system_parts(view: View) -> Iterator[Paragraph | Table]:
    """Sentences, the matrix of all systems, and their pairs; S1 is the system with most failures."""
    if len(view.systems) < 2:
        yield Paragraph("Fewer than two systems: there is no other to overlap with.")
        return
    pairs = list(system_pairs(view))
    yield Paragraph(" ".join(_sentences(view, pairs)))
    failed = {system: sum(grade.failed for grade in view.graded[system].values()) for system in view.systems}
    order = sorted(view.systems, key=lambda system: (-failed[system], system.name))
    labels = {system.name: f"S{number}" for number, system in enumerate(order, start=1)}
    if len(order) > 2:
        yield _matrix(view, order, labels, pairs)
    yield _pairs(pairs, labels)


def system_pairs(view: View) -> Iterator[Pair]:
    """Every two systems in the order they were met."""
    graded: dict[System, set[Graded]] = {}
    failed: dict[System, set[Graded]] = {}
    for system, grades in view.graded.items():
        graded[system] = {(key, grade.judge) for key, grade in grades.items()}
        failed[system] = {(key, grade.judge) for key, grade in grades.items() if grade.failed}
    for first, second in combinations(view.systems, 2):
        common = graded[first] & graded[second]
        one, other = failed[first] & common, failed[second] & common
        yield Pair(first.name, second.name, len(common), len(one & other), len(one - other), len(other - one))


def _sentences(view: View, pairs: list[Pair]) -> Iterator[str]:
    known = _ranked(pairs)
    if not known:
        yield "No two systems have a failure on a case that both answered."
        return
    for words, pair in (("Most alike", known[0]), ("Least alike", known[-1])):
        yield (
            f"{words} in what they fail: {pair.first} and {pair.second}, with "
            f"{format_rate(pair.both, pair.either)} of the cases that either fails failed by both{_even(pair, known)}."
        )
        if len(known) == 1:
            break
    everywhere = set.intersection(*({*grades} for grades in view.graded.values()))
    times = Counter(sum(grades[key].failed for grades in view.graded.values()) for key in everywhere)
    failed = sum(times.values()) - times[0]
    total = len(view.systems)
    yield (
        f"Of the {len(everywhere)} cases that were graded for all {total} systems, {failed} are failed by at least "
        f"one, {times[1]} by exactly one and {times[total]} by all."
    )


def _even(pair: Pair, known: list[Pair]) -> str:
    """How many other pairs are just as much alike."""
    others = sum(other.jaccard.share == pair.jaccard.share for other in known) - 1
    return f" (a tie with {plural(others, 'other pair')})" if others else ""


def _ranked(pairs: list[Pair]) -> list[Pair]:
    """Pairs with a failure, those that fail together most first; between equals those with more to go by."""
    known = [pair for pair in pairs if pair.either]
    return sorted(known, key=lambda pair: (-pair.both / pair.either, -pair.either, pair.first, pair.second))


def _pairs(pairs: list[Pair], labels: dict[str, str]) -> Table:
    ranked = _ranked(pairs)
    half = MOST_PAIRS // 2
    shown = ranked if len(ranked) <= MOST_PAIRS else ranked[:half] + ranked[-half:]
    notes = ["Jaccard: failed by both, of the cases that at least one fails; only cases that the same judge graded."]
    if len(shown) < len(ranked):
        notes.append(f"The {half} most and the {half} least alike of {len(ranked)} pairs.")
    if len(ranked) < len(pairs):
        notes.append(f"{len(pairs) - len(ranked)} pairs have no failure on common cases.")
    columns = (
        "pair",
        "first",
        "second",
        "common cases",
        "both fail",
        "by chance",
        "only first",
        "only second",
        "Jaccard",
    )
    rows = tuple(_row(pair, labels) for pair in shown)
    return Table("system-overlap", "Cases that two systems fail", columns, rows, tuple(notes))


def _row(pair: Pair, labels: dict[str, str]) -> tuple[Cell, ...]:
    return (
        f"{labels[pair.first]}, {labels[pair.second]}",
        pair.first,
        pair.second,
        pair.common,
        pair.both,
        pair.by_chance,
        pair.only_first,
        pair.only_second,
        pair.jaccard,
    )


def _matrix(view: View, order: list[System], labels: dict[str, str], pairs: list[Pair]) -> Table:
    """Counts of every pair: failed by both / failed by at least one; on the diagonal failed / graded."""
    counts = {(pair.first, pair.second): f"{pair.both}/{pair.either}" for pair in pairs}
    counts |= {(second, first): text for (first, second), text in counts.items()}
    systems = order[:MOST_SYSTEMS]
    rows: list[tuple[Cell, ...]] = []
    for system in systems:
        grades = view.graded[system].values()
        own = f"{sum(grade.failed for grade in grades)}/{len(grades)}"
        cells = (own if other == system else counts[system.name, other.name] for other in systems)
        rows.append((f"{labels[system.name]} {system.name}", *cells))
    notes = ["Failed by both / failed by at least one, of common cases; on the diagonal failed / graded."]
    if len(systems) < len(order):
        notes.append(f"The {MOST_SYSTEMS} systems with most failures of {len(order)}.")
    columns = ("system", *(labels[system.name] for system in systems))
    return Table("system-overlap-matrix", "Common failures of all systems", columns, tuple(rows), tuple(notes))
