"""PDF to text: two readers, page by page, with every lost or doubtful page named.

The first reader (pdfium by default) reads every page. A page goes to the second reader as well where the first
raised, gave nothing although the page holds something, or gave garbage (glyph names, U+FFFD, letters parted by
spaces, many characters that had to be dropped); the second text is taken where it is half as garbled or less. That
is decided on the first reader's text alone, so that an ordinary file costs one reading. `reading.compare_pages` has
that many more pages of each document, drawn by the hash of the file, read by both. Where the two agree on less than
half of their words, the document carries the warning `readers_disagree` with those pages.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from ragtester.documents.furniture import remove_furniture
from ragtester.documents.garbage import garbled_share
from ragtester.documents.layout import flow
from ragtester.documents.lines import Page
from ragtester.documents.pdfium_reader import PdfiumDocument
from ragtester.documents.pypdf_reader import PypdfDocument, needs_password
from ragtester.documents.unreadable import UnreadableError
from ragtester.records import ParseWarning
from ragtester.text.words import words

_GARBLED = 0.15
_AGREEMENT = 0.5
_DROPPED_WEIGHT = 4
_MIN_WORDS = 20
_TAIL = 4096


class _Reader(Protocol):
    def __len__(self) -> int: ...

    def read(self, index: int) -> tuple[Page, int]: ...

    def close(self) -> None: ...


@dataclass
class _Troubles:
    """Pages by what befell them."""

    lost: list[int] = field(default_factory=list)
    without_text: list[int] = field(default_factory=list)
    second: list[int] = field(default_factory=list)
    disagree: list[int] = field(default_factory=list)
    garbled: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class PdfText:
    """A PDF's cleaned text, where its pages begin, how many characters were dropped, and what to know about it."""

    text: str
    page_starts: tuple[int, ...]
    dropped: int
    warnings: tuple[ParseWarning, ...]


def read_pdf(data: bytes, reader: str = "pdfium", compare_pages: int = 0, seed: int = 0) -> PdfText:
    """The text of a PDF. Raises UnreadableError with the reason where there is none."""
    source = _Source(data, reader)
    try:
        pages, dropped, troubles = _read_pages(source, compare_pages, seed)
    finally:
        source.close()
    if not any(page.lines for page in pages):
        if len(troubles.lost) == len(pages):
            raise UnreadableError("damaged", f"none of its {len(pages)} page(s) can be read; fetch or export it again")
        raise UnreadableError(
            "no_text_layer", f"no text layer on its {len(pages)} page(s); run OCR first, for example with ocrmypdf"
        )
    remove_furniture(pages)
    text, starts = flow(pages)
    return PdfText(text, starts, dropped, _warnings(troubles, len(pages), reader))


class _Source:
    """Both readers of one file; the second is opened only when it is asked for."""

    def __init__(self, data: bytes, reader: str) -> None:
        self.data = data
        self._names = ("pdfium", "pypdf") if reader == "pdfium" else ("pypdf", "pdfium")
        self._open: dict[str, _Reader | None] = {}
        first = self._reader(self._names[0])
        if first is None:
            first = self._reader(self._names[1])
            self._names = (self._names[1], self._names[0])
        if first is None:
            raise _why_not_opened(data)
        self.first: _Reader = first

    def _reader(self, name: str) -> _Reader | None:
        if name not in self._open:
            try:
                self._open[name] = PdfiumDocument(self.data) if name == "pdfium" else PypdfDocument(self.data)
            except UnreadableError:
                raise
            except Exception as error:  # readers raise anything on damaged files
                if "password" in str(error).lower():
                    raise needs_password() from error
                self._open[name] = None
        return self._open[name]

    def second(self, index: int) -> tuple[Page, int] | None:
        """Page `index` as the second reader sees it, or None where that reader cannot."""
        reader = self._reader(self._names[1])
        return _try_page(reader, index) if reader is not None and index < len(reader) else None

    def has_content(self, index: int) -> bool:
        """Whether a page without text holds anything else; True where that cannot be told."""
        reader = self._open.get("pdfium")
        return reader.has_content(index) if isinstance(reader, PdfiumDocument) else True

    def close(self) -> None:
        for reader in self._open.values():
            if reader is not None:
                reader.close()


