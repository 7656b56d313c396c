"""Cuts a text into sections that never overlap and together are the whole text."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from ragtester.documents.readability import flesch
from ragtester.documents.section_kinds import kind_of, prose_of
from ragtester.records import Section
from ragtester.text.headings import PARAGRAPH_END, is_heading
from ragtester.text.words import estimate_tokens

_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’»)\]]*\s+|[。！？]+[”’」』）]*")
_LINE_END = re.compile(r"\n+")
_SPACE = re.compile(r"\s+")
_LONGEST_TOKEN = 16
_GRAPHEME = 64
_HEADING_BONUS = 0.3
_NEAREST, _FURTHEST = 0.5, 1.5


@dataclass(frozen=True, slots=True)
class _Cut:
    """A place where a section may end: its offset, the tokens before it, whether a heading begins there."""

    at: int
    tokens: int
    heading: bool


def cut_sections(text: str, document_id: str, count: int, max_tokens: int, language: str) -> list[Section]:
    """Cut a text into `count` sections of about equal size, each ended by a paragraph end or the token maximum.

    The spans are contiguous: joined in order they are exactly `text`. A paragraph is cut only where it alone exceeds
    `max_tokens` (estimated tokens), then at the last sentence end, else word end, that fits. Paragraph ends before a
    heading are preferred, and a heading is never parted from what it heads. Where the text has fewer paragraphs than
    `count`, fewer sections come out; where `count` sections of `max_tokens` would not hold it, there are MORE than
    `count`, and callers choose among them. The score is that of the section's paragraphs with sentences (headings
    and tables have none); None for other kinds than prose.
    """
    if not text.strip():
        return []
    cuts = _cuts(text, max_tokens)
    total = cuts[-1].tokens
    parts = max(1, min(max(count, math.ceil(total / max_tokens)), len(cuts)))
    spans: list[tuple[int, int]] = []
    start, done, index = 0, 0, 0
    while index < len(cuts):
        left = max(1, parts - len(spans))
        index = _choose(cuts, index, done, (total - done) / left, max_tokens)
        spans.append((start, cuts[index].at))
        start, done = cuts[index].at, cuts[index].tokens
        index += 1
    _join_rest(text, spans, total / parts, max_tokens)
    return [_section(text, document_id, ordinal, span, language) for ordinal, span in enumerate(spans)]


def _join_rest(text: str, spans: list[tuple[int, int]], ideal: float, max_tokens: int) -> None:
    """A scrap at the end joins the section before it where both fit."""
    if len(spans) > 1 and estimate_tokens(text[slice(*spans[-1])]) < 0.25 * min(ideal, max_tokens):
        start, end = spans[-2][0], spans[-1][1]
        if estimate_tokens(text[start:end]) <= max_tokens:
            spans[-2:] = [(start, end)]


def _choose(cuts: list[_Cut], index: int, done: int, ideal: float, max_tokens: int) -> int:
    """The cut at or after `index` whose section comes nearest to the ideal size without exceeding the maximum."""
    ideal = min(ideal, max_tokens)
    if len(cuts) - index == 1:
        return index
    best, least = index, math.inf
    for number in range(index, len(cuts)):
        size = cuts[number].tokens - done
        if number > index and (size > max_tokens or size > _FURTHEST * max(ideal, 1)):
            break
        distance = abs(size - ideal) / max(ideal, 1)
        bonus = _HEADING_BONUS if cuts[number].heading and size >= _NEAREST * ideal else 0.0
        if distance - bonus < least:
            best, least = number, distance - bonus
    return best


def _section(text: str, document_id: str, ordinal: int, span: tuple[int, int], language: str) -> Section:
    piece = text[slice(*span)]
    kind = kind_of(piece, language)
    return Section(
        document_id=document_id,
        ordinal=ordinal,
        start=span[0],
        end=span[1],
        kind=kind,
        tokens=estimate_tokens(piece),
        flesch=flesch(prose_of(piece), language) if kind == "prose" else None,
    )


def _cuts(text: str, max_tokens: int) -> list[_Cut]:
    """Every place where a section may end, in order; the last is the end of the text."""
    ends = [found.end() for found in PARAGRAPH_END.finditer(text)]
    if not ends or ends[-1] != len(text):
        ends.append(len(text))
    cuts: list[_Cut] = []
    start, tokens = 0, 0
    for position, end in enumerate(ends):
        own = estimate_tokens(text[start:end])
        heads = position + 1 < len(ends) and own <= max_tokens // 2 and is_heading(text[start:end])
        if heads:
            continue  # what it heads follows: `start` stays, so the heading counts with its paragraph
        for piece_end in _pieces(text, start, end, own, max_tokens):
            whole = piece_end == end and own <= max_tokens
            tokens += own if whole else estimate_tokens(text[start:piece_end])
            follows = piece_end == end and is_heading(text[end : ends[min(position + 1, len(ends) - 1)]])
            cuts.append(_Cut(piece_end, tokens, follows))
            start = piece_end
    return cuts


def _pieces(text: str, start: int, end: int, tokens: int, max_tokens: int) -> list[int]:
    """Ends of the pieces of one paragraph, each of at most `max_tokens`; only its own end where it fits."""
    if tokens <= max_tokens:
        return [end]
    line_ends = [found.end() for found in _LINE_END.finditer(text, start, end)]
    sentence_ends = [found.end() for found in _SENTENCE_END.finditer(text, start, end)]
    word_ends = [found.end() for found in _SPACE.finditer(text, start, end)]
    pieces: list[int] = []
    while not _fits(text, start, end, max_tokens):
        limit = _furthest(text, start, min(end, start + _LONGEST_TOKEN * max_tokens), max_tokens)
        better = (_last_between(ends, start, limit) for ends in (line_ends, sentence_ends, word_ends))
        start = next((end_ for end_ in better if end_), limit)
        pieces.append(start)
    return [*pieces, end] if not pieces or pieces[-1] < end else pieces


def _fits(text: str, start: int, end: int, max_tokens: int) -> bool:
    return end - start <= _LONGEST_TOKEN * max_tokens and estimate_tokens(text[start:end]) <= max_tokens


def _last_between(ends: list[int], start: int, limit: int) -> int | None:
    """The last of sorted `ends` in the second half of (start, limit]."""
    index = bisect_right(ends, limit)
    first = bisect_left(ends, start + (limit - start) // 2 + 1)
    return ends[index - 1] if index > first else None


def _furthest(text: str, start: int, end: int, max_tokens: int) -> int:
    """The furthest grapheme border at which `text[start:border]` has at most `max_tokens` (by bisection)."""
    low, high = start + 1, end
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate_tokens(text[start:middle]) <= max_tokens else (low, middle - 1)
    return _grapheme_border(text, start, low, end)


def _grapheme_border(text: str, start: int, at: int, end: int) -> int:
    """The last border between graphemes at or before `at`, or the first after it where there is none."""
    import regex  # type: ignore[import-untyped]

    graphemes = regex.compile(r"\X").finditer(text, max(start, at - _GRAPHEME), min(end, at + _GRAPHEME))
    borders = [found.end() for found in graphemes]
    before = [border for border in borders if start < border <= at]
    return before[-1] if before else next((border for border in borders if border > at), end)
