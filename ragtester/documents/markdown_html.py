"""Untrusted Markdown to safe HTML.

Markdown that a model wrote may hold anything. Raw HTML is shown as text, never obeyed: the `html` rules of the
Markdown parser are taken out, and what comes out passes a filter that knows a few tags and attributes and turns the
rest into text. Nothing in the result can fetch, run or attach anything.
"""

from __future__ import annotations

import hashlib
import html
import re
import unicodedata
from dataclasses import dataclass
from html.parser import HTMLParser

from ragtester.documents.figures import FigureSpec, parse_figure

TAGS = frozenset(
    {
        "a",
        "blockquote",
        "br",
        "code",
        "dd",
        "del",
        "div",
        "dl",
        "dt",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "s",
        "strong",
        "sub",
        "sup",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
        "img",
    }
)
VOID = frozenset({"br", "hr", "img"})
ATTRIBUTES = {
    "a": {"href", "id", "class"},
    "img": {"src", "alt"},
    "td": {"align"},
    "th": {"align"},
    "li": {"id"},
    "sup": {"id"},
    "div": {"class"},
    "ol": {"start"},
} | {f"h{level}": {"id"} for level in range(1, 7)}
CLASSES = frozenset({"footnote", "footnote-ref", "toc"})
MAX_COLUMNS = 24
_LINK = re.compile(r"(https?://|mailto:|#)", re.I)
_IMAGE = re.compile(r"data:image/(png|jpeg);base64,[A-Za-z0-9+/=]+\Z")
_ALIGN = re.compile(r"text-align:\s*(left|right|center);?\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})\s*([\w-]*)")
_LIST = re.compile(r" {0,3}([-*+]|1[.)])\s+\S")
_ANY_ITEM = re.compile(r"\s*([-*+]|\d{1,3}[.)])\s+\S")
_SEPARATOR = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*\Z")


@dataclass(frozen=True)
class SafeHtml:
    """A body that is safe to render, and its figures by placeholder."""

    body: str
    figures: dict[str, FigureSpec]


def clean_markdown(text: str) -> tuple[str, int]:
    """Remove control characters, byte-order marks and noncharacters; lone surrogates become U+FFFD.

    Returns the text with `\\n` line ends and the number of characters that were removed or replaced.
    """
    kept = []
    cleaned = 0
    for char in text.replace("\r\n", "\n").replace("\r", "\n"):
        code = ord(char)
        if char in "\n\t":
            kept.append(char)
        elif unicodedata.category(char) == "Cc" or code == 0xFEFF or code & 0xFFFE == 0xFFFE or 0xFDD0 <= code < 0xFDF0:
            cleaned += 1
        elif 0xD800 <= code < 0xE000:
            kept.append("\ufffd")
            cleaned += 1
        else:
            kept.append(char)
    return "".join(kept), cleaned


def markdown_to_html(text: str) -> SafeHtml:
    """Markdown (tables, fenced code, footnotes, `[TOC]`) as filtered HTML; figure blocks become placeholders."""
    import markdown
    from markdown.extensions.footnotes import FootnoteExtension

    prepared, figures = _prepare(clean_markdown(text)[0])
    parser = markdown.Markdown(
        extensions=[
            "tables",
            "fenced_code",
            FootnoteExtension(BACKLINK_TEXT="", USE_DEFINITION_ORDER=False),
            "toc",
            "sane_lists",
        ],
        output_format="html",
    )
    parser.preprocessors.deregister("html_block")
    parser.inlinePatterns.deregister("html")
    filter_ = _Filter()
    filter_.feed(parser.convert(prepared))
    filter_.close()
    return SafeHtml("".join(filter_.parts), figures)


def escape(text: str) -> str:
    """Text for an HTML body or a quoted attribute."""
    return html.escape(text, quote=True)


