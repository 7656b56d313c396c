"""The first reader: lines with their places through pdfium."""

from __future__ import annotations

from typing import Any

from ragtester.documents.cleaning import clean_characters
from ragtester.documents.columns import may_have_columns, part_columns
from ragtester.documents.lines import Page
from ragtester.documents.note_marks import has_number_in_word, part_note_marks
from ragtester.documents.pdfium_places import Places, Span, turn_of


class PdfiumDocument:
    """An open PDF. `read(index)` gives a page and the number of its dropped characters; raises PdfiumError."""

    def __init__(self, data: bytes) -> None:
        import pypdfium2

        self._pdf = pypdfium2.PdfDocument(data)
        self._places = Places()

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
        shown, dropped = _cleaned(printed)
        spans = _spans(printed, shown)
        places = self._places
        places.open(text_page.raw, text_page.count_chars(), len(whole))
        lines = places.lines(spans)
        places.turn = turn_of(lines)
        if places.turn:
            lines = places.lines(spans)
            lowest = min(line.bottom for line in lines) - 36
            for line in lines:
                line.top, line.bottom = line.top - lowest, line.bottom - lowest
            height = max(line.top for line in lines) + 36
        elif may_have_columns(spans, lines, places.edges):
            parted = part_columns(spans, lines, places.edges)
            lines, spans = (lines, spans) if parted is spans else (places.lines(parted), parted)
        if has_number_in_word(whole):
            part_note_marks(spans, lines, places.baseline)
        return Page(number, height, lines), dropped


def _cleaned(printed: list[str]) -> tuple[list[str], int]:
    """Each line with its characters put right, and how many were dropped."""
    joined = "\n".join(printed)
    if joined.count("\n") >= len(printed) or "\r" in joined:  # line ends inside a line are odd characters
        joined = "\n".join(line.replace("\r", "\x00").replace("\n", "\x00") for line in printed)
    cleaned, dropped = clean_characters(joined, keep_breaks=True)
    shown = cleaned.split("\n")
    if len(shown) != len(printed):  # a separator character inside a line was made a line end
        shown = [clean_characters(line, keep_breaks=True)[0].replace("\n", " ") for line in printed]
    return shown, dropped


def _spans(printed: list[str], shown: list[str]) -> list[Span]:
    """The lines that show anything, with the places of their first and last characters in the page's text."""
    spans: list[Span] = []
    offset = 0
    for raw, text in zip(printed, shown, strict=True):
        stripped = text.strip()
        if stripped:
            first, last = offset, offset + len(raw) - 1
            if len(stripped) != len(raw):
                first, last = last + 1 - len(raw.lstrip()), offset + len(raw.rstrip()) - 1
            spans.append((stripped, first, max(first, last)))
        offset += len(raw) + 2
    return spans
