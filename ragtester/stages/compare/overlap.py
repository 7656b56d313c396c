"""What two techniques, and what two systems, fail on together. Pure.

Two systems answer the same cases, so their failures can be set side by side case by case. Two techniques ask different
cases: theirs meet in the text. A *place* is a section or a page of a document as one system met it; it counts as failed
where the system failed a case whose evidence stands there. Rejection cases stand on no text and are left out there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, permutations

from ragtester.records import Case
from ragtester.results import Results
from ragtester.spans import overlap
from ragtester.stages.compare.overlap_systems import system_parts
from ragtester.stages.compare.view import CaseKey, Grade, System, View, make_view
from ragtester.statistics import format_rate
from ragtester.tables import Cell, Paragraph, Rate, Section, Table

Place = tuple[System, str, object]
"""A system, a document and a section's ordinal or a page."""
UNITS: dict[str, Callable[[Case], Iterable[int]]] = {
    "sections": lambda case: case.sections if case.evidence else (),
    "pages": lambda case: {page for span in case.evidence for page in span.pages},
}


def section(results: Results, view: View | None = None) -> Section:
    """Overlap of techniques, then of systems; `view` is that of `results`, where it has been made already."""
    view = view or make_view(results)
    return Section("overlap", "What fails together", (*technique_parts(view), *system_parts(view)))


def technique_parts(view: View) -> Iterator[Paragraph | Table]:
    """How far the failures of two techniques stand on the same text."""
    techniques = view.values("technique")
    if len(techniques) < 2:
        name = techniques[0] if techniques else "none"
        yield Paragraph(f"One technique only ({name}): there is no other to overlap with.")
        return
    cases = {(case.id, case.key): case for case in view.results.cases.values()}
    places = {technique: _places(view, cases, technique) for technique in techniques}
    rows = [
        _places_row(pair, unit, (places[pair[0]][unit], places[pair[1]][unit]))
        for pair in combinations(techniques, 2)
        for unit in UNITS
    ]
    yield Paragraph(_sentence(rows))
    columns = (
        "place and techniques",
        "places both asked",
        "failed by both",
        "only by first",
        "only by second",
        "by both, of failed",
    )
    notes = (
        "A place is a section or page as one system met it; places of all systems are added up.",
        "Asked: a case has its evidence there. Only by one: the other passed there or never asked there.",
    )
    yield Table("technique-overlap", "Places that techniques fail on", columns, tuple(rows), notes)
    yield _evidence(view, cases, techniques)


@dataclass
class Places:
    """Places that a technique asked (graded answers only), and those of them that failed."""

    asked: set[Place] = field(default_factory=set)
    failed: set[Place] = field(default_factory=set)


def _places(view: View, cases: dict[CaseKey, Case], technique: str) -> dict[str, Places]:
    """By unit."""
    numbers = {
        key: {unit: tuple(of(case)) for unit, of in UNITS.items()}
        for key, case in cases.items()
        if case.technique == technique
    }
    found = {unit: Places() for unit in UNITS}
    for system, grades in view.graded.items():
        for key, grade in grades.items():
            for unit, ordinals in numbers.get(key, {}).items():
                here = [(system, grade.document, ordinal) for ordinal in ordinals]
                found[unit].asked.update(here)
                if grade.failed:
                    found[unit].failed.update(here)
    return found


def _places_row(pair: tuple[str, str], unit: str, places: tuple[Places, Places]) -> tuple[Cell, ...]:
    first, second = places
    both, either = first.failed & second.failed, first.failed | second.failed
    return (
        f"{unit}, {pair[0]} / {pair[1]}",
        Rate(len(first.asked & second.asked), len(first.asked | second.asked)),
        len(both),
        len(first.failed - second.failed),
        len(second.failed - first.failed),
        Rate(len(both), len(either)),
    )


def _sentence(rows: list[tuple[Cell, ...]]) -> str:
    told = []
    for name, *_, rate in rows:
        if isinstance(rate, Rate) and rate.n:
            told.append(
                f"{str(name).capitalize()}: both fail on {format_rate(rate.successes, rate.n)} of the failed ones."
            )
    return " ".join(told) or "No failed case of these techniques stands on a section or page."


def _evidence(view: View, cases: dict[CaseKey, Case], techniques: list[str]) -> Table:
    """For each failure of one technique, what the other did with the same sentences."""
    rows: list[tuple[Cell, ...]] = []
    for first, second in permutations(techniques, 2):
        near = _neighbours(cases.values(), first, second)
        counts: Counter[str] = Counter()
        for grades in view.graded.values():
            for key in near:
                if key in grades and grades[key].failed:
                    counts[_met([grades[one] for one in near[key] if one in grades])] += 1
        rows.append(
            (f"{first}, beside {second}", *(Rate(counts[how], counts.total()) for how in ("failed", "passed", "never")))
        )
    columns = ("failures of", "failed there too", "passed there", "never asked there")
    notes = ["The same: evidence spans that share at least one character, asked of the same system."]
    without = Counter(
        case.technique
        for grades in view.graded.values()
        for key, grade in grades.items()
        if grade.failed and (case := cases.get(key)) is not None and not case.evidence
    )
    if without:
        left = ", ".join(f"{count} of {name}" for name, count in sorted(without.items()))
        notes.append(f"Failures without evidence (rejection cases) are left out: {left}.")
    return Table("evidence-overlap", "Failures on the same evidence", columns, tuple(rows), tuple(notes))


def _met(others: list[Grade]) -> str:
    if not others:
        return "never"
    return "failed" if any(grade.failed for grade in others) else "passed"


def _neighbours(cases: Iterable[Case], first: str, second: str) -> dict[CaseKey, list[CaseKey]]:
    """Cases of the second technique whose evidence meets that of a case of the first, by the first's key."""
    documents: dict[tuple[str, str], tuple[list[Case], list[Case]]] = {}
    for case in cases:
        if case.technique in (first, second) and case.evidence:
            sides = documents.setdefault((case.document_id, case.document_sha256), ([], []))
            sides[case.technique == second].append(case)
    return {
        (one.id, one.key): [(other.id, other.key) for other in others if _meet(one, other)]
        for ones, others in documents.values()
        for one in ones
    }


def _meet(one: Case, other: Case) -> bool:
    return any(
        overlap((span.start, span.end), (there.start, there.end)) for span in one.evidence for there in other.evidence
    )
