"""One file to text: what it really is, the reader for it, and a named reason where there is no text."""

from __future__ import annotations

import hashlib
import stat
from dataclasses import dataclass
from pathlib import Path

from ragtester.documents.formats import PlainText, read_markdown, read_text
from ragtester.documents.unreadable import UnreadableError, empty_file, kind_of_bytes, mislabelled, named
from ragtester.records import ParseWarning

_KINDS = {
    ".pdf": ("pdf",),
    ".docx": ("docx",),
    ".html": ("html", "text"),
    ".htm": ("html", "text"),
    ".md": ("text", "html"),
    ".txt": ("text", "html"),
}


@dataclass(frozen=True)
class Reading:
    """What reading a file gave. `sha256` is that of the bytes; offsets are characters of `text`."""

    text: str
    format: str
    sha256: str
    page_starts: tuple[int, ...] = ()
    dropped: int = 0
    warnings: tuple[ParseWarning, ...] = ()


def read_file(path: Path, reader: str = "pdfium", compare_pages: int = 0) -> Reading:
    """Read one file in this process. Raises UnreadableError with type and mend where it gives no text."""
    suffix = path.suffix.lower()
    if suffix not in _KINDS:
        raise UnreadableError("unsupported", f"{suffix or 'a file without suffix'} is not read; use {' '.join(_KINDS)}")
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UnreadableError("damaged", "is no regular file (a folder, a pipe or a device?); remove it")
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableError("damaged", f"cannot be opened: {error.strerror or error}", str(error)) from error
    if not data or (len(data) < 65536 and not data.strip()):
        raise empty_file()
    kind = kind_of_bytes(data)
    if kind not in _KINDS[suffix] and not (suffix == ".pdf" and kind == "unknown"):
        raise mislabelled(suffix, named(kind))
    digest = hashlib.sha256(data).hexdigest()
    if suffix == ".pdf":
        from ragtester.documents.pdf import read_pdf

        pdf = read_pdf(data, reader, compare_pages, seed=int(digest[:8], 16))
        return Reading(pdf.text, "pdf", digest, pdf.page_starts, pdf.dropped, pdf.warnings)
    plain = _read_plain(suffix, data)
    name = "html" if suffix == ".htm" else suffix[1:]
    return Reading(plain.text, name, digest, (), plain.dropped, plain.warnings)


def _read_plain(suffix: str, data: bytes) -> PlainText:

    if suffix == ".docx":
        from ragtester.documents.docx_reader import read_docx

        return read_docx(data)
    if suffix in (".html", ".htm"):
        from ragtester.documents.html_reader import read_html

        return read_html(data)
    return read_markdown(data) if suffix == ".md" else read_text(data)
