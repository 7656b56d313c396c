"""A printed line with its place on the page, the unit that furniture and paragraphs are decided on."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragtester.text.widths import width_units

_TABS = 4
_UNIT = 5.0
_SIZE = 10.0
_PITCH = 12.0
_ASSUMED_HEIGHT = 842.0


@dataclass(slots=True)
class Line:
    """One printed line. Lengths are PDF points, heights count upwards from the foot of the page.

    `top` is the baseline of its first character, `bottom` that of its last: they differ where pdfium joined two
    printed lines at a broken word. `mono` and `bold` hold for its first and last character alike, and in a long line
    for its middle; `opens_mono` holds for its first.
    """

    text: str
    left: float
    right: float
    top: float
    bottom: float
    size: float
    mono: bool = False
    bold: bool = False
    opens_mono: bool = False


@dataclass(slots=True)
class Page:
    """The lines of one page in reading order; `reader` says who read it, `placed` whether places are measured."""

    number: int
    height: float
    lines: list[Line] = field(default_factory=list)
    placed: bool = True


def plain_page(number: int, text: str) -> Page:
    """A page from text that came without places: columns and line numbers stand in for points."""
    lines = []
    top = _ASSUMED_HEIGHT - 40
    for raw in text.split("\n"):
        top -= _PITCH
        printed = raw.expandtabs(_TABS).rstrip()
        shown = printed.lstrip()
        if shown:
            indent = (len(printed) - len(shown)) * _UNIT
            lines.append(Line(shown, indent, indent + width_units(shown) * _UNIT, top, top, _SIZE))
    return Page(number, _ASSUMED_HEIGHT, lines, placed=False)