class _Filter(HTMLParser):
    """Copies known tags with known attributes; everything else becomes visible text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._dropped_links = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag not in TAGS:
            self.parts.append(escape(self.get_starttag_text() or f"<{tag}>"))
        elif tag == "img":
            self.parts.append(_image(values))
        elif tag == "a" and "footnote-backref" in values.get("class", ""):
            self._dropped_links += 1
        else:
            self.parts.append(f"<{tag}{_attributes(tag, values)}>")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._dropped_links:
            self._dropped_links -= 1
        elif tag not in TAGS:
            self.parts.append(escape(f"</{tag}>"))
        elif tag not in VOID:
            self.parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.parts.append(escape(data))

    def handle_comment(self, data: str) -> None:
        self.parts.append(escape(f"<!--{data}-->"))

    def handle_decl(self, decl: str) -> None:
        self.parts.append(escape(f"<!{decl}>"))

    def unknown_decl(self, data: str) -> None:
        self.parts.append(escape(f"<![{data}]>"))

    def handle_pi(self, data: str) -> None:
        self.parts.append(escape(f"<?{data}>"))


def _attributes(tag: str, values: dict[str, str]) -> str:
    kept = {name: value for name, value in values.items() if name in ATTRIBUTES.get(tag, set())}
    if tag == "a" and not _LINK.match(kept.get("href", "").strip()):
        kept.pop("href", None)
    if "class" in kept and kept["class"] not in CLASSES:
        del kept["class"]
    if tag in {"td", "th"} and (aligned := _ALIGN.match(values.get("style", ""))):
        kept["align"] = aligned[1]
    return "".join(f' {name}="{escape(value)}"' for name, value in kept.items())


def _image(values: dict[str, str]) -> str:
    """An image that carries its own bytes, or the alternative text of any other."""
    source, alt = values.get("src", ""), values.get("alt", "")
    if _IMAGE.match(source):
        return f'<img src="{source}" alt="{escape(alt)}">'
    return escape(alt)


def _prepare(text: str) -> tuple[str, dict[str, FigureSpec]]:
    """Take figure blocks out, and mend what Markdown writers get wrong most: lists and tables right after a line."""
    nonce = hashlib.sha256(text.encode()).hexdigest()[:16]
    figures: dict[str, FigureSpec] = {}
    out: list[str] = []
    lines = text.split("\n")
    position = 0
    while position < len(lines):
        line = lines[position]
        fence = _FENCE.match(line)
        end = _fence_end(lines, position, fence[1]) if fence else None
        if fence and end is not None:
            block = lines[position : end + 1]
            spec = parse_figure("\n".join(block[1:-1])) if fence[2] == "figure" else None
            if spec:
                mark = f"figure{nonce}n{len(figures)}e"
                figures[mark] = spec
                block = ["", mark, ""]
            out.extend(block)
            position = end + 1
            continue
        position = _copy_line(lines, position, out)
    return "\n".join(out), figures


def _copy_line(lines: list[str], position: int, out: list[str]) -> int:
    """Copy one line, or one table that is too wide for any page; returns the next position."""
    line = lines[position]
    previous = out[-1] if out else ""
    follows_text = bool(previous.strip()) and not _ANY_ITEM.match(previous) and not previous.startswith((" ", "\t"))
    heads_table = position + 1 < len(lines) and "|" in line and _SEPARATOR.match(lines[position + 1])
    if follows_text and (heads_table or _LIST.match(line)):
        out.append("")
    if not heads_table or line.count("|") <= MAX_COLUMNS + 1:
        out.append(line)
        return position + 1
    end = position
    while end < len(lines) and "|" in lines[end]:
        end += 1
    out.extend(["", "~~~~~~", *lines[position:end], "~~~~~~", ""])
    return end


def _fence_end(lines: list[str], start: int, fence: str) -> int | None:
    """Line that closes the fence opened at `start`, or None."""
    closing = re.compile(rf" {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}\s*\Z")
    return next((index for index in range(start + 1, len(lines)) if closing.match(lines[index])), None)
