"""Lines become text: breaks inside paragraphs are joined, paragraphs are parted by a blank line.

A line break is soft where the next line's first word would not have fitted into the line before. That holds for
justified and ragged text, for narrow columns and for scripts without spaces alike. Headings, list items, rows of
tables and code keep their line ends.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import partial

from ragtester.documents.cleaning import BREAK
from ragtester.documents.column_ends import ColumnEnds
from ragtester.documents.footnotes import set_notes_apart
from ragtester.documents.hyphens import Hyphens
from ragtester.documents.lines import Line, Page
from ragtester.text.widths import is_wide, width_units

_PARAGRAPH = "\n\n"
_WIDE_GAP = 1.25
_MARKER = re.compile(
    r"(?:[•‣◦▪●○■□➢➤✓✔∙·*–—-]\s|\(?\d{1,3}[.)]\s|\(?[a-zA-Z][.)]\s|\[\d+\]|\d+(?:\.\d+)+\.?\s|第[\d一二三四五六七八九十]+)"
)
_BULLET = re.compile(r"[•‣◦▪●○■□➢➤✓✔∙]\s")
_TERMINAL = re.compile(r"[.!?…:;。！？：；][\"'”’»)\]」』）]*$")
_BROKEN_END = re.compile(r"[^\W\d_]-$")
_CONTINUES = re.compile(r"[a-zß-öø-ÿα-ωа-яё,;)\]]")


@dataclass(frozen=True, slots=True)
class _Around:
    """What lies around two lines: the line after them, and whether the first continues the line before it."""

    later: Line | None
    tail: bool


class Layout:
    """What one document's lines have in common, and the decision between each two of them."""

    def __init__(self, pages: list[Page]) -> None:
        self._pitches = _pitches(pages)
        self.ends = ColumnEnds(pages)

    def pitch(self, size: float) -> float:
        """Usual distance of baselines for a font size."""
        return self._pitches.get(round(size)) or 1.25 * size

    def separator(self, before: Line, after: Line, later: Line | None, tail: bool) -> str:
        """What stands between two lines of a page: nothing, a space, a line end, or a blank line.

        `later` is the line after them; `tail` says that `before` itself continues the line before it.
        """
        size = max(before.size, after.size)
        drop = before.bottom - after.top
        if abs(drop) < 0.6 * size and after.left > before.right - 0.5 * size:
            return _same_row(before, after)
        if drop < -size or drop > 12 * size:
            return self.between_pages(before, after)
        gap = drop / self.pitch(min(before.size, after.size))
        if before.mono or after.mono:
            return "\n" if before.mono and after.mono and gap < 2.6 else self._around_code(before, after, gap)
        if _is_new_style(before, after):
            return _PARAGRAPH
        if self.ends.is_row(before) or self.ends.is_row(after):
            return _PARAGRAPH if gap > 1.8 or (gap > _WIDE_GAP and _TERMINAL.search(before.text)) else "\n"
        return self._in_prose(before, after, gap, _Around(later, tail))

    def _in_prose(self, before: Line, after: Line, gap: float, around: _Around) -> str:
        full, closed = self.ends.is_full(before, after), bool(_TERMINAL.search(before.text))
        apart = closed or not full or abs(after.left - before.left) > 0.5 * after.size
        if _BULLET.match(after.text) or (_MARKER.match(after.text) and apart):
            listed = _MARKER.match(before.text) or before.left > after.left + 0.5 * after.size
            return _PARAGRAPH if gap > (1.6 if listed else _WIDE_GAP) else "\n"
        if full and not closed and gap < 1.8 and _CONTINUES.match(after.text):
            return _soft(before, after)
        if gap > _WIDE_GAP:
            return _PARAGRAPH
        if not closed and _CONTINUES.match(after.text) and self.ends.is_full(before, after, nearly=True):
            return _soft(before, after)
        if full and not (closed and _is_indented(before, after, around.later)):
            return _soft(before, after)
        paragraph_end = closed and (around.tail or width_units(before.text) > 20)
        return _PARAGRAPH if paragraph_end or full else "\n"

    def _around_code(self, before: Line, after: Line, gap: float) -> str:
        """A line that begins and ends in a fixed font may still be prose that is full of names."""
        if gap < 1.3 and self.ends.is_full(before, after) and _CONTINUES.match(after.text) and not before.mono:
            return _soft(before, after)
        if gap < 1.3 and before.mono and self.ends.is_justified(before) and _CONTINUES.match(after.text):
            return _soft(before, after)
        return _PARAGRAPH if gap > 1.15 else "\n"

    def between_pages(self, before: Line, after: Line) -> str:
        """Over a page or column end a paragraph goes on only where both lines say so."""
        alike = max(before.size, after.size) < 1.2 * min(before.size, after.size) and before.mono == after.mono
        if not alike or before.mono or before.bold != after.bold or self.ends.is_row(before) or self.ends.is_row(after):
            return _PARAGRAPH
        if _TERMINAL.search(before.text) or _MARKER.match(after.text):
            return _PARAGRAPH
        long = width_units(before.text) > 25
        goes_on = bool(_CONTINUES.match(after.text)) or (is_wide(after.text[0]) and is_wide(before.text[-1]))
        return _soft(before, after) if long and goes_on else _PARAGRAPH


