"""What kind of text a section is, by the shape of its lines and words.

Only prose may be "most complex": a contents list, a table or code has no sentences, so a readability formula gives
it a number that means nothing.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from ragtester.documents.garbage import garbled_share
from ragtester.records import SectionKind
from ragtester.text.line_kinds import ITEM, LONG, SENTENCE, LineKind, labelled
from ragtester.text.widths import width_units

_GARBLED = 0.2
_HALF = 0.5
_LITTLE = 0.4
_LEAST_PROSE = 0.33
_SENTENCE_EVERY = 250
_REFERENCE = re.compile(
    r"\s*(?:\[[\w+.-]{1,12}\]|\d{1,3}\.)\s+\S.*|\s*[^\W\d_][\w’'-]+,\s+(?:[A-Z]\.[\s-]*)+.*", re.DOTALL
)
_CITES = re.compile(
    r"\b(?:1[89]|20)\d\d[a-z]?\b|\bdoi\b|\bISBN\b|\bpp?\.\s*\d|\bpages \d|\bvol\.|\bet al\.|arxiv|"
    r"In Proceedings|\bEds?\.",
    re.IGNORECASE,
)
_CITED_AUTHOR = re.compile(r"[^\W\d_][^!?]{3,120}?\((?:1[89]|20)\d\d[a-z]?\)[,.:]", re.DOTALL)
_PUBLISHED = re.compile(r"\bISBN\b|\bdoi\b|\bpp?\.\s*\d|\bpages \d|\bvol\.|\bPress\b|\bSpringer\b|\bWiley\b|\bIn:")
_PARAGRAPHS = re.compile(r"\n\s*\n")
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
    shares: dict[str, int] = dict.fromkeys(get_args(LineKind), 0)
    for label, line in labelled(lines):
        shares[label] += len(line)
    total = sum(shares.values())
    for kind in _PLAIN_KINDS:
        if shares[kind] > _HALF * total and not (kind == "list" and _items_are_prose(lines)):
            return kind
    sentences = len(SENTENCE.findall(text))
    few = shares["prose"] < _LITTLE * total and sentences * _SENTENCE_EVERY < len(text)
    if len(lines) > 2 and (few or (sentences and len(prose_of(text)) < _LEAST_PROSE * len(text))):
        return max(_PLAIN_KINDS, key=lambda kind: shares[kind]) if any(shares[k] for k in _PLAIN_KINDS) else "table"
    return "prose"


def prose_of(text: str) -> str:
    """The paragraphs that hold sentences, without headings, lists of names, tables, code and contents lines."""
    kept = []
    for paragraph in _PARAGRAPHS.split(text):
        if len(paragraph) > LONG and "\n" not in paragraph and SENTENCE.search(paragraph):
            kept.append(paragraph)
            continue
        lines = [line for line in paragraph.split("\n") if line.strip()]
        odd = sum(len(line) for label, line in labelled(lines) if label in ("contents", "code", "table"))
        if SENTENCE.search(paragraph) and odd <= _HALF * len(paragraph):
            kept.append(paragraph)
    return "\n\n".join(kept)


def _items_are_prose(lines: list[str]) -> bool:
    """List items that are whole paragraphs of sentences read as prose."""
    items = [line for line in lines if ITEM.match(line)]
    long = sum(len(line) for line in items if width_units(line) > 120 and len(SENTENCE.findall(line)) > 1)
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
