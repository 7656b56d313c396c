"""A file's text as plainly as it can be had, to hold the text that was extracted from it against."""

from __future__ import annotations

import html
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

from ragtester.documents.formats import decode
from ragtester.documents.pdfium_reader import PdfiumDocument
from ragtester.documents.pypdf_reader import PypdfDocument
from ragtester.documents.unreadable import UnreadableError

WHOLE = 0
"""The page number of a file without pages."""
# What a document's XML may unfold to.
_MAX_XML = 50_000_000
_TAGS = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_DOCX_TEXT = re.compile(r"<w:t(?: [^>]*)?>([^<]*)</w:t>|(</w:p>|<w:tab/>|<w:br/>)")
_DOCX_PART = re.compile(r"word/(?:document|footnotes|endnotes|header\d*|footer\d*)\.xml")


def source_pages(path: Path, reader: str, pages: Sequence[int]) -> dict[str, str]:
    """The text of these pages (from 1) of a PDF by `reader`; of any other file its whole text, as page `WHOLE`.

    Pages that the reader cannot read are left out. Raises UnreadableError and whatever a reader raises on a damaged
    file: it runs in a process of its own.
    """
    data = path.read_bytes()
    if path.suffix.lower() != ".pdf":
        return {str(WHOLE): _plainly(path.suffix.lower(), path, data)}
    opened = PypdfDocument(data) if reader == "pypdf" else PdfiumDocument(data)
    try:
        found = {str(number): _page(opened, number - 1) for number in pages if number <= len(opened)}
    finally:
        opened.close()
    return {number: text for number, text in found.items() if text is not None}


def _page(opened: PypdfDocument | PdfiumDocument, index: int) -> str | None:
    try:
        page, _ = opened.read(index)
    except Exception:  # noqa: BLE001 - whatever a damaged page raises costs that page
        return None
    return "\n".join(line.text for line in page.lines)


def _plainly(suffix: str, path: Path, data: bytes) -> str:
    if suffix == ".docx":
        return _docx(path)
    text, _ = decode(data)
    return html.unescape(_TAGS.sub(" ", text)) if suffix in (".html", ".htm") else text


def _docx(path: Path) -> str:
    """The runs of text of a Word file, paragraphs and cells on lines of their own."""
    pieces: list[str] = []
    with zipfile.ZipFile(path) as archive:
        parts = [one for one in archive.infolist() if _DOCX_PART.fullmatch(one.filename)]
        if sum(part.file_size for part in parts) > _MAX_XML:
            raise UnreadableError("damaged", f"its text unfolds to more than {_MAX_XML // 1_000_000} MB")
        for part in parts:
            with archive.open(part) as file:
                xml = file.read(_MAX_XML).decode("utf-8", "replace")
            pieces += [text or ("\n" if end else "") for text, end in _DOCX_TEXT.findall(xml)]
    return html.unescape("".join(pieces))
