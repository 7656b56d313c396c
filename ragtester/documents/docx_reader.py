"""DOCX to text: paragraphs, headings, lists, tables and notes in the order of the body."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from ragtester.documents.cleaning import clean_characters
from ragtester.documents.formats import PlainText, finished
from ragtester.documents.unreadable import UnreadableError

_MAX_UNPACKED = 300_000_000
_MAX_RATIO = 200
_RATIO_FROM = 50_000_000
_PROLOGUE = 4096
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_HEADING = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|kop|заголовок|標題|标题|見出し)\s*(\d)", re.IGNORECASE
)
_NOTES = ("footnotes", "endnotes")


def read_docx(data: bytes) -> PlainText:
    """The text of a Word document. Tracked deletions are left out, insertions and text boxes are in."""
    check_archive(data)
    _check_declarations(data)
    import docx
    from docx.opc.exceptions import OpcError

    try:
        document = docx.Document(BytesIO(data))
    except (OpcError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise UnreadableError("damaged", "not a Word document that can be opened; save it again", str(error)) from error
    styles = {style.style_id: style.name or "" for style in document.styles}
    lines: list[str] = []
    for block in _blocks(document.element.body):
        lines.extend(_table(block) if block.tag == f"{_W}tbl" else _paragraph(block, styles))
    lines.extend(_notes(document))
    text, dropped = clean_characters("\n".join(lines))
    return finished(text, dropped)


def check_archive(data: bytes) -> None:
    """Refuse archives that unpack to far more than they hold; raises UnreadableError."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            sizes = [item.file_size for item in archive.infolist()]
    except zipfile.BadZipFile as error:
        raise UnreadableError("damaged", "the .docx archive is broken; fetch or save it again", str(error)) from error
    total = sum(sizes)
    if total > _MAX_UNPACKED or (total > _RATIO_FROM and total > _MAX_RATIO * len(data)):
        raise UnreadableError("damaged", f"unpacks to {total // 1_000_000} MB (a zip bomb?); not opened")


def _check_declarations(data: bytes) -> None:
    """Refuse XML entities, which Word never writes: their text would be lost, or be that of another file."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for name in archive.namelist():
            if name.endswith(".xml"):
                with archive.open(name) as part:
                    if b"<!DOCTYPE" in part.read(_PROLOGUE):
                        raise UnreadableError("damaged", "declares XML entities, as no Word document does; not opened")


def _blocks(parent: Any) -> Iterator[Any]:
    """Paragraphs and tables in order, also those inside content controls."""
    for child in parent:
        if child.tag in (f"{_W}p", f"{_W}tbl"):
            yield child
        elif child.tag == f"{_W}sdt":
            content = child.find(f"{_W}sdtContent")
            if content is not None:
                yield from _blocks(content)
        elif child.tag in (f"{_W}ins", f"{_W}moveTo", f"{_W}customXml", f"{_W}smartTag"):
            yield from _blocks(child)


def _paragraph(paragraph: Any, styles: dict[str, str]) -> list[str]:
    text = _text(paragraph).strip()
    if not text:
        return []
    properties = paragraph.find(f"{_W}pPr")
    style = properties.find(f"{_W}pStyle") if properties is not None else None
    name = styles.get(style.get(f"{_W}val"), style.get(f"{_W}val") or "") if style is not None else ""
    heading = _HEADING.match(name)
    if heading or name.casefold() == "title":
        return ["", f"{'#' * (min(6, int(heading[1])) if heading else 1)} {text}", ""]
    numbering = properties.find(f"{_W}numPr") if properties is not None else None
    if numbering is not None or name.casefold().startswith("list"):
        level = numbering.find(f"{_W}ilvl") if numbering is not None else None
        return [f"{'  ' * int(level.get(f'{_W}val') or 0) if level is not None else ''}- {text}"]
    return ["", text, ""]


def _text(element: Any) -> str:
    """Text of all runs below an element; alternative copies of drawings and deleted text are left out."""
    parts: list[str] = []
    stack = [element]
    while stack:
        node = stack.pop()
        if node.tag in (_MC_FALLBACK, f"{_W}del", f"{_W}moveFrom", f"{_W}instrText"):
            continue
        if node.tag == f"{_W}t":
            parts.append(node.text or "")
        elif node.tag == f"{_W}tab":
            parts.append("\t" if node.getparent().tag == f"{_W}r" else "")
        elif node.tag in (f"{_W}br", f"{_W}cr"):
            parts.append("\n")
        elif node.tag == f"{_W}noBreakHyphen":
            parts.append("-")
        elif node.tag == f"{_W}footnoteReference":
            parts.append(f"[^{node.get(f'{_W}id')}]")
        elif node.tag == f"{_W}p" and parts and node is not element:
            parts.append("\n")
        stack.extend(reversed(node))
    return "".join(parts)


def _table(table: Any) -> list[str]:
    rows = [[_cell(cell) for cell in row.iter(f"{_W}tc") if _owner(cell) is table] for row in table.findall(f"{_W}tr")]
    width = max((len(row) for row in rows), default=0)
    lines = [""]
    for index, row in enumerate(rows):
        lines.append(f"| {' | '.join(row + [''] * (width - len(row)))} |")
        if index == 0:
            lines.append(f"|{' --- |' * width}")
    return [*lines, ""]


def _owner(cell: Any) -> Any:
    return next(cell.iterancestors(f"{_W}tbl"))


def _cell(cell: Any) -> str:
    return " ".join(_text(cell).split()).replace("|", "\\|")


def _notes(document: Any) -> list[str]:
    """Footnotes and endnotes at the end, marked as in Markdown."""
    from docx.oxml import parse_xml

    lines: list[str] = []
    for relation in document.part.rels.values():
        kind = relation.reltype.rsplit("/", 1)[-1]
        if kind not in _NOTES or relation.is_external:
            continue
        for note in parse_xml(relation.target_part.blob):
            text = " ".join(_text(note).split())
            if text and note.get(f"{_W}type") is None:
                lines.extend(["", f"[^{note.get(f'{_W}id')}]: {text}"])
    return lines
