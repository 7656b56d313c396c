"""The measures behind the ratings: what is covered, what contradicts, what is on topic."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragtester.models.embedded.judging_conflicts import conflict
from ragtester.models.embedded.judging_cover import Cover, cover
from ragtester.models.embedded.judging_statements import Body, Embed, Statement, join, read
from ragtester.models.embedded.judging_style import clarity
from ragtester.tasks import JudgeAnswer
from ragtester.text.normalise import fold
from ragtester.text.quantities import Quantity, same_quantity
from ragtester.text.words import words

SHORT_MASS = 9.0
"""An expected answer up to this mass is a value or a phrase: its values decide."""
NEAR = 0.45
"""From this closeness on two statements are about the same thing and can contradict each other."""
SUPPORTED = 0.5
WITHOUT_EVIDENCE = 0.15
"""Without evidence a detail beyond the expected answer cannot be checked: support is raised by this much."""


@dataclass(frozen=True)
class Measures:
    """Scores (0 to 1) and reasons by criterion; `corrects_premise` says how, "" where it does not."""

    scores: dict[str, float]
    reasons: dict[str, str]
    corrects_premise: str = ""


def measure(request: JudgeAnswer, embed: Embed | None) -> Measures:
    """All measures of one request."""
    language = request.language
    answer = read(request.answer, language, embed)
    expected = read(request.expected_answer, language, embed)
    question = read(request.question, language, embed)
    evidence = [read(passage.text, language, embed) for passage in request.evidence]
    given = frozenset(question.surfaces)
    strict = expected.mass <= SHORT_MASS
    recall = cover(expected, answer, given, embed)
    truth = join(expected, *evidence)
    support = cover(answer, truth, given, embed)
    precision = cover(answer, join(expected, question), given, embed)
    conflicts = _conflicts(request, answer, expected, question, truth)
    complete, complete_reason = _completeness(expected, answer, recall, conflicts, strict)
    faithful, faithful_reason = _faithfulness(answer, support, recall, conflicts, strict, bool(evidence))
    relevant, relevant_reason = _relevance(answer, expected, question, precision, recall)
    clear, faults = clarity(request.answer, request.expected_answer, language)
    return Measures(
        {"faithfulness": faithful, "relevance": relevant, "completeness": complete, "clarity": clear},
        {
            "faithfulness": faithful_reason,
            "relevance": relevant_reason,
            "completeness": complete_reason,
            "clarity": ", ".join(faults) or "no fault of form",
        },
        "" if request.answerable else _correction(answer, question, support, given),
    )


def _conflicts(request: JudgeAnswer, answer: Body, expected: Body, question: Body, truth: Body) -> dict[int, str]:
    """Contradictions by the place of the answer's statement."""
    given = frozenset(question.surfaces)
    strict = expected.mass <= SHORT_MASS
    known = [*truth.quantities, *question.quantities]
    found: dict[int, str] = {}
    for place, claim in enumerate(answer.statements):
        for fact in expected.statements:
            near = strict or _closeness(claim, fact) >= NEAR
            reason = conflict(claim, fact, known, given, strict=strict) if near else ""
            if reason and not _agrees_elsewhere(claim, fact, expected):
                found[place] = reason
                break
    return found


def _closeness(claim: Statement, fact: Statement) -> float:
    """Share of the shorter statement's stems that both hold."""
    shared = len(set(claim.stems) & set(fact.stems))
    return shared / max(1, min(len(claim.stems), len(fact.stems)))


def _agrees_elsewhere(claim: Statement, fact: Statement, expected: Body) -> bool:
    """Whether another expected statement is nearer and holds all the claim's values: then `fact` is beside the point."""
    return any(
        other is not fact
        and _closeness(claim, other) >= _closeness(claim, fact)
        and all(any(same_quantity(q, o) for o in other.quantities) for q in claim.quantities)
        for other in expected.statements
    )


