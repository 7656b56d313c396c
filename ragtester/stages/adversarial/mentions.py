"""Where a sentence says a phrase, by value: numbers with their units, stems, digits of a telephone number. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragtester.text.keywords import keyword_match
from ragtester.text.quantities import quantities, same_quantity

Span = tuple[int, int]
_DIGITS = 7
_NUMBER_ALONE = re.compile(r"[\d\s\-/.()+]+")


def mentions(phrase: str, sentence: str, language: str) -> list[Span]:
    """Spans `[start, end)` of the sentence where it says the phrase; empty where it does not.

    A phrase with a quantity is found by its value ("2,5 ml" says "2.5 ml", "14 days" does not say "4 days").
    """
    if _is_number(phrase):
        return _digits(phrase, sentence)
    if keyword_match((phrase,), sentence, language)[0] != "true":
        return []
    wanted = quantities(phrase, language)
    if wanted:
        given = quantities(sentence, language)
        return [(one.start, one.end) for one in given if same_quantity(one, wanted[0])]
    return list(_worded(phrase, sentence)) or [(0, len(sentence))]


def _is_number(phrase: str) -> bool:
    """Whether it is a number that is dialled: no value, and written with gaps anywhere."""
    return bool(_NUMBER_ALONE.fullmatch(phrase)) and len(re.sub(r"\D", "", phrase)) >= _DIGITS


def _digits(phrase: str, sentence: str) -> list[Span]:
    wanted = r"[\s\-/.()]*".join(re.sub(r"\D", "", phrase))
    return [match.span() for match in re.finditer(rf"(?<!\d){wanted}(?!\d)", sentence)]


def _worded(phrase: str, sentence: str) -> Iterator[Span]:
    """Where its words stand as they are; an inflected phrase stands somewhere in the sentence."""
    pattern = r"\W+".join(map(re.escape, phrase.split()))
    return (match.span() for match in re.finditer(pattern, sentence, re.I))
