"""A document on a terminal: numbers are never cut; names are shortened, texts wrapped, wide tables split."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rich.cells import cell_len

from ragtester.tables.cells import FROM, clean, column_groups, numeric_columns, show_row
from ragtester.tables.model import Cell, Document, Estimate, Paragraph, Rate, Table
from ragtester.tables.names import JOIN, common_names, folded

if TYPE_CHECKING:
    from rich.console import Console

GAP = 2
NAME_LEAST, TEXT_LEAST, HEADER_LEAST = 18, 12, 12


@dataclass
class _Column:
    """One column: its lines a cell, and the widths it needs and would like."""

    header: str
    cells: list[str]
    right: bool
    least: int
    wanted: int
    names: bool = False
    width: int = 0


def print_document(document: Document, console: Console) -> None:
    """Print headings, sentences and tables within the console's width."""
    _print("\n".join(folded(clean(document.title), console.width)), console, style="bold")
    for section in document.sections:
        _print("", console)
        _print("\n".join(folded(clean(section.title), console.width)), console, style="bold underline")
        for part in section.parts:
            _print("", console)
            if isinstance(part, Paragraph):
                _print("\n".join(folded(clean(part.text), console.width)), console)
            else:
                print_table(part, console)


def print_table(table: Table, console: Console) -> None:
    """Print one table; columns that do not fit beside each other follow below, each time with the rows' names."""
    _print("\n".join(folded(clean(table.title), console.width)), console, style="italic")
    if not table.rows:
        _print("  no rows", console)
    else:
        for place, group in enumerate(_groups(_columns(table, console.width), console.width, table.keys)):
            if place:
                _print("", console)
            for line, style in _lines(group):
                _print(line, console, style=style)
    for note in table.notes:
        for place, line in enumerate(folded(clean(note), max(20, console.width - 2))):
            _print(("* " if place == 0 else "  ") + line, console, style="dim")


def _print(text: str, console: Console, style: str = "") -> None:
    console.print(text, style=style, markup=False, highlight=False, emoji=False, soft_wrap=True)


def _columns(table: Table, width: int) -> list[_Column]:
    """Columns as wide as they like; where that is too wide, rates go over two lines."""
    wide = _measured(table, stacked=False)
    return wide if sum(column.least + GAP for column in wide) <= width + GAP else _measured(table, stacked=True)


def _measured(table: Table, *, stacked: bool) -> list[_Column]:
    right = numeric_columns(table.rows, len(table.columns))
    texts = [show_row(row) for row in table.rows]
    found = []
    for place, header in enumerate(map(clean, table.columns)):
        cells = [_text(row[place], shown[place], stacked=stacked) for row, shown in zip(table.rows, texts, strict=True)]
        longest = max(cell_len(line) for cell in cells for line in cell.split("\n"))
        kinds = zip((row[place] for row in table.rows), cells, strict=True)
        numbers = max(
            (cell_len(line) for kind, text in kinds if not isinstance(kind, str) for line in text.split("\n")),
            default=0,
        )
        word = min(HEADER_LEAST, max(map(cell_len, header.split(" "))))
        names = not table.whole_names and (place == 0 or all(JOIN in cell or " " not in cell for cell in cells))
        least = longest if right[place] else max(numbers, min(longest, NAME_LEAST if names else TEXT_LEAST))
        wanted = max(longest, min(cell_len(header), 2 * HEADER_LEAST))
        found.append(_Column(header, cells, right[place], max(least, word), wanted, names))
    return found


def _text(cell: Cell, text: str, *, stacked: bool) -> str:
    if stacked and isinstance(cell, Rate) and cell.n:
        return text.replace(" = ", "\n")
    if stacked and isinstance(cell, Estimate) and cell.of:
        return text.replace(FROM, f"\n{FROM.removeprefix(', ')}")
    return text


def _groups(columns: list[_Column], width: int, keys: int) -> list[list[_Column]]:
    """Columns side by side that fit, each group beginning with the names of the rows."""
    found = []
    widest = max((column.least for column in columns[keys:]), default=0)
    if keys > 1 and sum(column.least + GAP for column in columns[:keys]) + 2 * (widest + GAP) > width + GAP:
        columns, keys = [_merged(columns[:keys]), *columns[keys:]], 1
    for places in column_groups([column.least for column in columns], width, GAP, keys):
        group = [replace(columns[place]) for place in places]
        found.append(_fitted(group, width))
    _write([column for group in found for column in group])
    return found


def _write(columns: list[_Column]) -> None:
    """Lay out the cells of all groups: a name has one form in the whole table, however much room there is for it."""
    named = [column for column in columns if column.names and not column.right]
    forms = common_names([([line for cell in one.cells for line in cell.split("\n")], one.width) for one in named])
    for column in columns:
        if column.names and not column.right:
            column.cells = ["\n".join(forms[line] for line in cell.split("\n")) for cell in column.cells]
            longest = max(cell_len(line) for cell in column.cells for line in cell.split("\n"))
            column.width = max(longest, min(column.width, cell_len(column.header)))
        elif not column.right:
            column.cells = ["\n".join(folded(cell, column.width)) for cell in column.cells]


def _merged(keys: list[_Column]) -> _Column:
    """Columns that name a row in one, each name on a line of its own: where there is little room."""
    return _Column(
        header=" / ".join(column.header for column in keys),
        cells=["\n".join(cells) for cells in zip(*(column.cells for column in keys), strict=True)],
        right=False,
        least=max(column.least for column in keys),
        wanted=max(column.wanted for column in keys),
        names=True,
    )


def _fitted(group: list[_Column], width: int) -> list[_Column]:
    """Give what room is left to the columns that want it, the narrowest wish first."""
    for column in group:
        column.width = column.least
    left = width - sum(column.width + GAP for column in group) + GAP
    wishing = sorted((column for column in group if column.wanted > column.width), key=lambda one: one.wanted)
    for place, column in enumerate(wishing):
        more = max(0, min(column.wanted - column.width, left // (len(wishing) - place)))
        column.width += more
        left -= more
    return group


def _lines(group: list[_Column]) -> list[tuple[str, str]]:
    """Printed lines with their style."""
    heads = [folded(column.header, column.width) for column in group]
    found = [(line, "bold") for line in _row(heads, group, bottom=True)]
    found.append(("─" * (sum(column.width + GAP for column in group) - GAP), "dim"))
    for place in range(len(group[0].cells)):
        found += [(line, "") for line in _row([column.cells[place].split("\n") for column in group], group)]
    return found


def _row(cells: list[list[str]], group: list[_Column], *, bottom: bool = False) -> list[str]:
    height = max(map(len, cells))
    lines = []
    for number in range(height):
        parts = []
        for cell, column in zip(cells, group, strict=True):
            place = number - (height - len(cell)) if bottom else number
            text = cell[place] if 0 <= place < len(cell) else ""
            space = " " * max(0, column.width - cell_len(text))
            parts.append(space + text if column.right else text + space)
        lines.append((" " * GAP).join(parts).rstrip())
    return lines
