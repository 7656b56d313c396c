"""The measures behind the ratings: what is covered, what contradicts, what is on topic."""

from __future__ import annotations

from dataclasses import dataclass

from ragtester.models.embedded.judging_long import nearness
from ragtester.models.embedded.judging_polar import polar_reply
from ragtester.models.embedded.judging_premise import correction, quote
from ragtester.models.embedded.judging_statements import Body, Embed
from ragtester.models.embedded.judging_style import clarity
from ragtester.models.embedded.judging_texts import Texts, read_texts
from ragtester.tasks import AnswerSeen

UNSUPPORTED, UNSUPPORTED_MASS, UNSUPPORTED_COST = 0.22, 4.0, 0.15
"""A statement of some mass with less support than this is an invention; one costs this much beyond its own weight."""
CONFLICT_COST = 0.1
SUPPORT_FLOOR, SUPPORT_SPAN = 0.12, 0.48
"""Paraphrases reach about 0.6 of the cover that a copy has, unrelated statements 0.12: support runs between them."""
REWORDED, REWORDED_TRUTH = 0.6, 0.4
"""A short paraphrase is at least so complete, relevant and faithful, however few words it shares: "partially"."""
WITHOUT_EVIDENCE = 0.15
"""Without evidence a detail beyond the expected answer cannot be checked: support is raised by this much."""
LONG_GAIN = 0.45
"""Long paraphrases share fewer words than short ones: cover of an expected answer is scaled up with its mass."""


@dataclass(frozen=True)
class Measures:
    """Scores (0 to 1) and reasons by criterion; `corrects_premise` says how, "" where it does not.

    `length` is that of the expected answer: 0 for a value, 1 for a paragraph.
    """

    scores: dict[str, float]
    reasons: dict[str, str]
    length: float = 0.0
    corrects_premise: str = ""


def measure(request: AnswerSeen, embed: Embed | None) -> Measures:
    """All measures of one request."""
    texts = read_texts(request, embed)
    agrees = polar_reply(request)
    if agrees is not None and request.answerable:
        return _polar(texts, agrees)
    complete, complete_reason = _completeness(texts)
    faithful, faithful_reason = _faithfulness(texts)
    relevant, relevant_reason = _relevance(texts)
    if texts.paraphrases:
        complete, relevant, faithful = max(complete, REWORDED), max(relevant, REWORDED), max(faithful, REWORDED_TRUTH)
    clear, faults = clarity(request.answer, request.expected_answer, request.language)
    nothing = 0.30 if texts.strict else 0.15
    if complete < nothing:
        # Supported and on topic, but nothing of what was asked for: neither is then fully met.
        faithful, relevant = min(faithful, 0.5), min(relevant, 0.6)
        faithful_reason += "; gives nothing of the expected answer"
    return Measures(
        {"faithfulness": faithful, "relevance": relevant, "completeness": complete, "clarity": clear},
        {
            "faithfulness": faithful_reason,
            "relevance": relevant_reason,
            "completeness": complete_reason,
            "clarity": ", ".join(faults) or "no fault of form",
        },
        texts.length,
        "" if request.answerable else correction(texts.answer, texts.question, texts.support),
    )


def _polar(texts: Texts, agrees: bool) -> Measures:
    """A bare "yes" or "no": right or wrong, and whole where the expected answer says no more than that."""
    more = texts.wanted.shares or set(texts.expected.surfaces) - set(texts.question.surfaces)
    complete = 0.0 if not agrees else REWORDED if more else 0.9
    scores = {"faithfulness": float(agrees), "relevance": 0.9, "completeness": complete, "clarity": 1.0}
    reason = "says the same as the expected answer" if agrees else "says the contrary of the expected answer"
    return Measures(scores, dict.fromkeys(scores, f"yes or no alone, {reason}"), texts.length)


