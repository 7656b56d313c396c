"""PDFs written by hand, byte by byte, so that tests know exactly what lies where."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragtester.documents.files import CorpusFile, find_files

SHARED = Path(__file__).parents[1].parent / "shared"
WIDTH, HEIGHT = 595, 842
FONTS = {"plain": "Helvetica", "bold": "Helvetica-Bold", "mono": "Courier"}

Place = tuple[float, float, str]
Styled = tuple[float, float, str, float, str]


def make_pdf(pages: Sequence[Sequence[Place | Styled]], extra: str = "") -> bytes:
    """A PDF with one content stream a page; each text is (x, y, text) or (x, y, text, size, font)."""
    names = list(FONTS)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>"
        % (b" ".join(b"%d 0 R" % (6 + 2 * index) for index in range(len(pages))), len(pages)),
    ]
    objects += [
        b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>" % FONTS[name].encode()
        for name in names
    ]
    resources = b" ".join(b"/%s %d 0 R" % (name.encode(), 3 + number) for number, name in enumerate(names))
    for index, page in enumerate(pages):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Resources << /Font << %s >> >> /Contents %d 0 R >>"
            % (WIDTH, HEIGHT, resources, 7 + 2 * index)
        )
        stream = extra.encode() + b"\n".join(_show(*text) for text in page)
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    return assemble(objects)


def _show(x: float, y: float, text: str, size: float = 11, font: str = "plain") -> bytes:
    shown = text.encode("cp1252").hex()
    return f"BT /{font} {size:g} Tf 1 0 0 1 {x:g} {y:g} Tm <{shown}> Tj ET".encode()


def assemble(objects: Sequence[bytes]) -> bytes:
    """Objects 1, 2, 3, … with a cross-reference table; object 1 is the catalogue."""
    data = b"%PDF-1.7\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return (
        data
        + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (
            size,
            table,
            size,
            len(data),
        )
    )


def column(x: float, top: float, lines: Sequence[str], pitch: float = 14) -> list[Place]:
    """Lines below each other."""
    return [(x, top - pitch * number, line) for number, line in enumerate(lines)]


def corpus(folder: Path, files: dict[str, bytes | str]) -> list[CorpusFile]:
    """Write files into a folder and find them."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return find_files(["."], folder)
