"""A document as CSV: one file a table, raw numbers in columns of their own, and one file for the sentences."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from ragtester.tables.cells import clean, file_names
from ragtester.tables.json_text import cell_tree
from ragtester.tables.model import Cell, Document, Paragraph, Table

FIELDS = {
    "rate": ("successes", "n", "share", "low", "high"),
    "estimate": ("value", "n", "low", "high", "unit"),
    "p": ("p",),
    "plain": ("",),
}
SENTENCES = "sentences"
# A spreadsheet reads a cell that begins like this as a formula; the wide forms count in East Asian versions.
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def csv_files(document: Document) -> dict[str, str]:
    """File name -> content: one file a table, then `sentences.csv`. What is undefined is an empty field."""
    tables = list(document.tables)
    names = file_names([SENTENCES, *(table.id for table in tables)])
    found = {f"{name}.csv": csv_text(table) for name, table in zip(names[1:], tables, strict=True)}
    lines: list[Sequence[Any]] = [("section", "text")]
    for section in document.sections:
        lines += [(section.id, part.text) for part in section.parts if isinstance(part, Paragraph)]
        lines += [(section.id, f"{table.title}: {note}") for table in section.tables for note in table.notes]
    return {**found, f"{names[0]}.csv": _written(lines)}


def csv_text(table: Table) -> str:
    """One table. A column of rates becomes five: successes, n, share, low, high; cells of other kinds share its n."""
    header: list[str] = []
    fields: list[list[str]] = []
    for place, column in enumerate(table.columns):
        present = {_kind(row[place]) for row in table.rows if row[place] is not None}
        kinds = [kind for kind in FIELDS if kind in present] or ["plain"]
        fields.append(list(dict.fromkeys(field for kind in kinds for field in FIELDS[kind])))
        header += [_joined(column, field) for field in fields[-1]]
    lines: list[Sequence[Any]] = [header]
    for row in table.rows:
        lines.append([value for cell, wanted in zip(row, fields, strict=True) for value in _values(cell, wanted)])
    return _written(lines)


def defused(text: str) -> str:
    """`text` as a spreadsheet shows it and never as one computes it: a formula gets an apostrophe in front."""
    text = clean(text)
    start = text.lstrip()
    return f"'{text}" if start.startswith(_FORMULA) and start != "-" else text


def _joined(column: str, field: str) -> str:
    return f"{column} {field}".strip()


def _kind(cell: Cell) -> str:
    found = cell_tree(cell)
    return str(found["kind"]) if isinstance(found, dict) else "plain"


def _values(cell: Cell, wanted: list[str]) -> list[Any]:
    """The wanted fields of a cell, empty where it has none of that name."""
    found = cell_tree(cell)
    if not isinstance(found, dict):
        found = {"": found}
    elif _kind(cell) == "p":
        found = {"p": found["value"]}
    return [found.get(field) for field in wanted]


def _written(lines: Sequence[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for line in lines:
        writer.writerow([defused(value) if isinstance(value, str) else value for value in line])
    return text.getvalue()
