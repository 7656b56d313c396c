"""A document as JSON: strict (no NaN), exact names, and cells that say what they are."""

from __future__ import annotations

import json
import re
from typing import Any

from ragtester.statistics import Interval
from ragtester.tables.model import Cell, Document, Estimate, Paragraph, PValue, Rate, Table

FORMAT = "ragtester-tables/1"
_UNPRINTED = re.compile("[\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_HALVES = re.compile("[\ud800-\udfff]")


def json_text(document: Document) -> str:
    """The document as indented JSON. Names are exact; what could steer a terminal stands as an escape."""
    text = json.dumps(tree(document), ensure_ascii=False, allow_nan=False, indent=1)
    # A half of a surrogate pair has no form in UTF-8 and none in strict JSON.
    text = _HALVES.sub("\N{REPLACEMENT CHARACTER}", text)
    return _UNPRINTED.sub(lambda match: f"\\u{ord(match.group()):04x}", text) + "\n"


def tree(document: Document) -> dict[str, Any]:
    """The document as plain dicts and lists."""
    sections = [
        {"id": section.id, "title": section.title, "parts": [_part(part) for part in section.parts]}
        for section in document.sections
    ]
    return {"format": FORMAT, "title": document.title, "sections": sections}


def _part(part: Paragraph | Table) -> dict[str, Any]:
    if isinstance(part, Paragraph):
        return {"kind": "paragraph", "text": part.text}
    return {
        "kind": "table",
        "id": part.id,
        "title": part.title,
        "columns": list(part.columns),
        "rows": [[cell_tree(cell) for cell in row] for row in part.rows],
        "notes": list(part.notes),
    }


def cell_tree(cell: Cell) -> Any:
    """A text, a whole number, a number or null as it is; everything else as an object with its kind."""
    if isinstance(cell, Rate):
        counts = {"successes": cell.successes, "n": cell.n, "share": cell.share}
        return {"kind": "rate", **counts, **_ends(cell.interval)}
    if isinstance(cell, Estimate):
        return {"kind": "estimate", "value": cell.value, "n": cell.n, **_ends(cell.interval), "unit": cell.unit}
    return {"kind": "p", "value": cell.value} if isinstance(cell, PValue) else cell


def _ends(interval: Interval | None) -> dict[str, float | None]:
    return {"low": interval.low if interval else None, "high": interval.high if interval else None}
