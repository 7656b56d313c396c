"""Lines that repeat over a document: the heads and footers that its reader did not know for such."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from ragtester.spans import Pair

_NUMBER = re.compile(r"\d+")
_BLANKS = re.compile(r"\n{3,}")
# A paragraph is no footer; a heading, an item and a row of a table are the document's own however often they come.
_LONGEST = 160
_OWN = re.compile(r"#|\||[-*+•]\s|`{3}|~{3}")
_MIN_PAGES = 3
_MIN_TIMES = 4
# Without pages: lines from one to the next, how far from the usual number, how many of them, and over how much text.
_LEAST_GAP = 8
_UNEVEN = 0.25
_REGULAR = 0.8
_SPREAD = 0.5


@dataclass(frozen=True, slots=True)
class _Line:
    """A line with text: its number among them, its span with its end, and its words up to numbers."""

    number: int
    start: int
    end: int
    key: str


def repeated_lines(text: str, page_starts: Sequence[int]) -> list[Pair]:
    """Spans of the lines (with their ends) that repeat over the document, up to their numbers, in order.

    With pages: that stand on at least 3 pages and at least half of them; a bare number only at the edge of its pages.
    Without: that come four times or more, at about even distances, over at least half of the text.
    """
    lines = list(_lines(text))
    found = _on_pages(lines, page_starts) if page_starts else _at_even_distances(lines)
    return sorted((line.start, line.end) for line in found)


def without(text: str, start: int, end: int, spans: Sequence[Pair]) -> str:
    """`text[start:end]` without what lies in the sorted, disjoint `spans`; the same text where nothing does."""
    parts: list[str] = []
    at = start
    for number in range(max(0, bisect_right(spans, (start, start)) - 1), len(spans)):
        first, last = spans[number]
        if first >= end:
            break
        parts.append(text[at : max(at, first)])
        at = min(end, max(at, last))
    left = "".join([*parts, text[at:end]])
    return left if len(left) == end - start else _BLANKS.sub("\n\n", left).strip()


def _lines(text: str) -> Iterator[_Line]:
    start = number = 0
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        if bare:
            key = (
                "" if len(bare) > _LONGEST or _OWN.match(bare) else " ".join(_NUMBER.sub("#", bare).casefold().split())
            )
            yield _Line(number, start, start + len(line), key)
            number += 1
        start += len(line)


def _on_pages(lines: Sequence[_Line], page_starts: Sequence[int]) -> Iterator[_Line]:
    pages: dict[int, list[_Line]] = defaultdict(list)
    for line in lines:
        pages[bisect_right(page_starts, line.start)].append(line)
    groups: dict[str, dict[int, list[_Line]]] = defaultdict(dict)
    for page, own in pages.items():
        for line in own:
            if _has_words(line.key) or (line.key and line in (own[0], own[-1])):
                groups[line.key].setdefault(page, []).append(line)
    for on in groups.values():
        if len(on) >= max(_MIN_PAGES, len(pages) / 2):
            for group in on.values():
                yield from group


def _at_even_distances(lines: Sequence[_Line]) -> Iterable[_Line]:
    groups: dict[str, list[_Line]] = defaultdict(list)
    for line in lines:
        if _has_words(line.key):
            groups[line.key].append(line)
    for group in groups.values():
        if len(group) < _MIN_TIMES or group[-1].number - group[0].number < _SPREAD * len(lines):
            continue
        gaps = [after.number - before.number for before, after in pairwise(group)]
        usual = median(gaps)
        even = sum(abs(gap - usual) <= _UNEVEN * usual for gap in gaps)
        if usual >= _LEAST_GAP and even >= _REGULAR * len(gaps):
            yield from group


def _has_words(key: str) -> bool:
    return any(character.isalpha() for character in key)
