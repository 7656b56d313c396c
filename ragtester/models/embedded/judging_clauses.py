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


def two_values(answer: Body, right: Values) -> str:
    """A value that is not right where another clause of the answer says the same with another value; "" for none."""
    first: dict[tuple[frozenset[str], str], Quantity] = {}
    for statement in answer.statements:
        start = 0
        for end in [*(match.start() for match in _CUT.finditer(statement.text)), len(statement.text)]:
            stems = frozenset(
                statement.stem_of[word] for word in words(statement.text[start:end]) if word in statement.stem_of
            )
            held = [one for one in statement.quantities if start <= one.start < end and one.unit]
            for quantity in held if stems else ():
                other = first.setdefault((stems, quantity.unit), quantity)
                wrong = next((one for one in (quantity, other) if one not in right), None)
                if wrong is not None and not same_quantity(quantity, other):
                    return " ".join(statement.text[quantity.start : quantity.end].split())
            start = end
    return ""


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
