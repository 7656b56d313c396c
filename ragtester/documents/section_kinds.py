"""What kind of text a section is, by the shape of its lines and words.

Only prose may be "most complex": a contents list, a table or code has no sentences, so a readability formula gives
it a number that means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, get_args

from ragtester.documents.garbage import garbled_share
from ragtester.documents.lines import width_units
from ragtester.records import SectionKind

_GARBLED = 0.2
_HALF = 0.5
_LITTLE = 0.4
_LEAST_PROSE = 0.33
_LONG = 200
_SENTENCE_EVERY = 250
_LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}|(?:·\s?){4,}|_{5,}\s*\d")
_PAGE_AT_END = re.compile(r"\S.*[^\d.,)\]\s]\s+\d{1,4}\s*$")
_NUMBERED_HEAD = re.compile(r"\s*(?:\d+(?:\.\d+)*\.?|[IVXLC]+\.?|[A-Z]\.\d*)\s+\S")
_ITEM = re.compile(r"\s*(?:[-*+•‣◦▪●○■□➢✓·–—]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s+\S")
_PIPES = re.compile(r"\s*\|.*\|\s*$")
_REFERENCE = re.compile(
    r"\s*(?:\[[\w+.-]{1,12}\]|\d{1,3}\.)\s+\S.*|\s*[^\W\d_][\w’'-]+,\s+(?:[A-Z]\.[\s-]*)+.*", re.DOTALL
)
_CITES = re.compile(
    r"\b(?:1[89]|20)\d\d[a-z]?\b|\bdoi\b|\bISBN\b|\bpp?\.\s*\d|\bpages \d|\bvol\.|\bet al\.|arxiv|"
    r"In Proceedings|\bEds?\.",
    re.IGNORECASE,
)
_CODE_MARK = re.compile(
    r"[{}]\s*$|(?:=|\(\)|->).*;\s*$|^\s*\w+;\s*$|^\s*(?:\$|>>>|#!|//|/\*|#include|import\s|from\s+\S+\s+import|def\s|"
    r"class\s+\w+[:({]|return\b|(?:for|if|while)\s*\(|</?\w+[^>@]*>|SELECT\s|[\w.$\[\]]+\s*(?:<-|:?=)\s*\S|"
    r"[\w.]+\(.*\)\s*[:;,{]?\s*$)|\s--?\w[\w-]*=|\\\w+\{"
)
_CITED_AUTHOR = re.compile(r"[^\W\d_][^!?]{3,120}?\((?:1[89]|20)\d\d[a-z]?\)[,.:]", re.DOTALL)
_PUBLISHED = re.compile(r"\bISBN\b|\bdoi\b|\bpp?\.\s*\d|\bpages \d|\bvol\.|\bPress\b|\bSpringer\b|\bWiley\b|\bIn:")
_PARAGRAPHS = re.compile(r"\n\s*\n")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_SENTENCE = re.compile(r"[^\W\d_]{2,}[\"'”’»)\]]*[.!?…](?:\s|$|[\"'”’»)\]])|[。！？]|[؟۔।]")
_NUMBER = re.compile(r"^[-+−(]?[\d.,:/%°€$£]+\)?%?$")
_PROSE_UNITS = 60
_Label = Literal["contents", "code", "table", "list", "prose", "short"]
_PLAIN_KINDS: tuple[Literal["contents", "code", "table", "list"], ...] = ("contents", "code", "table", "list")


def kind_of(text: str, language: str = "") -> SectionKind:
    """The kind that most of the text is (by characters, line by line); prose where no other kind prevails.

    `language` (ISO 639-1) matters where scripts without spaces would look like glued words.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return "prose"
    if garbled_share(text) >= _GARBLED and language not in ("zh", "ja", "th", "lo", "km", "my"):
        return "garbled"
    if _is_references(text):
        return "references"
    shares: dict[str, int] = dict.fromkeys(get_args(_Label), 0)
    for label, line in _labelled(lines):
        shares[label] += len(line)
    total = sum(shares.values())
    for kind in _PLAIN_KINDS:
        if shares[kind] > _HALF * total and not (kind == "list" and _items_are_prose(lines)):
            return kind
    sentences = len(_SENTENCE.findall(text))
    few = shares["prose"] < _LITTLE * total and sentences * _SENTENCE_EVERY < len(text)
    if len(lines) > 2 and (few or (sentences and len(prose_of(text)) < _LEAST_PROSE * len(text))):
        return max(_PLAIN_KINDS, key=lambda kind: shares[kind]) if any(shares[k] for k in _PLAIN_KINDS) else "table"
    return "prose"


def prose_of(text: str) -> str:
    """The paragraphs that hold sentences, without headings, lists of names, tables, code and contents lines."""
    kept = []
    for paragraph in _PARAGRAPHS.split(text):
        if len(paragraph) > _LONG and "\n" not in paragraph and _SENTENCE.search(paragraph):
            kept.append(paragraph)
            continue
        lines = [line for line in paragraph.split("\n") if line.strip()]
        odd = sum(len(line) for label, line in _labelled(lines) if label in ("contents", "code", "table"))
        if _SENTENCE.search(paragraph) and odd <= _HALF * len(paragraph):
            kept.append(paragraph)
    return "\n\n".join(kept)


def _labelled(lines: list[str]) -> Iterable[tuple[_Label, str]]:
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


def _label(line: str, around: list[str]) -> _Label:
    """The first kind whose mark the line bears."""
    sentence = _SENTENCE.search(line)
    if sentence and len(line) > _LONG and not _LEADER.search(line):
        return "list" if _ITEM.match(line) else "prose"
    marks: tuple[tuple[_Label, bool], ...] = (
        ("contents", bool(_LEADER.search(line))),
        ("table", bool(_PIPES.match(line))),
        ("contents", bool(_PAGE_AT_END.match(line)) and _looks_like_contents(around)),
        ("list", bool(_ITEM.match(line))),
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
    led = sum(bool(_LEADER.search(line)) for line in around)
    headed = sum(bool(_NUMBERED_HEAD.match(line)) for line in around)
    return led > 1 or (len(numbers) >= 3 and numbers == sorted(numbers) and (headed > 1 or len(numbers) >= 4))


def _items_are_prose(lines: list[str]) -> bool:
    """List items that are whole paragraphs of sentences read as prose."""
    items = [line for line in lines if _ITEM.match(line)]
    long = sum(len(line) for line in items if width_units(line) > 120 and len(_SENTENCE.findall(line)) > 1)
    return long > _HALF * sum(map(len, items))


def _is_references(text: str) -> bool:
    """Most paragraphs begin as an entry of a reference list does and name a year, pages or a publisher's mark."""
    entries = [part for part in re.split(r"\n\s*\n|\n(?=\s*\[[\w+.-]{1,12}\]\s)", text) if len(part) > 25]
    cited = sum(
        len(part)
        for part in entries
        if (_REFERENCE.match(part) and _CITES.search(part)) or (_CITED_AUTHOR.match(part) and _PUBLISHED.search(part))
    )
    return len(entries) > 1 and cited > _HALF * sum(map(len, entries))
