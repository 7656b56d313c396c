"""Facts that tables state: what stands in a row under a column's head.

Markdown tables are read by their bars. In a table that came out of a PDF the bars are gone; there a row is a label and
values of known shapes (quantities, times, codes), and it counts only where the line above it splits into as many heads
as the row has cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragtester.models.embedded.facts import Found
from ragtester.models.embedded.statements import Statement
from ragtester.text.quantities import quantities, same_quantity

Line = tuple[int, str]
_BARRED = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^[\s|:-]+$")
_MARK = re.compile(r"\[\^[^\]]*\]|\*\*|`|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)")
_LEAD = (
    r"(?:from|at most|at least|every|up to|only|alle|ab|bis|höchstens|mindestens|max\.?|min\.?|ca\.?|about|over|under)"
)
_NUMBER = r"[±+−–-]?\d(?:[\d.,:]*\d)?"
_CELL = re.compile(
    rf"(?P<cell>(?:{_LEAD} )?{_NUMBER}(?: (?:to|bis|à|a|–) {_NUMBER})?"
    r"(?: ?(?:%|‰|°C|°F|€|\$|[A-Za-zµ°²³/]{1,10}(?<!to))(?: ×\d)?)?(?: (?:hours|minutes|Uhr))?"
    r"|[A-Z]{1,3}\d{1,3}(?: ×\d)?|closed)$"
)
_CODE_ROW = re.compile(r"^(?P<code>[A-Z]{1,3}\d{0,2}|[A-Z]\d) (?P<text>[^\W\d_][^|]{5,80})$")
_HEAD_START = re.compile(r"^(?:[A-ZÀ-ÝА-Я]|\d)")
_NO_LABEL = re.compile(r"^(?:the|a|an|and|or|of|in|on|to|der|die|das|und|from|at|sum|summe|total)$", re.I)
MOST_LABEL = 8


@dataclass(frozen=True)
class Row:
    """A table's row: its cells, the heads above them (the first is the label's), and both lines' statements."""

    heads: tuple[str, ...]
    cells: tuple[str, ...]
    statement: Statement
    head: Statement


def table_facts(text: str, language: str) -> Iterator[tuple[Found, Statement, Statement]]:
    """Each cell as a fact: what is found, the row, and the line of heads."""
    for row in rows(text, language):
        label = row.cells[0]
        for head, cell in zip(row.heads[1:], row.cells[1:], strict=True):
            if usable(label, head, cell) and _told(cell, row.statement.text, language):
                slots = {"S": label, "A": _side(head, text, language)}
                yield Found("cell", slots, cell, f"{label} – {head}: {cell}."), row.statement, row.head


def rows(text: str, language: str) -> list[Row]:
    """The rows of all tables of a text: with bars, without, and lists of codes."""
    lines: list[Line] = []
    offset = 0
    for line in text.split("\n"):
        lines.append((offset, line))
        offset += len(line) + 1
    return [*_barred(lines), *_bare(lines, language), *_coded(lines)]


def usable(label: str, head: str, cell: str) -> bool:
    """Whether the three say enough for a question: no empty cells, no bare numbers as labels, no sentences as heads."""
    said = re.search(r"\w", cell) and cell.lower() not in ("-", "–", "n/a", "none", "yes", "no", "ja", "nein")
    named = re.search(r"[^\W\d_]", label) and len(label.split()) <= MOST_LABEL and not label.endswith(":")
    headed = re.search(r"\w", head) and len(head.split()) <= 6 and not head.endswith((".", ":"))
    plain = head.lower() not in ("remarks", "notes", "bemerkung", "#", "no", "nr")
    return bool(said and named and headed and plain) and len(cell) <= 90 and cell not in label


def _told(cell: str, row: str, language: str) -> bool:
    """Whether the row read as a whole gives the cell's values: `214 187` without bars reads as one number."""
    held = quantities(row.replace("|", " ; "), language)
    return all(any(same_quantity(one, other) for other in held) for one in quantities(cell, language))


def _side(head: str, text: str, language: str) -> str:
    """A column's head as it reads in a question: `Heat, kWh a visitor` becomes `heat (kWh a visitor)`."""
    name, comma, unit = head.partition(", ")
    first = name.split(" ", 1)[0].lower()
    if (
        name[1:].islower()
        and len(name) > 3
        and language != "de"
        and (first == name.lower() or re.search(rf"\b{re.escape(first)}\b", text))
    ):
        name = f"“{name}”" if name.endswith("ed") else name[:1].lower() + name[1:]
    return f"{name} ({unit})" if comma else name


def _clean(cell: str) -> str:
    return _MARK.sub("", cell).strip()


def _statement(line: Line) -> Statement:
    offset, text = line
    begin = len(text) - len(text.lstrip())
    return Statement(" ".join(text.split()), offset + begin, offset + len(text.rstrip()))


