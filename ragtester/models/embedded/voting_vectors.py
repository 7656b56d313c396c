"""A member of the embedded panel that compares sentence vectors, and sees neither numbers nor negations."""

from __future__ import annotations

from typing import Any

from ragtester.models.embedded.judging_long import nearness
from ragtester.models.embedded.judging_statements import Embed, read
from ragtester.tasks import VoteOnVerdict

NEAR = 0.35
"""Nearness beyond the question (0 to 1) from which an answer may say what was expected."""
SAME = 0.8
"""Cosine from which a sentence of the evidence says what was expected, and is no rival of it."""
AHEAD = 0.1
"""By so much must a rival be nearer to the answer than the expected answer is."""


def by_vectors(request: VoteOnVerdict, embed: Embed) -> tuple[bool, str]:
    """Near to the expected answer once the question's direction is taken out of both, and to no other sentence more.

    The other sentences are those of the evidence: whoever repeats the neighbouring sentence is near to that one.
    """
    if not request.answerable:
        return False, "answers a question that must be refused"
    texts = (request.answer, request.expected_answer, request.question)
    answer, expected, question = (read(text, request.language, embed) for text in texts)
    near = nearness(answer, expected, question)
    if near is None:
        return False, "a text has no word that can be compared"
    if near < NEAR:
        return False, f"nearness to the expected answer beyond the question is {near:.2f}, below {NEAR}"
    lead, rival = _rival(request, answer.whole, expected.whole, embed)
    if lead > AHEAD:
        return False, f"nearer to another sentence of the evidence than to the expected answer: {rival[:80]!r}"
    return True, f"nearness to the expected answer beyond the question is {near:.2f}, and no other sentence is nearer"


def _rival(request: VoteOnVerdict, answer: Any, expected: Any, embed: Embed) -> tuple[float, str]:
    """By how much the nearest sentence of the evidence is ahead of the expected answer, and the sentence."""
    found = []
    for passage in request.evidence:
        body = read(passage.text, request.language, embed)
        for statement, vector in zip(body.statements, body.vectors if body.statements else (), strict=True):
            found.append((float(vector @ expected), float(vector @ answer), statement.text))
    # The sentence nearest to the expected answer is where that comes from, however much more it says.
    source = max(found, default=(1.0, 0.0, ""))[0]
    rivals = [(near, text) for to_expected, near, text in found if to_expected < min(SAME, source)]
    near, text = max(rivals, default=(-1.0, ""))
    return near - float(answer @ expected), text
