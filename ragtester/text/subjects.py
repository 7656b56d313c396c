"""Whether two texts may speak of the same thing: by the words that they share, values apart. Pure."""

from __future__ import annotations

from functools import lru_cache
from math import ceil

from ragtester.text.languages import base
from ragtester.text.quantities import codes, quantities
from ragtester.text.stems import stems

SHARE = 1 / 3
"""Share of a claim's subject words that a passage must hold to be asked about the claim."""


@lru_cache(maxsize=4096)
def subject(text: str, language: str) -> frozenset[str]:
    """Content stems and codes of a text without its quantities: what it speaks of, not what it says of it."""
    code = base(language)
    return frozenset((*stems(without_quantities(text, code), code), *(one.casefold() for one in codes(text, code))))


def shares_subject(claim: str, text: str, language: str, share: float = SHARE) -> bool:
    """Whether `text` holds at least `share` of the claim's subject words, one at least.

    A claim without such words (a bare number) may be about anything: then yes. What contradicts a claim in its own
    words shares most of them; what puts it in other words, or in another language, still shares names.
    """
    asked = subject(claim, language)
    return not asked or len(asked & subject(text, language)) >= max(1, ceil(share * len(asked)))


def without_quantities(text: str, language: str) -> str:
    """The text with a space in the place of each quantity."""
    for one in reversed(quantities(text, language)):
        text = f"{text[: one.start]} {text[one.end :]}"
    return text
