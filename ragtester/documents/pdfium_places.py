"""Where the characters of a page lie and how they are set, asked of pdfium as seldom as can be."""

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Callable
from typing import Any

from ragtester.documents.cleaning import BREAK
from ragtester.documents.lines import Line

_MONO_NAME = re.compile(
    rb"courier|mono|consol|menlo|typewriter|cmtt|txtt|[a-z0-9]tt\d*$|inconsolata|lettergothic", re.I
)
_BOLD_NAME = re.compile(rb"bold|black|heavy|cmbx|sfbx|-bol|demi", re.I)
_FIXED_PITCH = 1
_FORCE_BOLD = 1 << 18
_NAME_BYTES = 96
_LONG_LINE = 12
_PROSE_LINE = 40  # shorter lines that begin and end in one style are headings or code
_FLOATS, _DOUBLES = struct.Struct("4f").unpack_from, struct.Struct("2d").unpack_from

Span = tuple[str, int, int]


class Places:
    """Asks pdfium where characters lie, with reused buffers: this runs for every line of every page."""

    def __init__(self) -> None:
        from pypdfium2 import raw

        pointer, index = ctypes.c_void_p, ctypes.c_int
        self._get_box = _quick(raw.FPDFText_GetLooseCharBox, pointer, index, pointer)
        self._get_origin = _quick(raw.FPDFText_GetCharOrigin, pointer, index, pointer, pointer)
        self._get_font = _quick(raw.FPDFText_GetFontInfo, pointer, index, pointer, ctypes.c_ulong, pointer)
        self._get_index = _quick(raw.FPDFText_GetCharIndexFromTextIndex, pointer, index)
        self._box = (ctypes.c_float * 4)()  # FS_RECTF: left, top, right, bottom
        self._origin = (ctypes.c_double * 2)()
        self._name = ctypes.create_string_buffer(_NAME_BYTES)
        self._flags = ctypes.c_int()
        self._at_box, self._at_x = ctypes.addressof(self._box), ctypes.addressof(self._origin)
        self._at_y = self._at_x + ctypes.sizeof(ctypes.c_double)
        self._at_name, self._at_flags = ctypes.addressof(self._name), ctypes.addressof(self._flags)
        self._styles: dict[bytes, tuple[bool, bool]] = {}
        self._page: int | None = None
        self._alike = True
        self.turn = 0

    def open(self, page: Any, characters: int, length: int) -> None:
        """Turn to another text page of so many characters with a text of `length`, set upright."""
        self._page = ctypes.cast(page, ctypes.c_void_p).value
        self.turn = 0
        # Where no character was left out of the text, places in the text are places on the page.
        self._alike = characters == length

    def lines(self, spans: list[Span]) -> list[Line]:
        """The line of each span: a text and the places of its first and last characters in the page's text.

        pdfium is asked as little as it can be: for the last character's baseline and font only where they matter.
        """
        box_of, baseline, style, alike = self._box_of, self._baseline, self._style, self._alike
        if self.turn == 0:
            box_of, baseline = self._upright_box, self._upright_baseline
        made = []
        for text, first, last in spans:
            if not alike:
                first, last = self._index(first), self._index(last)  # noqa: PLW2901
            left, right, foot, size = box_of(first)
            top = bottom = baseline(first)
            mono, bold = style(first)
            opens_mono = mono
            if last > first:
                _, right, last_foot, last_size = box_of(last)
                raised = last_size > 1.05 * size  # a small first character is a raised mark, not the line's size
                if raised or abs(foot - last_foot) > size or BREAK in text:
                    bottom = baseline(last)
                    top = bottom if raised and abs(top - bottom) <= last_size else top
                size = max(size, last_size)
                if mono or bold:
                    last_mono, last_bold = style(last)
                    mono, bold = mono and last_mono, bold and last_bold
                    if (mono or bold) and len(text) > _PROSE_LINE:
                        middle_mono, middle_bold = style(_middle(text, first, last))
                        mono, bold = mono and middle_mono, bold and middle_bold
            made.append(Line(text, left, right, top, bottom, size, mono, bold, opens_mono))
        return made

    def edges(self, place: int) -> tuple[float, float]:
        """Left and right edge of the character at a place of the page's text."""
        return self._box_of(place if self._alike else self._index(place))[:2]

    def baseline(self, place: int) -> float:
        """Height of the baseline of the character at a place of the page's text."""
        return self._baseline(place if self._alike else self._index(place))

    def _index(self, text_index: int) -> int:
        return max(0, int(self._get_index(self._page, text_index)))

    def _box_of(self, index: int) -> tuple[float, float, float, float]:
        """Left, right, foot and height of a character, as if the page were upright."""
        self._get_box(self._page, index, self._at_box)
        left, top, right, bottom = _FLOATS(self._box)
        if self.turn == 0:
            return left, right, bottom, top - bottom
        if self.turn == 90:  # written upwards
            return bottom, top, -right, right - left
        if self.turn == 270:
            return -top, -bottom, left, right - left
        return -right, -left, -top, top - bottom

    def _upright_box(self, index: int) -> tuple[float, float, float, float]:
        self._get_box(self._page, index, self._at_box)
        left, top, right, bottom = _FLOATS(self._box)
        return left, right, bottom, top - bottom

    def _upright_baseline(self, index: int) -> float:
        self._get_origin(self._page, index, self._at_x, self._at_y)
        return self._origin[1]

    def _baseline(self, index: int) -> float:
        self._get_origin(self._page, index, self._at_x, self._at_y)
        x, y = _DOUBLES(self._origin)
        return float(y) if self.turn == 0 else {90: -x, 180: -y, 270: x}[self.turn]

    def _style(self, index: int) -> tuple[bool, bool]:
        """Whether a character is in a font of fixed width, and whether it is bold."""
        self._get_font(self._page, index, self._at_name, _NAME_BYTES, self._at_flags)
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


def _middle(text: str, first: int, last: int) -> int:
    """The place of a printed character near a line's middle, or the first one's.

    The first where places cannot be told, and where the middle is of another script, which has fonts of its own.
    """
    half = len(text) // 2 + text.startswith(" ", len(text) // 2)
    return first + half if last - first + 1 == len(text) and text[half] <= "\u024f" else first


def _quick(function: Any, *arguments: Any) -> Callable[..., int]:
    """A function of pdfium, called without the interpreter's lock being released: that would cost more than it does."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return ctypes.PYFUNCTYPE(ctypes.c_int, *arguments)(address)


def turn_of(lines: list[Line]) -> int:
    """By how many degrees most of a page's long lines are turned: 0, 90, 180 or 270."""
    long = [line for line in lines if len(line.text) >= _LONG_LINE]
    # A line of an upright page runs to the right and ends at the height where it began, unless it was broken.
    if 3 * sum(line.right < line.left or line.top != line.bottom for line in long) < len(long):
        return 0
    turns = [0, 0, 0, 0]
    for line in long:
        across, down = line.right - line.left, line.top - line.bottom
        if abs(down) > 3 * abs(across):
            turns[1 if down < 0 else 3] += 1
        else:
            turns[2 if across < 0 else 0] += 1
    return 90 * max(range(4), key=lambda turn: turns[turn])
