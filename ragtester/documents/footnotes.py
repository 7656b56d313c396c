"""Footnotes that stand between two halves of a sentence are set before the paragraph which they interrupt.

A footnote at the foot of a column or page follows its last line, while the sentence goes on in the next column or on
the next page. Only where all of that shows is anything moved: smaller lines below an unfinished line of prose, and
after them, higher up or on the next page, a line of the old size that begins within a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from statistics import median

from ragtester.documents.lines import Line, Page
from ragtester.text.widths import width_units

_SMALLER = 0.93
_LARGEST = 1.1
_FOOT = 0.35
_ALIKE = 0.03
_MOST_LINES = 25
_MIN_UNITS = 30
_FINISHED = re.compile(r"[.!?…:;。！？：；][\"'”’»)\]」』）]*$")
_WITHIN = re.compile(r"[a-zß-öø-ÿα-ωа-яё,;)]")


def set_notes_apart(
    pages: list[Page], joins: Callable[[Line, Line, Line], bool], is_full: Callable[[Line, Line], bool]
) -> None:
    """Reorder the lines of `pages` in place.

    `joins(before, after, later)` says that two lines are one paragraph, `is_full(before, after)` that the first word
    of the one would not have fitted into the other.
    """
    filled = [page for page in pages if page.lines and page.placed]
    body = _LARGEST * median([line.size for page in filled for line in page.lines] or [0.0])
    for number, page in enumerate(filled):
        following = filled[number + 1].lines[0] if number + 1 < len(filled) else None
        for start, end in list(_notes(page.lines, following)):
            before, after = page.lines[start - 1], page.lines[end] if end < len(page.lines) else following
            low = page.lines[end - 1].top < _FOOT * page.height
            if after is None or before.size > body or not low or not is_full(before, after):
                continue
            first = _paragraph_start(page.lines, start - 1, joins)
            if first > 0 or not _WITHIN.match(page.lines[0].text):
                page.lines[first:end] = [*page.lines[start:end], *page.lines[first:start]]


def _notes(lines: list[Line], following: Line | None) -> Iterator[tuple[int, int]]:
    """First and last-but-one line of each run of smaller lines that interrupts a sentence."""
    start = 1
    while start < len(lines):
        before, end = lines[start - 1], start
        while end < min(len(lines), start + _MOST_LINES) and lines[end].size < _SMALLER * before.size:
            end += 1
        after = lines[end] if end < len(lines) else following
        higher = end == len(lines) or lines[end].top > before.top + before.size
        if end > start and after is not None and higher and _interrupts(before, lines[start], after):
            yield start, end
            start = end
        start += 1


def _interrupts(before: Line, note: Line, after: Line) -> bool:
    unfinished = width_units(before.text) > _MIN_UNITS and not _FINISHED.search(before.text)
    alike = abs(after.size - before.size) <= _ALIKE * before.size and after.bold == before.bold
    below = note.top < before.bottom - 0.5 * before.size
    prose = not (before.mono or after.mono or note.mono or before.bold)
    return unfinished and alike and below and prose and bool(_WITHIN.match(after.text))


def _paragraph_start(lines: list[Line], index: int, joins: Callable[[Line, Line, Line], bool]) -> int:
    while index > 0 and joins(lines[index - 1], lines[index], lines[index + 1]):
        index -= 1
    return index
