"""Keyword match: computed, not asked."""

from __future__ import annotations

import re

from ragtester.records import Rating
from ragtester.text.languages import base
from ragtester.text.normalise import fold
from ragtester.text.quantities import quantities, same_quantity
from ragtester.text.stems import stems

_SEPARATORS = re.compile(r"[\s\-_./']+")


def keyword_match(keywords: tuple[str, ...], answer: str, language: str) -> tuple[Rating, tuple[str, ...]]:
    """Rate the keywords in an answer and name the missing ones: all "true", some "partially", none "false".

    A keyword is found by its stems side by side (case, NFKC, hyphens, inflection), joined or parted
    ("firefighting", "fire-fighting"), or by the same quantity in another spelling ("1.5 m", "150 cm"). Whole words
    only: "art" is not in "start". Without keywords the match is empty and "true"; the verdict then leaves it to
    completeness (see `ragtester.verdict`).
    """
    asked = tuple(dict.fromkeys(keyword for keyword in keywords if fold(keyword)))
    missing = tuple(keyword for keyword in asked if not _found(keyword, answer, base(language)))
    rating: Rating = "true" if not missing else "false" if len(missing) == len(asked) else "partially"
    return rating, missing


def _found(keyword: str, answer: str, language: str) -> bool:
    wanted = stems(keyword, language, keep_stop_words=True)
    present = stems(answer, language, keep_stop_words=True)
    named = quantities(keyword, language)
    if named:
        # The value decides: its digits alone in another unit are not the keyword.
        given = quantities(answer, language)
        if not all(any(same_quantity(one, two) for two in given) for one in named):
            return False
        rest = _without(keyword, [(quantity.start, quantity.end) for quantity in named])
        return not fold(rest).strip(" .,;:()[]\"'-/%") or set(stems(rest, language)) <= set(present)
    if not wanted:
        return _SEPARATORS.sub("", fold(keyword)) in _SEPARATORS.sub("", fold(answer))
    return _side_by_side(wanted, present) or _joined("".join(wanted), present, len(wanted))


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]} {text[end:]}"
    return text


def _side_by_side(wanted: list[str], present: list[str]) -> bool:
    width = len(wanted)
    return any(present[place : place + width] == wanted for place in range(len(present) - width + 1))


def _joined(wanted: str, present: list[str], parts: int) -> bool:
    """Whether up to `parts + 2` neighbouring stems written together give the keyword written together."""
    for place in range(len(present)):
        run = ""
        for word in present[place : place + parts + 2]:
            run += word
            if run == wanted:
                return True
            if len(run) > len(wanted):
                break
    return False