def flow(pages: list[Page]) -> tuple[str, tuple[int, ...]]:
    """The text of all pages and the offset at which each page begins.

    A page without lines begins where the next one does.
    """
    layout = Layout(pages)
    set_notes_apart(
        pages,
        lambda before, after, later: "\n" not in layout.separator(before, after, later, tail=True),
        partial(layout.ends.is_full, nearly=True),
    )
    hyphens = Hyphens("\n".join(line.text for page in pages for line in page.lines))
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    before: Line | None = None
    tail = False
    for page in pages:
        indents = _code_indents(page.lines)
        opened = False
        for index, line in enumerate(page.lines):
            text = " " * indents.get(id(line), 0) + line.text
            if before is not None:
                later = page.lines[index + 1] if index + 1 < len(page.lines) else None
                gap = layout.separator(before, line, later, tail) if opened else layout.between_pages(before, line)
                tail = "\n" not in gap
                if gap == BREAK:
                    head = parts[-1]
                    text, gap = text.lstrip(), ""
                    mended = hyphens.mend(f"{head[:-1]}{BREAK}{text}")
                    if mended.startswith(head[:-1] + text[:1]):
                        parts[-1] = head[:-1]
                        length -= 1
                parts.append(gap)
                length += len(gap)
            if not opened:
                starts.append(length)
                opened = True
            text = hyphens.mend(text) if BREAK in text else text
            parts.append(text)
            length += len(text)
            before = line
        if not opened:
            starts.append(-1)
    return "".join(parts), _filled(starts, length)


def _filled(starts: list[int], length: int) -> tuple[int, ...]:
    """Pages without lines begin where the next page with lines begins."""
    following = length
    filled = []
    for start in reversed(starts):
        following = start if start >= 0 else following
        filled.append(following)
    return tuple(reversed(filled))


def _is_new_style(before: Line, after: Line) -> bool:
    """A heading shows by its size, or by being bold and not long."""
    larger = max(before.size, after.size) > 1.2 * min(before.size, after.size)
    return larger or (before.bold != after.bold and len(before.text if before.bold else after.text) < 120)


def _is_indented(before: Line, after: Line, later: Line | None) -> bool:
    """A new paragraph that shows only by its indent (hanging lines of lists and references are none)."""
    if after.left - before.left <= 0.8 * after.size:
        return False
    return not (_MARKER.match(before.text) or (later is not None and later.left > after.left - 0.5 * after.size))


def _soft(before: Line, after: Line) -> str:
    """A soft break: a broken word, a script without spaces, or a space."""
    if _BROKEN_END.search(before.text) and after.text[0].isalpha():
        return BREAK
    if before.text.endswith(("/", "-", BREAK)) and not before.text.endswith((" -", " /")):
        return ""
    return "" if is_wide(before.text[-1]) and is_wide(after.text[0]) else " "


def _same_row(before: Line, after: Line) -> str:
    gap = after.left - before.right
    size = min(before.size, after.size)
    return "" if gap < 0.12 * size or after.text[0] in ",.;:)]" else " "


def _pitches(pages: list[Page]) -> dict[int, float]:
    """The commonest distance of baselines for each font size (rounded to points)."""
    seen: dict[int, Counter[float]] = defaultdict(Counter)
    for page in pages:
        for before, after in zip(page.lines, page.lines[1:], strict=False):
            drop = before.bottom - after.top
            if abs(before.size - after.size) < 0.1 * before.size and 0.8 * before.size < drop < 3.2 * before.size:
                seen[round(before.size)][round(drop * 2) / 2] += 1
    return {size: max(sorted(counts), key=lambda drop: counts[drop]) for size, counts in seen.items()}


def _code_indents(lines: list[Line]) -> dict[int, int]:
    """Spaces that code lines begin with, which pdfium leaves out: from where they begin on the page."""
    indents: dict[int, int] = {}
    run: list[Line] = []
    for line in [*lines, None]:
        if line is not None and line.mono:
            run.append(line)
            continue
        if len(run) > 1:
            least = min(item.left for item in run)
            for item in run:
                width = (item.right - item.left) / max(1, width_units(item.text))
                indents[id(item)] = min(40, round((item.left - least) / width)) if width > 0 else 0
        run = []
    return indents
