"""The rows of a comparison, grouped once: which system was asked which case, and how that ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from ragtester.results import Result, Results
from ragtester.results.tally import Tally
from ragtester.stages.compare.setups import apart

CaseKey = tuple[str, str]
Key = TypeVar("Key", bound=Hashable)


class System(NamedTuple):
    """An LLM with an embedding model; `run` is named where rows of several runs cannot be counted together."""

    llm: str
    embedding: str
    run: str = ""

    @property
    def name(self) -> str:
        """As it stands in tables."""
        pair = f"{self.llm} × {self.embedding}"
        return f"{pair} ({self.run})" if self.run else pair


class Place(NamedTuple):
    """Where a row counts."""

    system: System
    technique: str
    source: str
    type: str
    subtype: str
    document: str


class Grade(NamedTuple):
    """A graded row, as pairs of systems need it."""

    failed: bool
    judge: str
    document: str


@dataclass
class Spend:
    """What the answers of a system cost and how long they took; only what was measured.

    `lost` is what was paid for calls that gave no answer.
    """

    answers: int = 0
    lost: float = 0.0
    costs: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


@dataclass
class View:
    """Open-book rows in one pass. `asked` and `graded` are keyed by system, then by case."""

    results: Results
    cube: dict[Place, Tally] = field(default_factory=dict)
    asked: dict[System, dict[CaseKey, Place]] = field(default_factory=dict)
    graded: dict[System, dict[CaseKey, Grade]] = field(default_factory=dict)
    spent: dict[System, Spend] = field(default_factory=dict)
    reasons: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))

    @property
    def systems(self) -> list[System]:
        """In the order they were met."""
        return list(self.asked)

    def values(self, name: str) -> list[str]:
        """The distinct values of one field of `Place`, sorted."""
        return sorted({getattr(place, name) for place in self.cube})

    def by(self, key: Callable[[Place], Key], where: Callable[[Place], bool] | None = None) -> dict[Key, Tally]:
        """Tallies by whatever `key` says, of the places that `where` holds for."""
        found: dict[Key, Tally] = {}
        for place, tally in self.cube.items():
            if where is None or where(place):
                found.setdefault(key(place), Tally()).merge(tally)
        return found

    def total(self, where: Callable[[Place], bool] | None = None) -> Tally:
        """One tally of all places that `where` holds for."""
        return self.by(lambda _: "", where).get("", Tally())


def make_view(results: Results) -> View:
    """Group the rows with retrieval; a case that two runs asked of one system counts once a run.

    So does a system that two runs asked under different setups or that different judges graded: that is no one rate.
    """
    view = View(results)
    keys: dict[tuple[str, str, str], CaseKey] = {}
    seen: set[tuple[str, str, CaseKey]] = set()
    twice = apart(results.runs, results.open_book) if len(results.runs) > 1 else set()
    for row in results.open_book:
        mark = (row.llm, row.embedding, _key(results, row, keys))
        if mark in seen:
            twice.add(row.system)
        seen.add(mark)
    for row in results.open_book:
        system = System(row.llm, row.embedding, row.run if row.system in twice else "")
        _count(view, system, _key(results, row, keys), row)
    return view


def _key(results: Results, row: Result, keys: dict[tuple[str, str, str], CaseKey]) -> CaseKey:
    """The case of a row. A case's own key holds all it was made from: the same in two suites is the same case."""
    place = (results.suite_of(row.run), row.technique, row.case_id)
    key = keys.get(place)
    if key is None:
        case = results.case(row)
        known = case is not None and case.technique == row.technique
        key = keys[place] = (row.case_id, case.key if case and known else f"{place[1]} of suite {place[0]}")
    return key


def _count(view: View, system: System, key: CaseKey, row: Result) -> None:
    place = Place(system, row.technique, row.source, row.type, row.subtype, row.document_id)
    tally = view.cube.setdefault(place, Tally())
    view.asked.setdefault(system, {})[key] = place
    graded = view.graded.setdefault(system, {})
    spent = view.spent.setdefault(system, Spend())
    tally.add(row)
    if row.graded:
        graded[key] = Grade(row.status == "fail", row.judge, row.document_id)
    else:
        view.reasons[row.status, row.reason] += 1
    if row.outcome in ("answered", "abstained"):
        spent.answers += 1
        if row.cost is not None:
            spent.costs.append(row.cost)
        if row.seconds is not None:
            spent.seconds.append(row.seconds)
    else:
        spent.lost += row.cost or 0.0


def failures_by_document(grades: Iterable[Grade]) -> dict[str, list[float]]:
    """1 for a failure and 0 for a pass, by document: what the bootstrap over documents takes."""
    found: dict[str, list[float]] = {}
    for grade in grades:
        found.setdefault(grade.document, []).append(float(grade.failed))
    return found
