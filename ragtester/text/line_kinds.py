"""What kind of text a line is, by its shape: contents, code, a row of a table, a list item, prose."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from ragtester.text.widths import width_units

LineKind = Literal["contents", "code", "table", "list", "prose", "short"]
LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}|(?:·\s?){4,}|_{5,}\s*\d")
ITEM = re.compile(r"\s*(?:[-*+•‣◦▪●○■□➢✓·–—]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s+\S")
SENTENCE = re.compile(r"[^\W\d_]{2,}[\"'”’»)\]]*[.!?…](?:\s|$|[\"'”’»)\]])|[。！？]|[؟۔।]")
LONG = 200
_PAGE_AT_END = re.compile(r"\S.*[^\d.,)\]\s]\s+\d{1,4}\s*$")
_NUMBERED_HEAD = re.compile(r"\s*(?:\d+(?:\.\d+)*\.?|[IVXLC]+\.?|[A-Z]\.\d*)\s+\S")
_PIPES = re.compile(r"\s*\|.*\|\s*$")
_CODE_MARK = re.compile(
    r"[{}]\s*$|(?:=|\(\)|->).*;\s*$|^\s*\w+;\s*$|^\s*(?:\$|>>>|#!|//|/\*|#include|import\s|from\s+\S+\s+import|def\s|"
    r"class\s+\w+[:({]|return\b|(?:for|if|while)\s*\(|</?\w+[^>@]*>|SELECT\s|[\w.$\[\]]+\s*(?:<-|:?=)\s*\S|"
    r"[\w.]+\(.*\)\s*[:;,{]?\s*$)|\s--?\w[\w-]*=|\\\w+\{"
)
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_NUMBER = re.compile(r"^[-+−(]?[\d.,:/%°€$£]+\)?%?$")
_PROSE_UNITS = 60


def labelled(lines: list[str]) -> Iterable[tuple[LineKind, str]]:
    """Each line with the kind that it looks like; "short" where a line alone says nothing."""
    fenced = False
    for index, line in enumerate(lines):
        if _FENCE.match(line):
            fenced = not fenced
            yield "code", line
        elif fenced:
            yield "code", line
        else:
            yield _label(line, lines[max(0, index - 2) : index + 3]), line


def _label(line: str, around: list[str]) -> LineKind:
    """The first kind whose mark the line bears."""
    sentence = SENTENCE.search(line)
    if sentence and len(line) > LONG and not LEADER.search(line):
        return "list" if ITEM.match(line) else "prose"
    marks: tuple[tuple[LineKind, bool], ...] = (
        ("contents", bool(LEADER.search(line))),
        ("table", bool(_PIPES.match(line))),
        ("contents", bool(_PAGE_AT_END.match(line)) and _looks_like_contents(around)),
        ("list", bool(ITEM.match(line))),
        ("code", bool(_CODE_MARK.search(line)) and not sentence),
        ("prose", bool(sentence) or width_units(line) >= _PROSE_UNITS),
        ("table", _is_number_row(line)),
    )
    return next((label for label, holds in marks if holds), "short")


def _is_number_row(line: str) -> bool:
    cells = line.split()
    return len(cells) >= 2 and sum(bool(_NUMBER.match(cell)) for cell in cells) * 2 >= len(cells)


def _looks_like_contents(around: list[str]) -> bool:
    """Neighbouring lines end in page numbers that do not fall, or have leaders."""
    numbers = [int(line.split()[-1]) for line in around if _PAGE_AT_END.match(line)]
    led = sum(bool(LEADER.search(line)) for line in around)
    headed = sum(bool(_NUMBERED_HEAD.match(line)) for line in around)
    return led > 1 or (len(numbers) >= 3 and numbers == sorted(numbers) and (headed > 1 or len(numbers) >= 4))
