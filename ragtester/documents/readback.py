"""Does a PDF still say what its Markdown says?

The visible text of the rendered HTML must be found in the PDF's text, in order. Allowed differences, and no others:
whitespace; compatibility forms of letters (ligatures) and hyphens at line ends; text that only the page has, between
two pieces of the document's (list numbers, note marks, running lines, table heads repeated on the next page); notes at
the foot of a page, which are compared in their own order. A text with right-to-left letters is compared as a multiset
of letters, for readers order mixed lines as they please.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from html.parser import HTMLParser

_HYPHENS = dict.fromkeys(map(ord, "-\u00ad\u2010\u2011\ufffe\u2212\u0002"))
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
# A gap of the page's own text may be this long (characters) when the piece that follows it is that long.
# A note is looked for by its first characters, anywhere behind the note before it.
NOTE_HEAD = 25
_ANCHORS = ((40, None), (20, 6000), (12, 3000), (6, 600), (3, 30), (1, 8))


class _Visible(HTMLParser):
    """Collects body text and page notes apart."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.body: list[str] = []
        self.notes: list[str] = []
        self._in_head = 0
        self._note_depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "head":
            self._in_head += 1
        if tag == "span" and (self._note_depth or ("class", "note") in attrs):
            if not self._note_depth:
                self.notes.append("")
            self._note_depth += 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "head":
            self._in_head -= 1
        if tag == "span" and self._note_depth:
            self._note_depth -= 1

    def handle_data(self, data: str) -> None:
        if self._note_depth:
            self.notes[-1] += data
        elif not self._in_head:
            self.body.append(data)


def visible_text(html: str) -> tuple[str, list[str]]:
    """Body text and page notes of a page, each in order."""
    parser = _Visible()
    parser.feed(html)
    parser.close()
    return "".join(parser.body), parser.notes


def normalise(text: str) -> str:
    """Text for comparison: NFKC, no whitespace, no hyphens."""
    flat = unicodedata.normalize("NFKC", text).translate(_HYPHENS)
    return "".join(char for char in flat if not char.isspace() and unicodedata.category(char) not in {"Cf", "Cc"})


def missing_text(expected: str, found: str) -> str | None:
    """The first piece of `expected` that `found` does not hold in order; None where all is there.

    Both are normalised first. The piece is at most 60 characters, without whitespace.
    """
    want, have = normalise(expected), normalise(found)
    if _RTL.search(want):
        lost = Counter(filter(str.isalpha, want)) - Counter(filter(str.isalpha, have))
        return "".join(sorted(lost))[:60] or None
    at = position = 0
    while at < len(want):
        run = _common(want, at, have, position)
        at, position = at + run, position + run
        if at >= len(want):
            return None
        step = _resume(want, at, have, position)
        if step is None:
            return want[at : at + 60]
        at, position = step
    return None


def compare_pdf(html: str, pdf_text: str) -> str | None:
    """One line that says what is missing from a PDF's text, or None where it holds the page's text in order."""
    body, notes = visible_text(html)
    lost = missing_text(body, pdf_text)
    if lost is not None:
        return f"the PDF's text lacks or misplaces {lost!r}"
    have = normalise(pdf_text)
    position = 0
    for note in notes:
        position = have.find(normalise(note)[:NOTE_HEAD], position)
        lost = missing_text(note, have[position:]) if position >= 0 else normalise(note)[:60]
        if lost is not None:
            return f"the PDF's text lacks or misplaces the note {lost!r}"
        position += 1
    return None


def pdf_text(data: bytes) -> str:
    """Text of a PDF through our own reader, as a later stage will see it. pdfium is not safe for several threads."""
    from ragtester.documents.pdf import read_pdf

    return read_pdf(data).text


def _common(want: str, at: int, have: str, position: int) -> int:
    """Length of the common run from two positions, found by blocks."""
    length = 0
    limit = min(len(want) - at, len(have) - position)
    while length < limit:
        size = min(256, limit - length)
        if want[at + length : at + length + size] == have[position + length : position + length + size]:
            length += size
            continue
        while length < limit and want[at + length] == have[position + length]:
            length += 1
        break
    return length


def _resume(want: str, at: int, have: str, position: int) -> tuple[int, int] | None:
    """Where both texts go on after something that only the page has: positions just behind a common piece.

    A few letters before the gap may have matched the page's own text by chance, so earlier starts are tried too, each
    with a piece that reaches beyond the gap: the search always gets further.
    """
    for size, reach in _ANCHORS:
        if len(want) - at < size and size > 1:
            continue
        for back in range(min(size - 1, at, 6) + 1):
            piece = want[at - back : at - back + size]
            start = max(0, position - back)
            end = len(have) if reach is None else position + reach + size
            found = have.find(piece, start, end)
            if found >= 0:
                return at - back + size, found + size
    rest = want[at:]
    found = have.find(rest, position) if len(rest) < _ANCHORS[0][0] else -1
    return (len(want), found + len(rest)) if found >= 0 else None
