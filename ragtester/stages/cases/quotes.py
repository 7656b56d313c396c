"""Finds what a draft quotes in the text it was made from, so that quotes become spans."""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

from ragtester.spans import Pair, merge
from ragtester.text.normalise import fold

# Shorter pieces occur everywhere; scripts without spaces say as much in half the characters.
MIN_CHARACTERS = 4
MIN_WIDE = 2
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.{3}|…)\s*\]|\(\s*(?:\.{3}|…)\s*\)|\.{3,}|…)\s*")
_OUTER = " \t\n\"'“”„‘’«»"


@dataclass(frozen=True)
class Piece:
    """A stretch of a document's text that a model was shown, from `start` on."""

    label: str
    start: int
    text: str


@dataclass(frozen=True)
class Located:
    """Where quotes were found: spans in the document, the pieces that hold them, and quotes found nowhere."""

    spans: tuple[Pair, ...]
    labels: tuple[str, ...]
    missing: tuple[str, ...]


def locate(quotes: tuple[str, ...], pieces: tuple[Piece, ...]) -> Located:
    """Find every quote in one of the pieces: exact up to white space, case, NFKC, dashes and quotation marks.

    A quote with an ellipsis is found where its parts occur in that order. Touching spans are joined.
    """
    spans: list[Pair] = []
    labels: list[str] = []
    missing: list[str] = []
    for quote in quotes:
        for piece in pieces:
            found = find(quote, piece.text)
            if found:
                spans.extend((piece.start + start, piece.start + end) for start, end in found)
                labels.append(piece.label)
                break
        else:
            missing.append(quote)
    return Located(tuple(merge(spans)), tuple(dict.fromkeys(labels)), tuple(missing))


def find(quote: str, text: str) -> list[Pair]:
    """Spans of `quote` in `text`, more than one where it has ellipses; empty where it does not occur."""
    plain = quote.strip(_OUTER)
    # A model ends a quoted half sentence with a full stop of its own.
    for attempt in dict.fromkeys((quote, plain, plain.rstrip(".,;:"))):
        whole = _find_part(attempt, text, 0)
        if whole:
            return [whole]
    parts = [part.strip(_OUTER) for part in _ELLIPSIS.split(plain)]
    parts = [part for part in parts if part]
    if len(parts) < 2:
        return []
    spans: list[Pair] = []
    for part in parts:
        span = _find_part(part, text, spans[-1][1] if spans else 0)
        if span is None:
            return []
        spans.append(span)
    return spans


def _find_part(part: str, text: str, after: int) -> Pair | None:
    wanted = "".join(_fold(character) for character in part)
    if len(wanted) < (MIN_CHARACTERS if wanted.isascii() else MIN_WIDE):
        return None
    squeezed, sources = _squeeze(text)
    at = squeezed.find(wanted, bisect_left(sources, after))
    if at < 0:
        return None
    return sources[at], sources[at + len(wanted) - 1] + 1


@lru_cache(maxsize=8)
def _squeeze(text: str) -> tuple[str, array[int]]:
    """The text folded and without white space, and for each of its characters the offset it came from."""
    characters: list[str] = []
    sources = array("L")
    for index, character in enumerate(text):
        folded = _fold(character)
        characters.append(folded)
        for _ in folded:
            sources.append(index)
    return "".join(characters), sources


@lru_cache(maxsize=1 << 14)
def _fold(character: str) -> str:
    # Decomposed, so that "é" as one character and as two are the same.
    return "".join(unicodedata.normalize("NFKD", fold(character)).split())