def _try_page(reader: _Reader, index: int) -> tuple[Page, int] | None:
    try:
        return reader.read(index)
    except Exception:  # noqa: BLE001 - whatever a damaged page raises costs that page, which is named
        return None


def _read_pages(source: _Source, compare_pages: int, seed: int) -> tuple[list[Page], int, _Troubles]:
    count = len(source.first)
    sample = set(random.Random(seed).sample(range(count), min(count, compare_pages)))  # noqa: S311 - no secret
    pages: list[Page] = []
    dropped = 0
    troubles = _Troubles()
    for index in range(count):
        page, lost = _read_page(source, index, troubles, index in sample)
        pages.append(page)
        dropped += lost
    return pages, dropped, troubles


def _read_page(source: _Source, index: int, troubles: _Troubles, compare: bool) -> tuple[Page, int]:
    """One page by the reader that reads it better; troubles are noted under the page's number."""
    number = index + 1
    first = _try_page(source.first, index)
    if first is not None and not first[0].lines and not source.has_content(index):
        return first
    badness = _badness(first) if first is not None else 1.0
    if first is not None and first[0].lines and badness < _GARBLED and not compare:
        return first
    second = source.second(index)
    best = first
    if second is not None and second[0].lines:
        if first is None or not first[0].lines or (badness >= _GARBLED and 2 * _badness(second) < badness):
            best = second
            troubles.second.append(number)
        if first is not None and first[0].lines and _agreement(_text(first[0]), _text(second[0])) < _AGREEMENT:
            troubles.disagree.append(number)
    if best is None:
        troubles.lost.append(number)
        return Page(number, 0.0), 0
    if not best[0].lines:
        troubles.without_text.append(number)
    elif _badness(best) >= _GARBLED:
        troubles.garbled.append(number)
    return best


def _badness(reading: tuple[Page, int]) -> float:
    """How garbled a reading is, 0..1: what is left of it, and how much had to be dropped."""
    page, dropped = reading
    text = _text(page)
    return max(garbled_share(text), min(1.0, _DROPPED_WEIGHT * dropped / max(1, len(text) + dropped)))


def _text(page: Page) -> str:
    return "\n".join(line.text for line in page.lines)


def _agreement(first: str, second: str) -> float:
    """Share of words that two readings of a page have in common (Dice, as multisets); 1 for pages with few words."""
    one, two = Counter(words(first)), Counter(words(second))
    total = one.total() + two.total()
    return 2 * (one & two).total() / total if total >= 2 * _MIN_WORDS else 1.0


def _warnings(troubles: _Troubles, pages: int, reader: str) -> tuple[ParseWarning, ...]:
    other = "pypdf" if reader == "pdfium" else "pdfium"
    named = (
        ("page_lost", troubles.lost, "could not be read by either reader"),
        ("page_without_text", troubles.without_text, "without text (images only?); OCR would be needed"),
        ("page_second_reader", troubles.second, f"read by {other} because {reader} could not"),
        ("readers_disagree", troubles.disagree, "read very differently by pdfium and pypdf"),
        ("page_garbled", troubles.garbled, "give glyph codes or broken letters instead of words"),
    )
    return tuple(
        ParseWarning(type=type_, message=f"{len(numbers)} of {pages} page(s) {what}", pages=tuple(numbers))
        for type_, numbers, what in named
        if numbers
    )


def _why_not_opened(data: bytes) -> UnreadableError:
    tail = data[-_TAIL:]
    if b"%%EOF" not in tail and b"startxref" not in tail:
        return UnreadableError("truncated", "the file breaks off before its end; fetch or export it again")
    return UnreadableError("damaged", "neither reader can open it; fetch or export it again")
