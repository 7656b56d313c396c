"""Where the headings of a text stand: marked as in Markdown, else numbered, else short lines on their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragtester.text.line_kinds import labelled

Pair = tuple[int, int]

PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")
_HEADING = re.compile(
    r"(?:#{1,6}\s|\d+(?:\.\d+)*\.?\s+\S|(?:chapter|section|part|annex|appendix|kapitel|chapitre)\b)", re.I
)
# "4.2.1 Purpose", "A.2 Fonts" stand for themselves; "4 Purpose" and "Chapter 4" only after a finished paragraph.
_DEEP = re.compile(r"(?:\d{1,3}(?:\.\d{1,3})+\.?|[A-Z](?:\.\d{1,3})+\.?)\s+(?=\D)(\S)")
_SHALLOW = re.compile(r"\d{1,2}\.?\s+(?=\D)\S")
_NAMED = re.compile(r"(?:chapter|section|part|annex|appendix|kapitel|chapitre)\s+[\dA-Z]", re.I)
_MARKED = re.compile(r"^ {0,3}#{1,6}(?:[ \t]+\S.*|[ \t]*)$", re.M)
_UNDERLINED = re.compile(r"^ {0,3}\S[^\n]*\n {0,3}(?:={2,}|-{3,})[ \t]*$", re.M)
_UNFINISHED = (".", "!", "?", ":", ";", ",", "。", "！", "？", "|", "`")
_SENTENCES = re.compile(r"[^\W\d][.!?]\s+\S|[。！？]")
_CLOSED = re.compile(r"[.!?…:;。！？：；।؟۔][\"'”’»)\]」』）]*$")
_UNITS = 90
_DEEP_UNITS = 140
_LEAST = 3
# One numbered heading in so many characters (some seven pages), and the numbers are the document's own headings.
_NUMBERED_EVERY = 20_000


def paragraphs(text: str, start: int = 0, end: int | None = None) -> list[Pair]:
    """Spans of the paragraphs of `text[start:end]` with the blank lines after them: joined they are that text."""
    stop = len(text) if end is None else end
    ends = [found.end() for found in PARAGRAPH_END.finditer(text, start, stop)]
    if not ends or ends[-1] < stop:
        ends.append(stop)
    return [pair for pair in zip([start, *ends[:-1]], ends, strict=True) if pair[1] > pair[0]]


def is_heading(paragraph: str) -> bool:
    """One short line without a sentence's end, or one that is marked or numbered as a heading."""
    line = paragraph.strip()
    if not line or "\n" in line or len(line) > _UNITS:
        return False
    return bool(_HEADING.match(line)) or not line.endswith(_UNFINISHED)


def heading_spans(text: str, code: Sequence[Pair] = (), *, marked: bool = True) -> list[Pair]:
    """Spans of the headings, without the line ends after them, in order.

    `marked` texts may carry Markdown's marks (`#`, or a line of `=` or `-` below); in the spans `code` those are no
    marks. A text with such marks has no other headings. Without them its numbered headings count, where there are
    enough of them to be the document's own; else short lines that stand alone after a finished paragraph.
    """
    found = sorted(_by_marks(text, code)) if marked else []
    if found:
        return found
    alone = list(_alone(text, code))
    numbered = [(start, end) for start, end in alone if _has_number(text[start:end])]
    return numbered if len(numbered) >= max(_LEAST, len(text) / _NUMBERED_EVERY) else alone


def _by_marks(text: str, code: Sequence[Pair]) -> Iterator[Pair]:
    inside = iter(code)
    block = next(inside, None)
    underlined = [] if "\n=" not in text and "\n-" not in text else list(_underlined(text))
    for start, end in sorted([*(found.span() for found in _MARKED.finditer(text)), *underlined]):
        while block is not None and block[1] <= start:
            block = next(inside, None)
        if block is None or start < block[0]:
            yield start, end


def _underlined(text: str) -> Iterator[Pair]:
    """A line alone above a line of `=` or `-`; below a longer paragraph that is a rule or a table."""
    for found in _UNDERLINED.finditer(text):
        title = found.group().split("\n", 1)[0]
        after_blank = text[max(0, found.start() - 2) : found.start()] in ("", "\n", "\n\n")
        if after_blank and "|" not in title and not title.lstrip().startswith(("#", "-", "=", ">")):
            yield found.span()


def _alone(text: str, code: Sequence[Pair]) -> Iterator[Pair]:
    """Paragraphs that look like a heading and do not go on with a sentence that was left open."""
    inside = {start for start, _ in code}
    open_before = False
    for start, end in paragraphs(text):
        paragraph = text[start:end]
        line = paragraph.strip()
        begin = start + len(paragraph) - len(paragraph.lstrip())
        found = begin not in inside and (is_numbered(line) or (not open_before and _looks_like_one(line)))
        if found:
            yield begin, begin + len(line)
        # Code ends anywhere: only what begins like a sentence can be left open.
        prose = not found and bool(line) and begin not in inside and not line[0].islower()
        open_before = prose and not _CLOSED.search(line[-8:])


def _has_number(line: str) -> bool:
    return is_numbered(line) or bool(_SHALLOW.match(line) or _NAMED.match(line))


def is_numbered(line: str) -> bool:
    """A number of several parts and a title of one line or two; no row of numbers, no measure, no sentences."""
    if len(line) > _DEEP_UNITS or line.count("\n") > 1 or line.endswith((".", ",", ";", "。")):
        return False
    found = _DEEP.match(line)
    return found is not None and not found[1].islower() and not _SENTENCES.search(line)


def _looks_like_one(line: str) -> bool:
    """One short line without a sentence's end that begins with no small letter, and is neither code nor a row."""
    if not is_heading(line) or line[0].islower() or line.endswith((".", ",", ";", ":", "|")) or _SENTENCES.search(line):
        return False
    kinds = {kind for kind, _ in labelled([line])}
    titled = bool(_NAMED.match(line)) or kinds <= {"short", "prose", "list"}
    return titled and any(character.isalpha() for character in line)
