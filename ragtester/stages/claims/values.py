"""What a claim states: which of its case's keywords, and values of which kinds."""

from __future__ import annotations

from collections.abc import Iterable

from ragtester.text.claim_cover import name_stems
from ragtester.text.keywords import keyword_match
from ragtester.text.languages import base
from ragtester.text.quantities import codes, quantities

PLAIN = "words alone"


def keywords_in(claim: str, keywords: Iterable[str], language: str) -> tuple[str, ...]:
    """The keywords that stand in the claim, as the judge would find them."""
    return tuple(word for word in dict.fromkeys(keywords) if word and not keyword_match((word,), claim, language)[1])


def values_in(claim: str, language: str) -> tuple[str, ...]:
    """Kinds of value in the claim: number, date, time, percent, money, code, name; "words alone" where there is none.

    German capitals make no names.
    """
    code = base(language)
    found: dict[str, None] = dict.fromkeys(one.kind for one in quantities(claim, code))
    if codes(claim, code):
        found["code"] = None
    if name_stems(claim, code):
        found["name"] = None
    return tuple(sorted(found)) or (PLAIN,)
