"""Raised numbers, which would melt into the word or number before them: "Center1" and "15:004" in plain text.

A raised number after a word, a punctuation mark or a time is the mark of a note and is set in brackets; after a
letter or a unit it is an exponent (x³, km²) and becomes a raised character, after 10 it becomes "^6".
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ragtester.documents.lines import Line

_END = r"(?![^\W_]|[.,:]\d)"
_NUMBER = re.compile(
    rf"(?<=[^\W\d_])\d{{1,3}}{_END}|(?<=\D[.,;:!?)\]”’»\"'])\d{{1,3}}{_END}|(?<=\d[:.]\d\d)\d{{1,2}}{_END}|"
    rf"(?<=\b10)\d{{1,2}}{_END}"
)
_EXPONENT = re.compile(r"(?<![^\W_])(?:[^\W\d_]|[cdhkmn]m|ft|sin|cos|tan|log|ln|exp)\Z")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def has_number_in_word(text: str) -> bool:
    """Whether a text holds anything that could be a raised number."""
    return bool(_NUMBER.search(text))


def part_note_marks(spans: list[tuple[str, int, int]], lines: list[Line], baseline: Callable[[int], float]) -> None:
    """Rewrite the texts of `lines` in place; `baseline` gives the height of the character at a place of the page."""
    for (text, first, last), line in zip(spans, lines, strict=True):
        if len(text) != last - first + 1:
            continue
        found = [
            number
            for number in _NUMBER.finditer(text)
            if baseline(first + number.start()) - baseline(first + number.start() - 1) > 0.12 * line.size
        ]
        for number in reversed(found):
            line.text = line.text[: number.start()] + _written(text, number) + line.text[number.end() :]


def _written(text: str, number: re.Match[str]) -> str:
    before = text[: number.start()]
    if before.endswith("10") and not before[:-2].endswith(tuple("0123456789.,:")):
        return f"^{number.group()}"
    return number.group().translate(_RAISED) if _EXPONENT.search(before) else f"[{number.group()}]"
