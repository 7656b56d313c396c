"""A strip for each question: its verdict in every run of a history. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ragtester.records import CaseType, Mark, Strip
from ragtester.stages.drift.pairing import match_systems
from ragtester.stages.drift.rows import RunData, System

MARKS: dict[Mark, str] = {"pass": "✓", "fail": "✗", "ungraded": "?", "missing": "·"}
ASCII: dict[Mark, str] = {"pass": "+", "fail": "x", "ungraded": "?", "missing": "."}
LEGEND = "{pass} passed, {fail} failed, {ungraded} not graded, {missing} not there"
_GRADED = ("pass", "fail")


def drawn(strip: Strip, marks: dict[Mark, str]) -> str:
    """The strip as a text, a character a run."""
    return "".join(marks[mark] for mark in strip.marks)


@dataclass
class _Line:
    """One question asked of one system: what is known of it, and its marks so far."""

    document_id: str
    type: CaseType
    marks: list[Mark]


@dataclass
class Strips:
    """Takes runs one by one, in their order, so that only two of them need be in memory.

    A system that takes another's place goes on with its strips, under its own name.
    """

    runs: int = 0
    _lines: dict[tuple[System, str, str], _Line] = field(default_factory=dict)
    _roots: dict[System, System] = field(default_factory=dict)
    _names: dict[System, System] = field(default_factory=dict)
    _last: list[System] = field(default_factory=list)
    _questions: dict[str, str] = field(default_factory=dict)

    def take(self, run: RunData) -> None:
        """The verdicts of the next run."""
        self._match(run.systems)
        self._questions |= run.questions
        for (llm, embedding, technique, case_id), row in run.rows.items():
            place = self._roots[llm, embedding], technique, case_id
            line = self._lines.setdefault(place, _Line(row.document_id, row.type, []))
            line.marks += ["missing"] * (self.runs - len(line.marks))
            line.marks.append(row.status)
        self.runs += 1

    def _match(self, systems: list[System]) -> None:
        """Which strips each system goes on with: those of its own name, else of that whose place it took."""
        known = [system for system in systems if system in self._roots]
        free = [system for system in self._last if system not in systems]
        successors = {
            two: one for one, two in match_systems(free, [one for one in systems if one not in known]).items()
        }
        for system in systems:
            old = successors.get(system)
            self._roots.setdefault(system, self._roots[old] if old else system)
            self._names[self._roots[system]] = system
        self._last = systems

    def all(self) -> list[Strip]:
        """Every strip, the most telling first: most flips, then those whose last grade is a failure."""
        found = [self._strip(place, line) for place, line in self._lines.items()]
        return sorted(found, key=lambda one: (-one.flips, _last_grade(one) != "fail", one.document_id, one.case_id))

    def _strip(self, place: tuple[System, str, str], line: _Line) -> Strip:
        root, technique, case_id = place
        absent: list[Mark] = ["missing"] * (self.runs - len(line.marks))
        marks = (*line.marks, *absent)
        graded = [mark for mark in marks if mark in _GRADED]
        return Strip(
            case_id=case_id,
            document_id=line.document_id,
            technique=technique,
            type=line.type,
            system=" × ".join(self._names[root]),
            question=self._questions.get(case_id, ""),
            marks=marks,
            flips=sum(one != two for one, two in pairwise(graded)),
        )


def _last_grade(strip: Strip) -> str:
    return next((mark for mark in reversed(strip.marks) if mark in _GRADED), "")


def flipped(strips: Sequence[Strip]) -> tuple[Strip, ...]:
    """Those of which a grade changed."""
    return tuple(one for one in strips if one.flips)
