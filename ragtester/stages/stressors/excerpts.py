"""A document short enough to be indexed beside its variants: whole paragraphs around the evidence, and its head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragtester.documents.formats import read_markdown
from ragtester.spans import merge
from ragtester.text.headings import is_heading, paragraphs
from ragtester.text.languages import base
from ragtester.text.sentences import sentence_spans

Pair = tuple[int, int]
HEAD = 800
_LONG = 1500
_GAP = "\n\n"


@dataclass(frozen=True)
class Excerpt:
    """A text and where the evidence stands in it. `pieces` are the spans of the document that it was made from."""

    text: str
    evidence: tuple[Pair, ...]
    pieces: tuple[Pair, ...]
    whole: bool = True

    def held(self) -> list[str]:
        """The texts of the evidence."""
        return [self.text[slice(*span)] for span in self.evidence]


def as_read(text: str) -> str:
    """A text as it comes back from a Markdown file."""
    return read_markdown(text.encode("utf-8")).text


def excerpt(text: str, evidence: Sequence[Pair], limit: int, language: str) -> Excerpt | None:
    """The document, or where it is longer than `limit` characters its head and what stands around the evidence.

    None where the evidence holds nothing, or where a file could not give the text back as it is.
    """
    spans = [(start, end) for start, end in (_trimmed(text, span) for span in evidence) if end > start]
    if not spans:
        return None
    pieces = [(0, len(text))] if len(text) <= limit else _around(text, spans, limit, language)
    return _made(text, spans, [_trimmed(text, piece) for piece in pieces])


def passage(text: str, evidence: Sequence[Pair], limit: int, language: str) -> Excerpt | None:
    """The paragraphs that hold the evidence, with the heading above the first, and nothing else."""
    spans = [_trimmed(text, span) for span in evidence]
    units = _units(text, language)
    wanted = [number for number, unit in enumerate(units) if any(_meet(unit, span) for span in spans)]
    if not wanted:
        return None
    first = wanted[0]
    if first and is_heading(text[slice(*units[first - 1])]) and text[slice(*units[first - 1])].strip():
        wanted = [first - 1, *wanted]
    pieces = merge(units[number] for number in wanted)
    if sum(end - start for start, end in pieces) > limit:
        pieces = _around(text, spans, limit, language, head=0)
    return _made(text, spans, [_trimmed(text, piece) for piece in pieces])


def cut_from(text: str, evidence: Sequence[Pair], start: int, end: int) -> Excerpt | None:
    """The stretch `[start, end)` of a document that holds all of the evidence."""
    return _made(text, [_trimmed(text, span) for span in evidence], [_trimmed(text, (start, end))])


def _made(text: str, spans: Sequence[Pair], pieces: Sequence[Pair]) -> Excerpt | None:
    made, found = "", []
    for start, end in pieces:
        made += _GAP if made else ""
        found += [(len(made) + a - start, len(made) + b - start) for a, b in spans if start <= a and b <= end]
        made += text[start:end]
    if len(found) < len(spans) or not made.strip():
        return None
    read = as_read(made)
    if read != made:
        # Trailing spaces and surplus blank lines go in reading; the evidence is looked for again.
        again = [(read.find(held), len(held)) for held in (as_read(made[a:b]) for a, b in found)]
        if any(place < 0 for place, _ in again):
            return None
        made, found = read, [(place, place + length) for place, length in again]
    whole = len(pieces) == 1 and pieces[0] == _trimmed(text, (0, len(text)))
    return Excerpt(made, tuple(found), tuple(pieces), whole)


def _around(text: str, spans: Sequence[Pair], limit: int, language: str, head: int = HEAD) -> list[Pair]:
    """Head and surroundings: units are added on both sides of the evidence in turn until there is no room."""
    units = _units(text, language)
    chosen = {number for number, unit in enumerate(units) if any(_meet(unit, span) for span in spans)}
    room = limit - sum(units[number][1] - units[number][0] for number in chosen)
    number = 0
    while head and number < len(units) and units[number][1] <= head:
        room -= 0 if number in chosen else units[number][1] - units[number][0]
        chosen.add(number)
        number += 1
    edges = [sorted(number for number, unit in enumerate(units) if _meet(unit, span)) for span in spans]
    sides = [[side[0] - 1, side[-1] + 1] for side in edges if side]
    moving = True
    while moving and room > 0:
        moving = False
        for side in sides:
            for place, step in ((0, -1), (1, 1)):
                while side[place] in chosen:
                    side[place] += step
                if 0 <= side[place] < len(units):
                    size = units[side[place]][1] - units[side[place]][0]
                    if size <= room:
                        chosen.add(side[place])
                        room -= size
                        moving = True
    return merge(units[number] for number in sorted(chosen))


def _units(text: str, language: str) -> list[Pair]:
    """Paragraphs; long ones cut at their sentences."""
    found: list[Pair] = []
    for start, end in paragraphs(text):
        if end - start <= _LONG:
            found.append((start, end))
            continue
        cuts = [start, *(start + a for a, _ in sentence_spans(text[start:end], base(language))[1:]), end]
        found += [(a, b) for a, b in pairwise(cuts) if b > a]
    return found


def _meet(one: Pair, other: Pair) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _trimmed(text: str, span: Pair) -> Pair:
    held = text[slice(*span)]
    start = span[0] + len(held) - len(held.lstrip())
    return start, max(start, span[0] + len(held.rstrip()))
