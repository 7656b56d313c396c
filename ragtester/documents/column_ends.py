"""Where the columns of a page end, and so whether a line is full: the next word would not have fitted into it."""

from __future__ import annotations

import re
from statistics import median

from ragtester.documents.cleaning import BREAK
from ragtester.documents.lines import Line, Page
from ragtester.text.widths import is_wide, width_units

_WINDOW = 15
_NARROW = 25
_DENSEST = 0.52  # wider than that on average are letters only where most lines are rows of tables
_LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}")
_FIRST_WORD = re.compile(r"\S+")
_CAPITALS = re.compile(r"[A-ZÀ-ÞА-Я]{3,}")
_WIDER = 0.3
_MONO_DENSITY = 0.6
_CODE_LIKE = re.compile(r"\w[_/=]\w|<\w|\(\)")
_CALL = re.compile(r"\w[\w.]*\(")
_INDEX_ENTRY = re.compile(r"[^\d.!?][^.!?]{1,70},\s\d{1,4}(?:[-–,\s]+\d{1,4})*")
_INDEX_SHARE = 0.4


class ColumnEnds:
    """The right edge that each line of a document could have reached, from the lines around it."""

    def __init__(self, pages: list[Page]) -> None:
        lines = [line for page in pages for line in page.lines]
        ratios = [_density(line) for line in lines if width_units(line.text) >= 30]
        self._density = median(ratios) if ratios else 0.5
        self._sparse = 1.45 * min(self._density, _DENSEST)
        self._body = median([line.size for line in lines]) if lines else 10.0
        self._edges: dict[int, tuple[float, bool]] = {}
        self._entries: set[int] = set()
        for page in pages:
            self._measure(page.lines)

    def _measure(self, lines: list[Line]) -> None:
        """Where each line's column ends, and whether the line reaches an edge that other lines reach too."""
        entries = {id(line) for line in lines if _INDEX_ENTRY.fullmatch(line.text)}
        for index, line in enumerate(lines):
            near = lines[max(0, index - _WINDOW) : index + _WINDOW + 1]
            column = [
                other
                for other in near
                if other.left < line.right
                and other.right > line.left
                and other.left > line.left - 6 * line.size
                and abs(other.size - line.size) < 0.2 * line.size
            ]
            near_edge = 0.4 * line.size
            aligned = sum(
                abs(other.right - line.right) < near_edge and abs(other.left - line.left) < 4 * line.size
                for other in column
            )
            edge = max((other.right for other in column), default=line.right)
            if entries and sum(id(other) in entries for other in column) > _INDEX_SHARE * len(column) > 2:
                self._entries.add(id(line))
            enough = 3 if width_units(line.text) > _NARROW else max(3, 0.5 * len(column))
            self._edges[id(line)] = (edge, aligned >= enough)

    def is_justified(self, line: Line) -> bool:
        """Whether the line reaches an edge that lines around it reach too."""
        return self._edges[id(line)][1]

    def is_full(self, line: Line, following: Line, *, nearly: bool = False) -> bool:
        """Whether the first word of the following line would not have fitted; `nearly` forgives a letter."""
        edge, justified = self._edges[id(line)]
        if not justified and width_units(line.text) < _NARROW and line.size < 1.2 * self._body:
            return False  # entries of an index, cells, addresses: their column is as narrow as they are
        if abs(line.right - following.right) < 0.3 * line.size and abs(line.left - following.left) > 3 * line.size:
            return False  # set flush right
        word = _FIRST_WORD.match(following.text)
        first = following.text[0] if is_wide(following.text[0]) else word.group() if word else ""
        density = self._density
        if nearly and width_units(following.text) >= _NARROW:
            density = max(density, min(_density(following), self._sparse))
        code = bool(_CODE_LIKE.search(first))
        if (code and line.text.startswith(f"{first} ")) or (_CALL.match(line.text) and _CALL.match(following.text)):
            return False  # calls or settings below each other
        if following.opens_mono or code:
            density = max(density, _MONO_DENSITY)
        units = width_units(first) + _WIDER * sum(map(len, _CAPITALS.findall(first))) + 0.5
        needed = units * density * following.size
        return justified or line.right + needed > edge + (0.0 if nearly else 0.2) * line.size

    def is_row(self, line: Line) -> bool:
        """Rows of tables, contents and indexes: leaders, or far fewer characters than their width would hold."""
        return (
            id(line) in self._entries
            or bool(_LEADER.search(line.text))
            or (len(line.text) > 2 and _density(line) > self._sparse and " " in line.text)
        )


def _density(line: Line) -> float:
    """Width of a half-width character in parts of the font size."""
    return (line.right - line.left) / max(1, width_units(line.text.split(BREAK)[-1])) / max(1.0, line.size)