def _completeness(texts: Texts) -> tuple[float, str]:
    expected, recall, wanted = texts.expected, texts.recall, texts.wanted
    if wanted.nothing:
        return 0.0, wanted.nothing
    denied = {number for number, _ in texts.conflicts.values()}
    gain = 1 + LONG_GAIN * texts.length
    scores = [0.0 if place in denied else min(1.0, score * gain) for place, score in enumerate(recall.scores)]
    score = _mean(scores, recall.weights)
    if texts.strict and texts.conflicts:
        score = min(score, 0.25)
    elif texts.strict and wanted.shares:
        # A value is there or not; the words around it are many ways of saying the same.
        share = sum(wanted.shares) / len(wanted.shares)
        score = max(score, 0.8) if share == 1 else min(score, share)
    elif texts.strict and any(0 < gap <= 0.5 for gap in recall.gaps):
        score = min(score, 0.6)  # one of several things asked for is not there
    elif wanted.shares:
        score *= 0.75 + 0.25 * sum(wanted.shares) / len(wanted.shares)
    score = min(0.6 if wanted.part else 1.0, score)
    reason = f"{score:.0%} of the expected answer is covered"
    least = min(zip(scores, expected.statements, strict=True), key=lambda pair: pair[0], default=None)
    return score, reason + (f"; least: {quote(least[1].text)}" if least and least[0] < 0.4 else "")


def _faithfulness(texts: Texts) -> tuple[float, str]:
    answer, support, conflicts = texts.answer, texts.support, texts.conflicts
    total = sum(support.weights)
    if not total:
        return 0.5 if not answer.statements else 0.0, "claims nothing that can be checked"
    raised = 0.0 if texts.has_evidence else WITHOUT_EVIDENCE
    scores = [
        0.0 if place in conflicts else min(1.0, max(0.0, (score + raised - SUPPORT_FLOOR) / SUPPORT_SPAN))
        for place, score in enumerate(support.scores)
    ]
    score = _mean(scores, support.weights)
    if conflicts:
        share = sum(support.weights[place] for place in conflicts) / total
        # One value is the whole answer of a short case; in a long one a conflict weighs its statement's share, twice.
        score = min(score, 0.2) if texts.strict else max(0.0, min(score - share - CONFLICT_COST, texts.faulty))
        return score, f"contradicts what is known: {next(iter(conflicts.values()))[1]}"
    if texts.wanted.invented and texts.has_evidence:
        return max(0.0, min(score, texts.faulty)), f"names {texts.wanted.invented!r}, which stands nowhere"
    inventions = [
        statement
        for statement, cover_ in zip(answer.statements, support.scores, strict=True)
        if cover_ + raised < UNSUPPORTED and statement.mass >= UNSUPPORTED_MASS - 2 * texts.strict
    ]
    if inventions and len(answer.statements) > 1:
        # A long answer has sentences in words of its own: only what is unsupported and definite is held against it.
        short = 1 - texts.length
        definite = any(one.quantities or one.names for one in inventions)
        score = min(score - UNSUPPORTED_COST * short, texts.faulty if definite else 0.69 * short + texts.length)
    score = max(0.0, score)
    reason = f"{score:.0%} supported by the expected answer{' and the evidence' if texts.has_evidence else ''}"
    return score, reason + (f"; without support: {quote(inventions[0].text)}" if inventions else "")


def _relevance(texts: Texts) -> tuple[float, str]:
    """Half how near the whole answer is to what was asked for, half the share of it that is on topic.

    For a long expected answer: how near the whole is to it in what both say beyond the question.
    """
    precision = texts.precision
    share = _mean([min(1.0, score / 0.55) for score in precision.scores], precision.weights)
    near = max(
        min(1.0, texts.recall.mean * 1.3),
        _gist(texts.answer, texts.expected),
        0.9 * _gist(texts.answer, texts.question),
    )
    score, beyond = 0.5 * near + 0.5 * share, nearness(texts.answer, texts.expected, texts.question)
    if beyond is not None:
        near = (1 - texts.length) * near + texts.length * beyond
        score = (1 - texts.length) * score + texts.length * beyond
    return score, f"{share:.0%} on topic, nearness to what was asked {near:.2f}"


def _mean(scores: list[float], weights: tuple[float, ...]) -> float:
    total = sum(weights)
    return sum(s * w for s, w in zip(scores, weights, strict=True)) / total if total else 0.0


def _gist(one: Body, other: Body) -> float:
    """Cosine of two whole texts, scaled so that unrelated texts give about 0."""
    if one.whole is None or other.whole is None:
        return 0.0
    return min(1.0, max(0.0, (float(one.whole @ other.whole) - 0.2) / 0.65))
