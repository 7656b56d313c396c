"""Whether an answer is a pure abstention, in many languages and wordings.

The rule is structural: the answer is cut into clauses; abstaining clauses (a refusal phrase, or a pattern that
denies knowledge or information) and courtesies are taken away; an abstention is what then has nothing left. A
phrase alone never decides: "I don't know for sure, but it is most likely silver grey" asserts a colour.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ragtester.text.abstaining import (
    ABSTAINING,
    CLAIM,
    CONTAINING,
    CONTRAST,
    COURTESY,
    EXPLAINS,
    HEDGE,
    SOURCE_OR_INFORMATION,
)
from ragtester.text.normalise import fold
from ragtester.text.sentences import sentences
from ragtester.text.words import words

_MARKS = " .,;:!?。！？、，…\"'*_#`-()[]"
_PAUSE = re.compile(r"[,:，、：]\s*| - ")
_CITATION = re.compile(r"\[[^\[\]]{1,80}\]")


def is_refusal(answer: str, phrases: tuple[str, ...] | list[str], language: str) -> bool:
    """True where the answer only says that it cannot answer. An empty answer is no refusal."""
    return _is_refusal(answer, tuple(phrases), language)


@lru_cache(maxsize=512)
def _is_refusal(answer: str, phrases: tuple[str, ...], language: str) -> bool:
    folded_phrases = [fold(phrase).strip(_MARKS) for phrase in phrases if fold(phrase).strip(_MARKS)]
    abstains = False
    for sentence in sentences(_CITATION.sub(" ", answer), language):
        for clause in CONTRAST.split(fold(sentence)):
            kind = _kind(clause, folded_phrases)
            if kind == "asserts":
                return False
            abstains = abstains or kind == "abstains"
    return abstains


def _kind(clause: str, phrases: list[str]) -> str:
    """One of "abstains", "asserts" and "nothing" (a courtesy, or no words)."""
    bare = clause.strip(_MARKS)
    if not words(bare):
        return "nothing"
    if HEDGE.search(bare):
        return "asserts"
    after = max((bare.find(phrase) + len(phrase) for phrase in phrases if phrase in bare), default=-1)
    denied = _denial(bare)
    if after >= 0 or denied:
        tail = bare[max(after, denied.end() if denied else -1) :]
        return "asserts" if _claims(tail) else "abstains"
    return "nothing" if COURTESY.search(bare) else "asserts"


def _denial(clause: str) -> re.Match[str] | None:
    """The first place that denies knowledge; what only says that a thing does not contain another is none."""
    about = SOURCE_OR_INFORMATION.search(clause)
    return next((found for found in ABSTAINING.finditer(clause) if about or not CONTAINING.search(found[0])), None)


def _claims(tail: str) -> bool:
    """Whether what follows a denial, after a comma, colon or dash, is a claim of its own ("..., it is grey")."""
    _, mark, remark = _PAUSE.sub("\0", tail, count=1).partition("\0")
    remark = remark.strip(_MARKS)
    return bool(mark) and bool(CLAIM.search(remark)) and not ABSTAINING.search(remark) and not EXPLAINS.search(remark)
