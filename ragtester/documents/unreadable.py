"""Why a file gave no text: named reasons, and what a file really is when its name says something else."""

from __future__ import annotations

import zipfile
from io import BytesIO

_SIGNATURES = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"\xd0\xcf\x11\xe0", "an old or encrypted Office file (.doc, .xls, .ppt)"),
    (b"{\\rtf", "an RTF document"),
    (b"%!PS", "a PostScript file"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
)
_PDF_HEADER_WITHIN = 1024


class UnreadableError(Exception):
    """A file that gives no text. `type` is the machine word of the reason, the message one line with the mend."""

    def __init__(self, type_: str, message: str, cause: str = "") -> None:
        self.type = type_
        self.message = message
        self.cause = cause
        super().__init__(message)


def empty_file() -> UnreadableError:
    """The file has no bytes, or nothing but white space."""
    return UnreadableError("empty_file", "the file is empty; fetch or export it again, or remove it")


def mislabelled(suffix: str, kind: str) -> UnreadableError:
    """The bytes are of another kind than the suffix says."""
    return UnreadableError("mislabelled", f"named {suffix} but is {kind}; rename or replace it")


def kind_of_bytes(data: bytes) -> str:
    """What a file is by its bytes: "pdf", "docx", "html", "text", "unknown", or a phrase such as "a PNG image"."""
    if b"%PDF-" in data[:_PDF_HEADER_WITHIN]:
        return "pdf"
    for signature, kind in _SIGNATURES:
        if data.startswith(signature):
            return kind
    if data.startswith(b"PK\x03\x04"):
        return _kind_of_zip(data)
    head = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<!doctype html", b"<html")) or b"<html" in head or b"<body" in head:
        return "html"
    return "text" if _looks_like_text(data[:65536]) else "unknown"


def _kind_of_zip(data: bytes) -> str:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = set(archive.namelist())
    except zipfile.BadZipFile:
        return "a damaged ZIP archive"
    if "word/document.xml" in names:
        return "docx"
    if any(name.startswith(("xl/", "ppt/")) for name in names):
        return "an Office file of another kind (.xlsx or .pptx)"
    return "an EPUB book" if "META-INF/container.xml" in names else "a ZIP archive"


def _looks_like_text(data: bytes) -> bool:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    if not data:
        return True
    strange = sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in data)
    return strange * 20 <= len(data)


def named(kind: str) -> str:
    """A kind as a phrase for people."""
    return {
        "pdf": "a PDF",
        "docx": "a Word document (.docx)",
        "html": "an HTML page",
        "text": "plain text",
        "unknown": "data of no known kind",
    }.get(kind, kind)
