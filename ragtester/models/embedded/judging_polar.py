"""Answers that are nothing but "yes" or "no"."""

from __future__ import annotations

from ragtester.models.embedded.judging_words import NEGATORS, NO, YES
from ragtester.tasks import AnswerSeen
from ragtester.text.languages import base, stop_words
from ragtester.text.words import words


def polar_reply(request: AnswerSeen) -> bool | None:
    """Whether a bare "yes" or "no" agrees with the first word of the expected answer; None where either is no such."""
    said = _sense(request.answer)
    if said is None or set(words(request.answer)) - NEGATORS - NO - YES - stop_words(base(request.language)):
        return None
    first = _sense(" ".join(words(request.expected_answer)[:1]))
    return None if first is None else said == first


def _sense(text: str) -> bool | None:
    """True for yes, False for a denial, None for neither or both."""
    found = set(words(text))
    denies, affirms = bool(found & (NEGATORS | NO)), bool(found & YES)
    return None if denies == affirms else affirms
