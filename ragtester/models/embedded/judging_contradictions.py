"""All contradictions between an answer and what is known, by the place of the answer's statement."""

from __future__ import annotations

from ragtester.models.embedded.judging_clauses import turned_clauses
from ragtester.models.embedded.judging_conflicts import conflict, denies
from ragtester.models.embedded.judging_cover import Cover
from ragtester.models.embedded.judging_long import SHORT_MASS
from ragtester.models.embedded.judging_statements import Body, Statement
from ragtester.text.quantities import Values

NEAR = 0.33
"""From this closeness on, a third, two statements are about the same thing and can contradict each other."""
SAME = 0.6
"""The same for the evidence, and for opposites in long answers, where much is said beside the point."""


def contradictions(
    answer: Body, expected: Body, question: Body, truth: Body, support: Cover
) -> dict[int, tuple[int, str]]:
    """Contradictions by the place of the answer's statement: the expected statement's place (-1: evidence), why."""
    given = frozenset(question.surfaces)
    strict = expected.mass <= SHORT_MASS
    known = Values([*truth.quantities, *question.quantities])
    found = {} if strict else turned_clauses(answer, expected, question)
    for place, claim in enumerate(answer.statements):
        if place in found:
            continue
        for number, fact in enumerate(expected.statements):
            near = strict or _closeness(claim, fact) >= NEAR
            reason = conflict(claim, fact, known, given, strict=strict) if near else ""
            if reason and not _agrees_elsewhere(claim, fact, expected):
                found[place] = (number, reason)
                break
        partner = support.partners[place]
        if place not in found and partner >= 0 and support.closeness[place] >= SAME:
            reason = denies(claim, truth.statements[partner], given)
            if reason:
                found[place] = (-1, reason)
    return found


def _closeness(claim: Statement, fact: Statement) -> float:
    """Share of the shorter statement's stems that both hold."""
    shared = len(set(claim.stems) & set(fact.stems))
    return shared / max(1, min(len(claim.stems), len(fact.stems)))


def _agrees_elsewhere(claim: Statement, fact: Statement, expected: Body) -> bool:
    """Whether another expected statement is nearer and holds all the claim's values: `fact` is beside the point."""
    return any(
        other is not fact
        and _closeness(claim, other) >= _closeness(claim, fact)
        and all(quantity in other.values for quantity in claim.quantities)
        for other in expected.statements
    )