def _completeness(
    expected: Body, answer: Body, recall: Cover, conflicts: dict[int, str], strict: bool
) -> tuple[float, str]:
    score = recall.mean
    missing = [
        quantity
        for quantity in expected.quantities
        if not any(same_quantity(quantity, one) for one in answer.quantities)
    ]
    if strict and expected.quantities:
        # A value is there or not; the words around it are many ways of saying the same.
        share = 1 - len(missing) / len(expected.quantities)
        score = min(max(score, 0.9 * share), share) if share < 1 else max(score, 0.8 if not conflicts else 0.45)
    elif expected.quantities:
        score *= 1 - 0.25 * len(missing) / len(expected.quantities)
    least = min(zip(recall.scores, expected.statements, strict=True), key=lambda pair: pair[0], default=None)
    reason = f"{score:.0%} of the expected answer is covered"
    if least and least[0] < 0.5:
        reason += f"; least: {_quote(least[1].text)}"
    return score, reason


def _faithfulness(
    answer: Body, support: Cover, recall: Cover, conflicts: dict[int, str], strict: bool, has_evidence: bool
) -> tuple[float, str]:
    total = sum(support.weights)
    if not total:
        return 0.5 if not answer.statements else 0.0, "claims nothing that can be checked"
    raised = 0.0 if has_evidence else WITHOUT_EVIDENCE
    scores = [0.0 if place in conflicts else min(1.0, s + raised) for place, s in enumerate(support.scores)]
    score = sum(s * w for s, w in zip(scores, support.weights, strict=True)) / total
    if conflicts:
        share = sum(support.weights[place] for place in conflicts) / total
        # One value is the whole answer of a short case; in a long one a conflict weighs what its statement weighs.
        score = min(score, 0.3) if strict else score - 0.5 * share
        return max(0.0, score), f"contradicts the expected answer: {next(iter(conflicts.values()))}"
    if strict and recall.mean < 0.2 and score < 0.9:
        score = min(score, 0.55)
    weakest = min(zip(scores, answer.statements, strict=True), key=lambda pair: pair[0])
    if weakest[0] < 0.35 and len(answer.statements) > 1:
        score = min(score, 0.6) if strict else score
    reason = f"{score:.0%} supported by the expected answer{' and the evidence' if has_evidence else ''}"
    return score, reason + (f"; weakest: {_quote(weakest[1].text)}" if weakest[0] < SUPPORTED else "")


def _relevance(answer: Body, expected: Body, question: Body, precision: Cover, recall: Cover) -> tuple[float, str]:
    """Half how near the whole answer is to what was asked for, half the share of it that is on topic."""
    total = sum(precision.weights)
    on_topic = sum(min(1.0, s / 0.5) * w for s, w in zip(precision.scores, precision.weights, strict=True))
    share = on_topic / total if total else 0.0
    near = max(recall.mean, _gist(answer, expected), 0.9 * _gist(answer, question))
    score = 0.5 * near + 0.5 * share
    return score, f"{share:.0%} on topic, nearness to what was asked {near:.2f}"


def _gist(one: Body, other: Body) -> float:
    """Cosine of two whole texts, scaled so that unrelated texts give about 0."""
    if one.whole is None or other.whole is None:
        return 0.0
    return min(1.0, max(0.0, (float(one.whole @ other.whole) - 0.2) / 0.65))


def _correction(answer: Body, question: Body, support: Cover, given: frozenset[str]) -> str:
    """How an answer to an unanswerable question denies its premise by a supported other value; "" where it does not.

    Narrow on purpose: the question names a value, the answer denies it ("not ten") and gives another of the same
    unit in a statement that the evidence supports.
    """
    for place, claim in enumerate(answer.statements):
        for asked in question.quantities:
            others = [one for one in claim.quantities if one.unit in (asked.unit, "") and not same_quantity(one, asked)]
            if others and support.scores[place] >= SUPPORTED and _denies(claim, asked):
                return _quote(claim.text)
    return ""


def _denies(claim: Statement, asked: Quantity) -> bool:
    for quantity in claim.quantities:
        before = fold(claim.text[: quantity.start])
        bare_equal = quantity.value == asked.value or same_quantity(quantity, asked)
        if bare_equal and re.search(r"\b(?:not|nicht|pas|no|non|não|niet|inte|ikke|nie|не)(?: \w+){0,2}$", before):
            return True
    return False


def _quote(text: str) -> str:
    short = " ".join(text.split())
    return f"'{short[:80]}…'" if len(short) > 80 else f"'{short}'"
