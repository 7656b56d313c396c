"""Pages whose columns were drawn row by row: pdfium gives each row as one line, and here they are parted again.

Most PDFs draw one column after the other and need nothing of this. A page is parted only where at least eight
lines in a row have a gap at the same place, both sides hold prose (lines that begin within sentences), so that
tables, which are read row by row, stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from statistics import mean

from ragtester.documents.lines import Line

Span = tuple[str, int, int]
Edges = Callable[[int], tuple[float, float]]

_SPACE = re.compile(" ")
_MIN_ROWS = 8
_MIN_CHARACTERS = 20
_MIN_GAP = 0.9
_WITHIN_SENTENCES = 0.4
_MORE_GAPS = 0.2


def may_have_columns(spans: list[Span], lines: list[Line], edges: Edges) -> bool:
    """A quick look at two long lines of a page: whether both have a gap somewhere in their middle."""
    long = [row for row, (text, _, _) in enumerate(spans) if len(text) >= 2 * _MIN_CHARACTERS]
    if len(long) < _MIN_ROWS:
        return False
    return any(
        _cuts(spans[row], lines[row], edges, middle=True) for row in (long[len(long) // 3], long[len(long) // 2])
    )


def part_columns(spans: list[Span], lines: list[Line], edges: Edges) -> list[Span]:
    """The spans of a page with rows parted into columns, left before right; the same list where there are none.

    A span is a line's text with the places of its first and last characters; `edges` gives left and right of a place.
    """
    cuts = [_cuts(span, line, edges) for span, line in zip(spans, lines, strict=True)]
    start, end, gutter = _longest_run(cuts)
    if end - start < _MIN_ROWS:
        return spans
    if sum(len(gaps) > 1 for gaps in cuts[start:end]) > _MORE_GAPS * (end - start):
        return spans  # three or more columns side by side are a table
    halves = [_halves(spans[row], cuts[row], gutter) for row in range(start, end)]
    left, right = [half[0] for half in halves], [half[1] for half in halves]
    if not (_is_prose(left) and _is_prose(right)):
        return spans
    return [*spans[:start], *left, *right, *spans[end:]]


def _cuts(span: Span, line: Line, edges: Edges, *, middle: bool = False) -> list[tuple[int, float, float]]:
    """Wide gaps between the words of a line: offset of the word after it, left and right end of the gap."""
    text, first, last = span
    window = (len(text) * 2 // 5, len(text) * 3 // 5) if middle else (0, len(text))
    if len(text) != last - first + 1 or len(text) < 2 * _MIN_CHARACTERS:
        return []
    found = []
    for space in _SPACE.finditer(text, *window):
        before, after = edges(first + space.start() - 1)[1], edges(first + space.end())[0]
        if after - before > _MIN_GAP * line.size:
            found.append((space.end(), before, after))
    return found


def _longest_run(cuts: list[list[tuple[int, float, float]]]) -> tuple[int, int, float]:
    """First row, row after the last, and place of the gap that most successive rows share."""
    best = (0, 0, 0.0)
    for row, gaps in enumerate(cuts):
        for _, left, right in gaps:
            low, high, end = left, right, row
            while end < len(cuts):
                shared = next(
                    ((max(low, a), min(high, b)) for _, a, b in cuts[end] if min(high, b) > max(low, a)), None
                )
                if shared is None:
                    break
                low, high, end = *shared, end + 1
            if end - row > best[1] - best[0]:
                best = (row, end, (low + high) / 2)
        if best[1] == len(cuts):
            break
    return best


def _halves(span: Span, gaps: list[tuple[int, float, float]], gutter: float) -> tuple[Span, Span]:
    text, first, last = span
    at = next(offset for offset, left, right in gaps if left <= gutter <= right)
    head = text[:at].rstrip()
    return (head, first, first + len(head) - 1), (text[at:], first + at, last)


def _is_prose(column: list[Span]) -> bool:
    """Lines of some length that begin within sentences: cells of a table begin with capitals or numbers."""
    texts = [text for text, _, _ in column]
    within = sum(text[:1].islower() for text in texts)
    return mean(map(len, texts)) >= _MIN_CHARACTERS and within >= _WITHIN_SENTENCES * len(texts)
