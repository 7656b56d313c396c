"""HTML to readable text: headings, lists, tables and code on their own lines in Markdown's manner."""

from __future__ import annotations

import re
from typing import Any

from ragtester.documents.cleaning import clean_characters
from ragtester.documents.formats import PlainText, decode, finished
from ragtester.documents.unreadable import UnreadableError
from ragtester.records import ParseWarning
from ragtester.text.normalise import listed

_DROPPED = frozenset(
    listed(
        "script style noscript template svg math iframe object embed canvas head nav footer aside form button select "
        "input textarea dialog audio video"
    )
)
_BLOCKS = frozenset(
    listed(
        "address article blockquote body dd details div dl dt fieldset figcaption figure header hgroup hr html li main "
        "ol p section summary ul caption center"
    )
)
_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "menu", "menubar", "complementary"})
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n\x0c]+")
_AROUND_BREAK = re.compile(r" *\n *")
_HEADING = re.compile(r"h([1-6])\Z")
_MAX_DEPTH = 200


def read_html(data: bytes) -> PlainText:
    """The text of an HTML page without scripts, styles, navigation and hidden parts; entities decoded."""
    source, warnings = _decode(data)
    from lxml import etree, html

    parser = html.HTMLParser(remove_comments=True, remove_pis=True, huge_tree=True, encoding="utf-8")
    try:
        root = html.document_fromstring(source.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, ValueError) as error:
        raise UnreadableError(
            "damaged", "holds no HTML that can be parsed; fetch or save it again", str(error)
        ) from error
    if any("xcessive depth" in entry.message for entry in parser.error_log):  # the parser leaves out all that follows
        raise UnreadableError("damaged", "its tags are nested thousands deep; fetch or save it again")
    main = _main_part(root)
    writer = _Writer()
    writer.walk(main, 0)
    text, dropped = clean_characters(writer.text())
    return finished(text, dropped, warnings)


def _decode(data: bytes) -> tuple[str, tuple[ParseWarning, ...]]:
    """A byte order mark wins, then valid UTF-8, then the charset that the page declares."""
    declared = _CHARSET.search(data[:4096])
    try:
        text, warnings = decode(data)
    except UnreadableError:
        if not declared:
            raise
        text, warnings = "", (ParseWarning(type="not_utf8", message="not UTF-8"),)
    if warnings and declared:
        try:
            return data.decode(declared[1].decode("ascii"), "replace"), ()
        except LookupError:
            return text, warnings
    return text, warnings


def _main_part(root: Any) -> Any:
    """The page's <main> or its only <article> where there is one, else the body."""
    for path in ("//main", "//*[@role='main']", "//article"):
        found = root.xpath(path)
        if len(found) == 1 and len(found[0].text_content().strip()) > 200:
            return found[0]
    body = root.find("body")
    return root if body is None else body


def _is_hidden(element: Any) -> bool:
    return (
        element.tag in _DROPPED
        or element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or element.get("role") in _ROLES
        or bool(_HIDDEN_STYLE.search(element.get("style") or ""))
    )


class _Writer:
    """Collects lines; `_line` is the line that is being written."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._prefix = ""

    def text(self) -> str:
        self._end_line()
        return "\n".join(self._lines)

    def walk(self, element: Any, depth: int) -> None:
        """Write an element and what is in it (without its tail)."""
        if not isinstance(element.tag, str) or _is_hidden(element):
            return
        if depth > _MAX_DEPTH:  # no structure can be meant by that: the bare text
            self._add(" ".join(element.xpath(".//text()[not(ancestor::script or ancestor::style)]")))
            return
        heading = _HEADING.match(element.tag)
        if element.tag == "br":
            self._line.append("\n")
        elif element.tag == "pre":
            self._pre(element)
        elif element.tag == "table":
            self._table(element, depth)
        elif heading:
            self._block(element, depth, f"{'#' * int(heading[1])} ")
        elif element.tag == "li":
            self._item(element, depth)
        elif element.tag in _BLOCKS:
            self._block(element, depth, "")
        else:
            self._children(element, depth)

    def _children(self, element: Any, depth: int) -> None:
        self._add(element.text)
        for child in element:
            self.walk(child, depth + 1)
            self._add(child.tail)

    def _add(self, text: str | None) -> None:
        if text:
            self._line.append(_SPACE.sub(" ", text))

    def _block(self, element: Any, depth: int, prefix: str) -> None:
        self._end_line()
        if element.tag in ("ul", "ol") and next(element.iterancestors("li"), None) is not None:
            self._children(element, depth)  # a list in a list stays with its item
            return
        self._blank()
        self._prefix = prefix
        self._children(element, depth)
        self._end_line()
        self._prefix = ""
        self._blank()

    def _item(self, element: Any, depth: int) -> None:
        self._end_line()
        parent = element.getparent()
        level = sum(1 for above in element.iterancestors("ul", "ol")) - 1
        number = 1 + sum(1 for before in element.itersiblings("li", preceding=True))
        marker = f"{number}. " if parent is not None and parent.tag == "ol" else "- "
        self._prefix = "  " * max(0, level) + marker
        self._children(element, depth)
        self._end_line()
        self._prefix = ""

    def _pre(self, element: Any) -> None:
        self._end_line()
        self._blank()
        self._lines.extend(["```", *element.text_content().strip("\n").split("\n"), "```", ""])

    def _table(self, element: Any, depth: int) -> None:
        self._end_line()
        self._blank()
        rows = [row for row in element.iter("tr") if next(row.iterancestors("table")) is element]
        for caption in element.findall("caption"):
            self._block(caption, depth, "")
        width = max((len(row.xpath("./td|./th")) for row in rows), default=0)
        for index, row in enumerate(rows):
            cells = [self._cell(cell, depth) for cell in row.xpath("./td|./th")]
            cells += [""] * (width - len(cells))
            if width == 1:  # a table that only lays out the page
                self._lines.extend([cells[0], ""])
                continue
            self._lines.append(f"| {' | '.join(cells)} |")
            if index == 0:
                self._lines.append(f"|{' --- |' * width}")
        self._blank()

    def _cell(self, cell: Any, depth: int) -> str:
        inner = _Writer()
        inner._children(cell, depth + 1)
        return _SPACE.sub(" ", inner.text()).strip().replace("|", "\\|")

    def _end_line(self) -> None:
        text = _AROUND_BREAK.sub("\n", re.sub(" {2,}", " ", "".join(self._line))).strip()
        self._line = []
        if text:
            self._lines.extend(f"{self._prefix}{text}".split("\n"))
            self._prefix = " " * len(self._prefix) if self._prefix.strip() not in ("", "#") else ""

    def _blank(self) -> None:
        if self._lines and self._lines[-1]:
            self._lines.append("")