def _barred(lines: Sequence[Line]) -> Iterator[Row]:
    heads: list[str] = []
    head = Statement("", 0, 0)
    for place, line in enumerate(lines):
        if not _BARRED.match(line[1]):
            heads = []
            continue
        cells = [_clean(cell) for cell in line[1].strip().strip("|").split("|")]
        if _RULE.match(line[1]):
            continue
        if not heads:
            following = lines[place + 1][1] if place + 1 < len(lines) else ""
            if _BARRED.match(following) and _RULE.match(following):
                heads, head = cells, _statement(line)
        elif len(cells) == len(heads) >= 2:
            yield Row(tuple(heads), tuple(cells), _statement(line), head)


def _bare(lines: Sequence[Line], language: str) -> Iterator[Row]:
    """Rows of a table without bars, under the nearest lines that split into as many heads; one row is no table."""
    above: list[Line] = []
    rows: list[Row] = []
    for line in (*lines, (0, "end.")):
        text = line[1].strip()
        label, cells = _split(text, language)
        if cells:
            headed = _headed(above, len(cells))
            if headed:
                rows.append(Row(headed[0], (label, *cells), _statement(line), headed[1]))
        elif text.endswith((".", "!", "?", ":")):
            yield from rows if len(rows) > 1 else ()
            above, rows = [], []
        elif text and len(text) < 110:
            above = [*above[-3:], line]
    yield from rows if len(rows) > 1 else ()


def _headed(above: Sequence[Line], count: int) -> tuple[tuple[str, ...], Statement] | None:
    """The nearest heads that fit, and where they stand; heads may be broken over two lines."""
    for place in range(len(above) - 1, -1, -1):
        for first in (place - 2, place - 1, place):
            if first < 0:
                continue
            heads = _heads(" ".join(one[1].strip() for one in above[first : place + 1]), count)
            if heads:
                start, end = _statement(above[first]), _statement(above[place])
                return tuple(heads), Statement(
                    f"{start.text} {end.text}" if first < place else end.text, start.start, end.end
                )
    return None


def _split(text: str, language: str) -> tuple[str, list[str]]:
    """Label and cells of a row; no cells where it is none. One cell alone is too little to be sure."""
    if len(text) > 120 or text.endswith((".", ":", ";", ",")):
        return "", []
    rest, cells = text, list[str]()
    while match := _CELL.search(rest):
        before = rest[: match.start()]
        if not before.endswith(" ") or match["cell"].endswith((",", ".")):
            break
        cells.insert(0, match["cell"])
        rest = before.rstrip()
    words = rest.split()
    fit = (
        1 <= len(words) <= 6 and re.search(r"[^\W\d_]", rest) and not any(_NO_LABEL.match(word) for word in words[-1:])
    )
    valued = sum(bool(quantities(cell, language)) for cell in cells)
    return (
        (rest, cells)
        if len(cells) >= 2 and fit and valued >= 2 and words[0][:1].isalnum() and not words[0].isdigit()
        else ("", [])
    )


def _heads(text: str, count: int) -> list[str]:
    """The line as `count` heads and a label's (perhaps empty) head; nothing where it does not split that way."""
    tokens = text.split()
    if len(tokens) > 30 or not tokens:
        return []
    starts = [
        place
        for place, token in enumerate(tokens)
        if _HEAD_START.match(token) and not (place and tokens[place - 1].endswith(","))
    ]
    if not starts or starts[0] or re.match(r"\d+(?:\.\d+)*\.? [^\W\d]", text) or re.search(r"\.\.|://", text):
        return []
    ends = [*starts[1:], len(tokens)]
    heads = [" ".join(tokens[start:end]) for start, end in zip(starts, ends, strict=True)]
    bare = any(re.fullmatch(r"[\d.,%]+", head) and not re.fullmatch(r"(?:19|20)\d\d", head) for head in heads)
    summed = any(head.lower() in ("total", "sum", "summe") for head in heads)
    if len(heads) != len(set(heads)) or bare or summed or any(len(head.split()) > 6 for head in heads[1:]):
        return []
    if len(heads) == count + 1:
        return heads
    # Without a head over the labels all must be built alike: `2024, euros 2025, euros`.
    alike = len({len(head.split()) for head in heads}) == 1
    return ["", *heads] if len(heads) == count and alike else []


def _coded(lines: Sequence[Line]) -> Iterator[Row]:
    """Lists of codes under a line of two heads (`Code Meaning`), at least three in a row."""
    run: list[tuple[Line, str, str]] = []
    head: Line | None = None
    for line in (*lines, (0, ".")):
        text = line[1].strip()
        if not text:
            continue
        match = _CODE_ROW.match(text)
        if match and not text.endswith("."):
            run.append((line, match["code"], match["text"]))
            continue
        if head and len(run) >= 3:
            heads = head[1].split()
            for one, code, said in run:
                yield Row(tuple(heads), (code, said), _statement(one), _statement(head))
        run = []
        head = line if len(text.split()) == 2 and text[:1].isupper() and text[-1:].isalpha() else None
