"""Where the tables and the code of a text stand: by Markdown's marks, else by the shape of their lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ragtester.text.headings import Pair, is_numbered, paragraphs
from ragtester.text.line_kinds import ITEM, LineKind, labelled

_FENCE = re.compile(r"[ \t]*(`{3,}(?!.*`)|~{3,})")
_INDENTED = re.compile(r"(?: {4}|\t)[ \t]*\S")
_RULE = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?")
# A line that is longer is no row of a table and no line of code, and not worth looking at letter by letter.
_LONGEST_LINE = 1000


def code_spans(text: str) -> list[Pair]:
    """Code: between fences, indented by four spaces after a blank line, or paragraphs of lines that look like it."""
    fenced = list(_fenced(text, list(_lines(text))))
    marked = sorted([*fenced, *outside(_indented(text), fenced)])
    return sorted([*marked, *outside(_shaped(text, "code"), marked)])


def table_spans(text: str, code: Sequence[Pair]) -> list[Pair]:
    """Tables outside `code`: rows with pipes, or paragraphs of rows with numbers."""
    piped = list(outside(_piped(text), code))
    return sorted([*piped, *outside(_shaped(text, "table"), sorted([*code, *piped]))])


def _lines(text: str) -> Iterator[Pair]:
    """Spans of the lines without their ends."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield start, end
        start = end + 1
    yield start, len(text)


def _fenced(text: str, lines: list[Pair]) -> Iterator[Pair]:
    """Fences with what is between them; one that is never closed is none."""
    unclosed: dict[str, int] = {}
    number = 0
    while number < len(lines):
        opening = _FENCE.match(text, *lines[number])
        mark = opening[1] if opening else ""
        if mark and len(mark) < unclosed.get(mark[0], len(mark) + 1):
            closing = _closing(text, lines, number + 1, mark)
            if closing is None:
                unclosed[mark[0]] = len(mark)
            else:
                yield lines[number][0], lines[closing][1]
                number = closing
        number += 1


def _closing(text: str, lines: list[Pair], first: int, mark: str) -> int | None:
    """Number of the line that closes a fence: as many of its marks or more, and nothing else."""
    for number in range(first, len(lines)):
        line = text[slice(*lines[number])].strip()
        if line.startswith(mark) and not line.strip(mark[0]):
            return number
    return None


def _indented(text: str) -> Iterator[Pair]:
    """Runs of lines indented by four spaces or a tab, after a blank line and not below a list item."""
    begin, end = -1, -1
    blank, listed = True, False
    for line in _lines(text):
        filled = bool(text[slice(*line)].strip())
        if filled and _INDENTED.match(text, *line) and (begin >= 0 or (blank and not listed)):
            begin, end = (line[0] if begin < 0 else begin), line[1]
        elif filled:
            if begin >= 0:
                yield begin, end
            begin = -1
            # What is indented below an item belongs to it.
            listed = bool(ITEM.match(text, *line)) or (listed and text[line[0]] in " \t")
        blank = not filled
    if begin >= 0:
        yield begin, end


def _piped(text: str) -> Iterator[Pair]:
    """Runs of lines with pipes: two or more rows that begin and end with one, or a head above a rule of dashes."""
    run: list[Pair] = []
    for line in [*_lines(text), None]:
        if line is not None and "|" in text[slice(*line)]:
            run.append(line)
            continue
        if _is_table(text, run):
            yield run[0][0], run[-1][1]
        run = []


def _is_table(text: str, run: list[Pair]) -> bool:
    if len(run) < 2:
        return False
    lines = [text[slice(*line)].strip() for line in run]
    if any(len(line) <= _LONGEST_LINE and _RULE.fullmatch(line) for line in lines[:2]):
        return True
    return all(len(line) > 1 and line.startswith("|") and line.endswith("|") for line in lines)


def _shaped(text: str, kind: LineKind) -> Iterator[Pair]:
    """Paragraphs of two lines or more of which at least half look like `kind`."""
    for start, end in paragraphs(text):
        paragraph = text[start:end].rstrip()
        lines = [line for line in paragraph.split("\n") if line.strip()]
        if len(lines) < 2 or max(map(len, lines)) > _LONGEST_LINE or is_numbered(paragraph.strip()):
            continue
        alike = sum(label == kind for label, _ in labelled(lines))
        if alike * 2 >= len(lines):
            # The indentation of its first line is part of it.
            yield start, start + len(paragraph)


def outside(spans: Iterable[Pair], taken: Sequence[Pair]) -> Iterator[Pair]:
    """Those of the sorted `spans` that touch none of the sorted, disjoint spans `taken`."""
    at = 0
    for start, end in spans:
        while at < len(taken) and taken[at][1] <= start:
            at += 1
        if at == len(taken) or taken[at][0] >= end:
            yield start, end
