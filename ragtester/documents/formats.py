"""Markdown and plain text to cleaned text. HTML and DOCX have modules of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragtester.documents.cleaning import clean_characters
from ragtester.documents.layout import flow
from ragtester.documents.lines import plain_page
from ragtester.documents.unreadable import UnreadableError, empty_file
from ragtester.records import ParseWarning

_FRONT_MATTER = re.compile(r"\A(?:---|\+\+\+)[ \t]*\n.*?\n(?:---|\+\+\+|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_KEY = re.compile(r"^[\w-]+[ \t]*[:=]", re.MULTILINE)
_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")
_CODE_INDENT = re.compile(r"^(?: {4,}|\t)\S", re.MULTILINE)
_HARD_WRAP = 100
_STRANGE_SHARE = 0.02


@dataclass(frozen=True)
class PlainText:
    """Cleaned text of a file without pages."""

    text: str
    dropped: int
    warnings: tuple[ParseWarning, ...] = ()


def read_markdown(data: bytes) -> PlainText:
    """Markdown stays Markdown: only front matter, odd characters and surplus blank lines go."""
    raw, warnings = decode(data)
    text, dropped = clean_characters(raw)
    found = _FRONT_MATTER.match(text)
    if found and _FRONT_KEY.search(found.group()):
        text = text[found.end() :]
    return finished(text, dropped, warnings)


def read_text(data: bytes) -> PlainText:
    """Plain text; lines that were wrapped at a fixed width are joined into paragraphs."""
    raw, warnings = decode(data)
    text, dropped = clean_characters(raw)
    if _is_wrapped(text):
        text, _ = flow([plain_page(1, text)])
    return finished(text, dropped, warnings)


def finished(text: str, dropped: int, warnings: tuple[ParseWarning, ...] = ()) -> PlainText:
    """Trim line ends and surplus blank lines; raises UnreadableError where nothing is left."""
    text = _BLANK_LINES.sub("\n\n", _TRAILING.sub("", text)).strip("\n")
    if not text.strip():
        raise empty_file()
    return PlainText(text, dropped, warnings)


def decode(data: bytes) -> tuple[str, tuple[ParseWarning, ...]]:
    """Bytes to text: UTF-8 or UTF-16 by their marks, else UTF-8, else Windows-1252 with a warning.

    Raises UnreadableError "not_utf8" where that gives mostly control characters.
    """
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace"), ()
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError as error:
        text = data.decode("cp1252", "replace")
        strange = sum(character < " " and character not in "\t\n\r\x0c" for character in text) + text.count("\ufffd")
        if strange > _STRANGE_SHARE * len(text):
            raise UnreadableError(
                "not_utf8", "the text is in no known encoding; save it as UTF-8", str(error)
            ) from error
        message = f"not UTF-8 (byte {error.start}); read as Windows-1252, save it as UTF-8 if letters look wrong"
        return text, (ParseWarning(type="not_utf8", message=message),)


def _is_wrapped(text: str) -> bool:
    """Whether line ends lie inside paragraphs: many lines of a similar length that is no longer than a page is wide."""
    lines = [line for line in text.split("\n") if line.strip()]
    inner = [line for line in lines if len(line) > 40]
    if len(inner) < 2 or _CODE_INDENT.search(text) or text.count("```") > 1:
        return False
    lengths = sorted(map(len, inner))
    return lengths[-1] <= _HARD_WRAP * 1.3 and lengths[len(lengths) // 2] * 1.5 >= lengths[-1]
