"""The first reader: lines with their places through pdfium."""

from __future__ import annotations

import ctypes
import re
from typing import Any

from ragtester.documents.cleaning import BREAK, clean_characters
from ragtester.documents.columns import may_have_columns, part_columns
from ragtester.documents.lines import Line, Page

_MONO_NAME = re.compile(rb"courier|mono|consol|menlo|typewriter|cmtt|txtt|[a-z0-9]tt$|inconsolata|lettergothic", re.I)
_BOLD_NAME = re.compile(rb"bold|black|heavy|cmbx|sfbx|-bol|demi", re.I)
_FIXED_PITCH = 1
_FORCE_BOLD = 1 << 18
_NAME_BYTES = 96
_LONG_LINE = 12


class PdfiumDocument:
    """An open PDF. `read(index)` gives a page and the number of its dropped characters; raises PdfiumError."""

    def __init__(self, data: bytes) -> None:
        import pypdfium2

        self._pdf = pypdfium2.PdfDocument(data)
        self._places = _Places()

    def __len__(self) -> int:
        return len(self._pdf)

    def read(self, index: int) -> tuple[Page, int]:
        """Lines of page `index` (from 0) in the order of the content stream."""
        page = self._pdf[index]
        try:
            text_page = page.get_textpage()
            try:
                return self._lines(index + 1, page.get_height(), text_page)
            finally:
                text_page.close()
        finally:
            page.close()

    def has_content(self, index: int) -> bool:
        """Whether the page holds any object at all, so that a page without text is not simply blank."""
        from pypdfium2 import raw

        page = self._pdf[index]
        try:
            return bool(raw.FPDFPage_CountObjects(page.raw) > 0)
        finally:
            page.close()

    def close(self) -> None:
        """Free pdfium's memory."""
        self._pdf.close()

    def _lines(self, number: int, height: float, text_page: Any) -> tuple[Page, int]:
        # Half pairs must survive until they are re-paired; pypdfium2 would drop them without a count.
        whole = text_page.get_text_range(errors="surrogatepass")
        printed = whole.split("\r\n")
        joined = "\n".join(printed)
        if joined.count("\n") >= len(printed) or "\r" in joined:  # line ends inside a line are odd characters
            joined = "\n".join(line.replace("\r", "\x00").replace("\n", "\x00") for line in printed)
        cleaned, dropped = clean_characters(joined, keep_breaks=True)
        shown = cleaned.split("\n")
        if len(shown) != len(printed):  # a separator character inside a line was made a line end
            shown = [clean_characters(line, keep_breaks=True)[0].replace("\n", " ") for line in printed]
        self._places.open(text_page.raw, len(whole))
        spans: list[tuple[str, int, int]] = []
        offset = 0
        for raw, text in zip(printed, shown, strict=True):
            if text and not text.isspace():
                first = offset + len(raw) - len(raw.lstrip())
                spans.append((text.strip(), first, max(first, offset + len(raw.rstrip()) - 1)))
            offset += len(raw) + 2
        lines = [self._places.line(*span) for span in spans]
        turn = _turn(lines)
        if turn:
            self._places.turn = turn
            lines = [self._places.line(*span) for span in spans]
            lowest = min(line.bottom for line in lines) - 36
            for line in lines:
                line.top, line.bottom = line.top - lowest, line.bottom - lowest
            height = max(line.top for line in lines) + 36
        elif may_have_columns(spans, lines, self._places.edges):
            parted = part_columns(spans, lines, self._places.edges)
            lines = lines if parted is spans else [self._places.line(*span) for span in parted]
        return Page(number, height, lines), dropped


class _Places:
    """Asks pdfium where characters lie, with reused buffers: this runs for every line."""

    def __init__(self) -> None:
        from pypdfium2 import raw

        self._raw = raw
        self._box = raw.FS_RECTF()
        self._get_box = raw.FPDFText_GetLooseCharBox
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._name = ctypes.create_string_buffer(_NAME_BYTES)
        self._flags = ctypes.c_int()
        self._styles: dict[bytes, tuple[bool, bool]] = {}
        self._page: Any = None
        self.turn = 0
        self._alike = True

    def open(self, page: Any, length: int) -> None:
        """Turn to another text page with a text of `length` characters, set upright."""
        self._page = page
        self.turn = 0
        # Where no character was left out of the text, places in the text are places on the page.
        self._alike = self._raw.FPDFText_CountChars(page) == length

    def line(self, text: str, first: int, last: int) -> Line:
        """The line whose first and last characters stand at these places of the page's text.

        pdfium is asked as little as it can be: for the last character's baseline and font only where they matter.
        """
        first, last = (first, last) if self._alike else (self._index(first), self._index(last))
        left, right, foot, size = self._box_of(first)
        top = bottom = self._baseline(first)
        mono, bold = self._style(first)
        if last > first:
            _, right, last_foot, last_size = self._box_of(last)
            raised = last_size > 1.05 * size  # a small first character is a raised mark, not the line's size
            if raised or BREAK in text or abs(foot - last_foot) > size:
                bottom = self._baseline(last)
            size = max(size, last_size)
            top = bottom if raised and abs(top - bottom) <= size else top
            if mono or bold:
                last_mono, last_bold = self._style(last)
                mono, bold = mono and last_mono, bold and last_bold
        return Line(text, left, right, top, bottom, size, mono, bold)

    def edges(self, place: int) -> tuple[float, float]:
        """Left and right edge of the character at a place of the page's text."""
        return self._box_of(place if self._alike else self._index(place))[:2]

    def _index(self, text_index: int) -> int:
        return max(0, int(self._raw.FPDFText_GetCharIndexFromTextIndex(self._page, text_index)))

    def _box_of(self, index: int) -> tuple[float, float, float, float]:
        """Left, right, foot and height of a character, as if the page were upright."""
        box = self._box
        self._get_box(self._page, index, box)
        if self.turn == 0:
            return box.left, box.right, box.bottom, box.top - box.bottom
        if self.turn == 90:  # written upwards
            return box.bottom, box.top, -box.right, box.right - box.left
        if self.turn == 270:
            return -box.top, -box.bottom, box.left, box.right - box.left
        return -box.right, -box.left, -box.top, box.top - box.bottom

    def _baseline(self, index: int) -> float:
        self._raw.FPDFText_GetCharOrigin(self._page, index, self._x, self._y)
        x, y = self._x.value, self._y.value
        return {0: y, 90: -x, 180: -y, 270: x}[self.turn]

    def _style(self, index: int) -> tuple[bool, bool]:
        """Whether a character is in a font of fixed width, and whether it is bold."""
        self._raw.FPDFText_GetFontInfo(self._page, index, self._name, _NAME_BYTES, self._flags)
        name = self._name.value
        style = self._styles.get(name)
        if style is None:
            flags = self._flags.value
            style = (
                bool(_MONO_NAME.search(name)) or bool(flags & _FIXED_PITCH),
                bool(_BOLD_NAME.search(name)) or bool(flags & _FORCE_BOLD),
            )
            self._styles[name] = style
        return style


def _turn(lines: list[Line]) -> int:
    """By how many degrees most of a page's long lines are turned: 0, 90, 180 or 270."""
    turns = [0, 0, 0, 0]
    for line in lines:
        if len(line.text) < _LONG_LINE:
            continue
        across, down = line.right - line.left, line.top - line.bottom
        if abs(down) > 3 * abs(across):
            turns[1 if down < 0 else 3] += 1
        else:
            turns[2 if across < 0 else 0] += 1
    return 90 * max(range(4), key=lambda turn: turns[turn])
