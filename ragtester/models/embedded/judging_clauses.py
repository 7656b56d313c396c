"""Contradictions that only a clause shows: near copies of an expected clause with another subject, or denied."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ragtester.models.embedded.judging_statements import Body, Statement
from ragtester.models.embedded.judging_words import NEGATORS
from ragtester.text.quantities import Quantity, Values, same_quantity
from ragtester.text.words import words

COPY = 0.6
"""Share of two clauses' stems, their subjects apart, that both hold, from which one is a near copy of the other."""
LEAST = 3
"""So many stems at least are shared: fewer meet by chance."""
_CUT = re.compile(
    r"[,;:()，、；：]|\b(?:while|whereas|but|and|while|während|aber|und|tandis que|mais|et|mientras que|pero|y)\b", re.I
)

_BACKWARD = frozenset({"none", "nobody"})
"""They deny what goes before ("two years, but none for ...")."""


@dataclass(frozen=True)
class _Clause:
    text: str
    subjects: frozenset[str]
    """Stems that the question holds, and names."""
    content: frozenset[str]
    denied: bool


def turned_clauses(answer: Body, expected: Body, question: Body) -> dict[int, tuple[int, str]]:
    """Near copies of expected clauses that say them of another subject, or deny them.

    By the place of the answer's statement: the place of the expected one, and why. The other subject is one that the
    expected answer knows as well (two that change places); another word for the same is none.
    """
    named = frozenset(name for body in (answer, expected) for one in body.statements for name in one.names)
    subjects = frozenset(question.surfaces) | named
    known = frozenset(expected.surfaces)
    ours = [(place, clause) for place, one in enumerate(answer.statements) for clause in _clauses(one, subjects)]
    found: dict[int, tuple[int, str]] = {}
    for number, fact in enumerate(expected.statements):
        for clause in _clauses(fact, subjects):
            for place, said in _copies(clause, ours):
                reason = _other_subject(said, clause, known) or _other_sense(said, clause)
                if reason:
                    found.setdefault(place, (number, reason))
    return found


def two_values(answer: Body, expected: Body) -> dict[int, tuple[int, str]]:
    """Values that are not the expected ones where another clause of the answer says the same with another value.

    By the place of the answer's statement: the place of an expected one with a value of the unit, and why.
    """
    right = Values(expected.quantities)
    rivals = {one.unit: place for place, fact in enumerate(expected.statements) for one in fact.quantities}
    first: dict[tuple[frozenset[str], str], Quantity] = {}
    found: dict[int, tuple[int, str]] = {}
    for place, statement in enumerate(answer.statements):
        for stems, held in _valued_clauses(statement):
            before = {one.unit: first.setdefault((stems, one.unit), one) for one in held}
            for one in held:
                other = before[one.unit]
                doubled = other not in held and not same_quantity(one, other)
                if doubled and one.unit in rivals and not (one in right and other in right):
                    found.setdefault(place, (rivals[one.unit], "two different values for the same"))
    return found


def _valued_clauses(statement: Statement) -> Iterator[tuple[frozenset[str], list[Quantity]]]:
    """The stems of each clause that has some, and its values with a unit."""
    start = 0
    for end in [*(match.start() for match in _CUT.finditer(statement.text)), len(statement.text)]:
        said = words(statement.text[start:end])
        stems = frozenset(statement.stem_of[word] for word in said if word in statement.stem_of)
        held = [one for one in statement.quantities if start <= one.start < end and one.unit] if stems else []
        if held:
            yield stems, held
        start = end


def _copies(clause: _Clause, ours: list[tuple[int, _Clause]]) -> Iterator[tuple[int, _Clause]]:
    """The answer's clause that is nearest to an expected one, if it is a near copy."""
    place, said = max(ours, key=lambda one: len(clause.content & one[1].content), default=(-1, clause))
    shared, either = clause.content & said.content, clause.content | said.content
    if place >= 0 and len(shared) >= LEAST and len(shared) >= COPY * len(either):
        yield place, said


def _other_subject(said: _Clause, clause: _Clause, known: frozenset[str]) -> str:
    wanted, given = clause.subjects, said.subjects
    if wanted and given and not wanted & given and given <= known:
        return f"{min(given)!r} in the place of {min(wanted)!r}"
    return ""


def _other_sense(said: _Clause, clause: _Clause) -> str:
    same = said.subjects <= clause.subjects or clause.subjects <= said.subjects
    return f"negation of {min(clause.content)!r} differs" if same and said.denied != clause.denied else ""


@lru_cache(maxsize=2048)
def _clauses(statement: Statement, subjects: frozenset[str]) -> tuple[_Clause, ...]:
    found = []
    for part in _CUT.split(statement.text):
        said = words(part)
        stems = frozenset(statement.stem_of[word] for word in said if word in statement.stem_of)
        if len(stems) >= LEAST:
            denials = sum((word in NEGATORS and word not in _BACKWARD) or word.endswith("n't") for word in said)
            found.append(_Clause(part, stems & subjects, stems - subjects, denials % 2 == 1))
    return tuple(found)
