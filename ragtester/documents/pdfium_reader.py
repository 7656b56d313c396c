"""The first reader: lines with their places through pdfium."""

from __future__ import annotations

import ctypes
import re
from typing import Any

from ragtester.documents.cleaning import clean_characters
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
        printed = text_page.get_text_range(errors="surrogatepass").split("\r\n")
        cleaned, dropped = clean_characters(
            "\n".join(line.replace("\r", "\x00").replace("\n", "\x00") for line in printed), keep_breaks=True
        )
        shown = cleaned.split("\n")
        if len(shown) != len(printed):  # a separator character inside a line was made a line end
            shown = [clean_characters(line, keep_breaks=True)[0].replace("\n", " ") for line in printed]
        self._places.open(text_page.raw)
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
        return Page(number, height, lines), dropped


class _Places:
    """Asks pdfium where characters lie, with reused buffers: this runs twice for every line."""

    def __init__(self) -> None:
        from pypdfium2 import raw

        self._raw = raw
        self._box = raw.FS_RECTF()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._name = ctypes.create_string_buffer(_NAME_BYTES)
        self._flags = ctypes.c_int()
        self._styles: dict[bytes, tuple[bool, bool]] = {}
        self._page: Any = None
        self.turn = 0

    def open(self, page: Any) -> None:
        """Turn to another text page, set upright."""
        self._page = page
        self.turn = 0

    def line(self, text: str, first: int, last: int) -> Line:
        """The line whose first and last characters stand at these places of the page's text."""
        left, right, top, size, mono, bold = self._character(first)
        bottom = top
        if last > first:
            _, right, bottom, last_size, last_mono, last_bold = self._character(last)
            if last_size > size:  # a small first character is a raised mark or a bullet, not the line's size
                size = last_size
                top = top if abs(top - bottom) > size else bottom
            mono, bold = mono and last_mono, bold and last_bold
        return Line(text, left, right, top, bottom, size, mono, bold)

    def _character(self, text_index: int) -> tuple[float, float, float, float, bool, bool]:
        raw, page = self._raw, self._page
        index = max(0, raw.FPDFText_GetCharIndexFromTextIndex(page, text_index))
        raw.FPDFText_GetLooseCharBox(page, index, self._box)
        raw.FPDFText_GetCharOrigin(page, index, self._x, self._y)
        raw.FPDFText_GetFontInfo(page, index, self._name, _NAME_BYTES, self._flags)
        name = self._name.value
        style = self._styles.get(name)
        if style is None:
            flags = self._flags.value
            style = (
                bool(_MONO_NAME.search(name)) or bool(flags & _FIXED_PITCH),
                bool(_BOLD_NAME.search(name)) or bool(flags & _FORCE_BOLD),
            )
            self._styles[name] = style
        box = self._box
        if self.turn == 90:  # written upwards
            return box.bottom, box.top, -self._x.value, box.right - box.left, *style
        if self.turn == 270:
            return -box.top, -box.bottom, self._x.value, box.right - box.left, *style
        if self.turn == 180:
            return -box.right, -box.left, -self._y.value, box.top - box.bottom, *style
        return box.left, box.right, self._y.value, box.top - box.bottom, *style


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
