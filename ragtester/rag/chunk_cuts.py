"""LangChain's recursive splitter over one text, with exact offsets, any unit, and spans that are never cut.

Its own start index is searched for in the text and goes wrong where text repeats; here every piece carries its offset.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ragtester.spans import Pair, merge

if TYPE_CHECKING:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

# Paragraph, line, sentence end of spaced scripts, sentence end of CJK scripts, space, CJK pause, zero-width space
# (Thai, Khmer), and at last any character.
SEPARATORS = (
    r"\n\n+",
    r"\n",
    r"[.!?؟।۔][\"'”’)\]]*\s",
    r"[。！？．｡…]+[」』”’）]*",
    r"\s",
    r"[，、；：,;]",
    "\u200b",
    "",
)
# How many units (characters, tokens) `text[start:end]` has; additive over spans that touch.
Length = Callable[[int, int], int]


class Cutter:
    """Cuts spans of one text into pieces of at most `size` units, where it must; never inside one of `whole`.

    A span of `whole` that has more units than `size` is a piece of its own. Neighbouring pieces share at most
    `overlap` units.
    """

    def __init__(self, text: str, length: Length, size: int, overlap: int = 0, whole: Iterable[Pair] = ()) -> None:
        self.text = text
        self.length = length
        self.size = size
        self._whole = merge(whole)
        self._splitter: Any = splitter_class()(
            separators=list(SEPARATORS),
            is_separator_regex=True,
            keep_separator="end",
            strip_whitespace=False,
            chunk_size=size,
            chunk_overlap=overlap,
            cutter=self,
        )

    def cut(self, start: int, end: int) -> list[Pair]:
        """Spans of the pieces of `text[start:end]`, in order; white space at their ends is still in them."""
        pieces = self._splitter.split_text(_Piece(self.text[start:end], start))
        return [(piece.start, piece.start + len(piece)) for piece in pieces]

    def is_cuttable(self, at: int) -> bool:
        """Whether a piece may end at `at`."""
        found = bisect_right(self._whole, (at, -1)) - 1
        return found < 0 or not self._whole[found][0] < at < self._whole[found][1]

    def fits(self, start: int, end: int) -> bool:
        """Whether `text[start:end]` is no longer than a piece may be."""
        return self.length(start, end) <= self.size


class _Piece(str):
    """A piece of text that knows where it starts."""

    start: int

    def __new__(cls, text: str, start: int) -> _Piece:
        """Wrap `text`, which starts at `start` of the document."""
        piece = super().__new__(cls, text)
        piece.start = start
        return piece


@lru_cache
def splitter_class() -> type[RecursiveCharacterTextSplitter]:
    """The splitter; made late, for its import is heavy."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    class OffsetSplitter(RecursiveCharacterTextSplitter):
        """The recursive splitter over pieces that carry their offsets.

        The library merges pieces and keeps their overlap; the recursion is here as there, but for offsets and for
        what is never cut. (A test compares the cuts with the library's own.)
        """

        def __init__(self, cutter: Cutter, **options: Any) -> None:
            super().__init__(length_function=_measure(cutter), **options)
            self._cutter = cutter

        def _split_text(self, text: str, separators: list[str]) -> list[str]:
            separator, finer = _first_found(text, separators)
            final: list[str] = []
            good: list[str] = []
            for piece in _parts(text, separator, self._cutter):
                if self._length_function(piece) < self._chunk_size:
                    good.append(piece)
                    continue
                final += self._merge_splits(good, "")
                good = []
                final += self._split_text(piece, finer) if finer else [piece]
            return final + self._merge_splits(good, "")

        def _join_docs(self, docs: list[str], separator: str) -> str | None:
            joined = super()._join_docs(docs, separator)
            first = docs[0] if docs else None
            return _Piece(joined, first.start) if joined and isinstance(first, _Piece) else joined

    return OffsetSplitter


def _measure(cutter: Cutter) -> Callable[[str], int]:
    def measure(piece: str) -> int:
        return cutter.length(piece.start, piece.start + len(piece)) if isinstance(piece, _Piece) else 0

    return measure


def _first_found(text: str, separators: Sequence[str]) -> tuple[str, list[str]]:
    """The first separator that occurs in the text, and those after it; the last cuts anywhere."""
    for number, separator in enumerate(separators):
        if separator and re.search(separator, text):
            return separator, list(separators[number + 1 :])
    return "", []


def _parts(text: str, separator: str, cutter: Cutter) -> list[_Piece]:
    """The text parted after each separator, where a piece may end."""
    offset = text.start if isinstance(text, _Piece) else 0
    ends = (found.end() for found in re.finditer(separator, text)) if separator else range(1, len(text))
    parts, start = [], 0
    for end in [*ends, len(text)]:
        if end > start and (end == len(text) or cutter.is_cuttable(offset + end)):
            parts.append(_Piece(text[start:end], offset + start))
            start = end
    return parts
