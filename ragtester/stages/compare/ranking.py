"""Rankings of systems on the cases that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import floor, log2

from ragtester.stages.compare.pairs import Family, make_family
from ragtester.stages.compare.view import CaseKey, Grade, System, View
from ragtester.stages.compare.words import LEVEL, plural
from ragtester.tables import Rate

LEAST_CASES = 6
"""With fewer common cases McNemar's exact test tells no two systems apart, however they differ: 2 / 2**5 > 0.05."""


@dataclass
class Ranking:
    """Systems that share cases, the fewest failures first, on the `cases` that all of them were asked."""

    cases: set[CaseKey]
    grades: dict[System, list[Grade]]
    beyond: dict[System, int]
    ranked: list[tuple[System, Rate]] = field(default_factory=list)
    family: Family = field(default_factory=lambda: Family(()))

    @property
    def order(self) -> list[System]:
        """The systems alone."""
        return [system for system, _ in self.ranked]

    @property
    def first(self) -> list[tuple[System, Rate]]:
        """The systems with the lowest failure rate: several where they tie, none where nothing is graded."""
        share = self.ranked[0][1].share
        return [(system, rate) for system, rate in self.ranked if share is not None and rate.share == share]

    @property
    def needed(self) -> int:
        """The fewest common cases with which systems that differ in all could be told apart after Holm's correction."""
        pairs = max(1, len(self.ranked) * (len(self.ranked) - 1) // 2)
        return 1 + floor(log2(2 * pairs / LEVEL))

    @property
    def possible(self) -> bool:
        """Whether the cases could tell any two of the systems apart."""
        return len(self.cases) >= self.needed

    @property
    def where(self) -> str:
        """Which cases the rates are of, where systems were asked others besides."""
        return f" on the {plural(len(self.cases), 'case')} that all systems share" if any(self.beyond.values()) else ""


def make_rankings(view: View) -> list[Ranking]:
    """One ranking a group of systems that share cases and a judge, the systems that were asked most first.

    A system that nobody graded yet belongs to whom it shares cases with. One that shares next to no case with a group
    makes its own, so as not to cost that group its cases.
    """
    groups: list[tuple[list[System], set[CaseKey], set[str]]] = []
    for system in sorted(view.systems, key=lambda one: -len(view.asked[one])):
        asked, judges = set(view.asked[system]), {grade.judge for grade in view.graded[system].values()}
        for place, (systems, cases, others) in enumerate(groups):
            shared = asked == cases or len(cases & asked) >= LEAST_CASES
            if shared and (judges & others or not judges or not others):
                groups[place] = ([*systems, system], cases & asked, judges | others)
                break
        else:
            groups.append(([system], asked, judges))
    return [_ranking(view, systems, cases) for systems, cases, _ in groups]


def _ranking(view: View, systems: list[System], cases: set[CaseKey]) -> Ranking:
    grades = {system: [grade for key, grade in view.graded[system].items() if key in cases] for system in systems}
    found = Ranking(cases, grades, {system: len(view.asked[system]) - len(cases) for system in systems})
    found.ranked = sorted(((system, _rate(grades[system])) for system in systems), key=_place)
    found.family = make_family(view, found.order)
    return found


def _rate(grades: Sequence[Grade]) -> Rate:
    return Rate(sum(grade.failed for grade in grades), len(grades))


def _place(item: tuple[System, Rate]) -> tuple[float, str]:
    system, rate = item
    return (2.0 if rate.share is None else rate.share, system.name)
