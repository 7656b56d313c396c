"""Claims that are no sentence: a bare value, a phrase, a "yes". With their question they can be understood."""

from __future__ import annotations

import re

from ragtester.models.embedded.claim_verbs import verb
from ragtester.models.embedded.judging_words import NO, YES
from ragtester.text.quantities import quantities
from ragtester.text.stems import stems
from ragtester.text.words import words

_DETERMINER = re.compile(r"(?:the|der|die|das|le|la|les|el|los|las|il|lo|gli|het|de|o|os|as) ", re.I)
_WORDS, _VALUED_WORDS = 2, 5
"""Up to so many content words a text without a verb is a fragment, and one that begins with a value."""


def completed(claim: str, question: str, code: str) -> str:
    """The claim, behind its question where it is a fragment: "How heavy is it: 23 kg"."""
    asked = _opening(question)
    return f"{asked}: {claim}" if asked and (is_fragment(claim, code) or polar(claim)) else claim


def bare(claim: str, question: str) -> str:
    """A claim without the question that it was completed with."""
    asked = _opening(question)
    return claim.removeprefix(f"{asked}:").strip() if asked else claim


def is_fragment(claim: str, code: str) -> bool:
    """Whether a claim is a value or a phrase."""
    said = [one for one in stems(claim, code) if not one.replace(".", "").isdigit()]
    if len(said) > 1 and _DETERMINER.match(claim) and quantities(claim, code):
        return False  # "The crane lifts 5 t": a verb that is not in the list
    if starts_with_value(claim, code):
        return len(said) <= _VALUED_WORDS
    return len(said) <= _WORDS and not verb(code).search(claim)


def _opening(question: str) -> str:
    return " ".join(question.split()).rstrip(" ?？.") if words(question) else ""


def starts_with_value(text: str, code: str) -> bool:
    """Whether a text begins with a number."""
    found = quantities(text, code)
    return bool(found) and found[0].start < 2


def polar(text: str) -> bool:
    """Whether a text is nothing but "yes" or "no"."""
    said = set(words(text))
    return bool(said) and said <= YES | NO


def denies(text: str) -> bool:
    """Whether a text that is nothing but "yes" or "no" is a "no"."""
    return polar(text) and bool(set(words(text)) & NO)
