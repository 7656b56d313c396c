"""A document as GitHub-flavoured Markdown, with every name escaped."""

from __future__ import annotations

import re

from ragtester.tables.cells import clean, numeric_columns, show_row
from ragtester.tables.model import Document, Paragraph, Table

# Punctuation that Markdown, its tables, HTML or mathematics on GitHub could read as a mark.
_MARKS = re.compile(r"[\\`*\[\]|~$!^{}]|(?<![^\W_])_|_(?![^\W_])")
_LINK = re.compile(r"\b(https?|ftp|mailto|xmpp):|\b(www)\.", re.IGNORECASE)
# A backslash or an entity before it does not keep GitHub and GitLab from telling the person.
_MENTION = re.compile(r"(?<![^\W_])@(?=[^\W_])")
# The brackets of an interval stay as they are: "[1.5, 20.3]" is no link unless one of these follows.
_INTERVAL = re.compile(r"(\[[+-]?[\d.]+, [+-]?[\d.]+\](?![(\[:]))")
_LEADING = re.compile(r"^(\s*)(?:([#>]|[-+=](?=[\s=+-]|$))|(\d{1,9})(?=[.)](?:\s|$)))")


def escape(text: str) -> str:
    """`text` as Markdown that shows exactly it, on one line; a zero-width space breaks what would mention a person."""
    pieces = _INTERVAL.split(clean(text))
    escaped = "".join(piece if place % 2 else _escape(piece) for place, piece in enumerate(pieces))
    # Marks that only count at the beginning of a line; a number before a dot would begin a list.
    return _LEADING.sub(lambda m: f"{m[1]}\\{m[2]}" if m[2] else f"{m[1]}&#{ord(m[3][0])};{m[3][1:]}", escaped)


def _escape(text: str) -> str:
    text = _MARKS.sub(lambda match: "\\" + match.group(), text)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _MENTION.sub("@&#8203;", text)
    return _LINK.sub(lambda match: f"{match[1]}&#58;" if match[1] else f"{match[2]}&#46;", text)


def markdown(document: Document) -> str:
    """The document with its headings, sentences and tables."""
    blocks = [f"# {escape(document.title)}"]
    for section in document.sections:
        blocks.append(f"## {escape(section.title)}")
        for part in section.parts:
            blocks.append(escape(part.text) if isinstance(part, Paragraph) else markdown_table(part))
    return "\n\n".join(blocks) + "\n"


def markdown_table(table: Table) -> str:
    """One table with its title above and its notes below."""
    numeric = numeric_columns(table.rows, len(table.columns))
    lines = [f"**{escape(table.title)}**", ""]
    lines.append(_line([escape(column) for column in table.columns]))
    lines.append(_line(["---:" if right else "---" for right in numeric]))
    lines += [_line([escape(text) for text in show_row(row)]) for row in table.rows]
    if not table.rows:
        lines += ["", "No rows."]
    for note in table.notes:
        lines += ["", escape(note)]
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
