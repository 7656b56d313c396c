"""A member of the embedded panel that compares sentence vectors, and sees neither numbers nor negations."""

from __future__ import annotations

from ragtester.models.embedded.judging_long import nearness
from ragtester.models.embedded.judging_statements import Embed, read
from ragtester.tasks import VoteOnVerdict

NEAR = 0.35
"""Nearness beyond the question (0 to 1) from which an answer says what was expected."""


def by_vectors(request: VoteOnVerdict, embed: Embed) -> tuple[bool, str]:
    """By the cosine of answer and expected answer once the question's direction is taken out of both."""
    if not request.answerable:
        return False, "answers a question that must be refused"
    texts = (request.answer, request.expected_answer, request.question)
    answer, expected, question = (read(text, request.language, embed) for text in texts)
    near = nearness(answer, expected, question)
    if near is None:
        return False, "a text has no word that can be compared"
    return near >= NEAR, f"nearness to the expected answer beyond the question is {near:.2f}, {NEAR} is enough"
