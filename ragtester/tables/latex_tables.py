"""One table as LaTeX: a float that is scaled as a whole, or a longtable where it would be taller than a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragtester.tables.cells import column_groups, numeric_columns, show_row
from ragtester.tables.latex_text import escape
from ragtester.tables.model import Cell, Estimate, Rate, Table
from ragtester.tables.names import JOIN, folded

GAP = 2
# Characters that fit beside each other: in a float, set a little smaller or small, in a longtable upright and turned.
FLOAT, SMALL, UPRIGHT, TURNED = 105, 120, 88, 140
# Characters across a page and lines down it, captions and notes left out, before a float is made smaller.
ACROSS, DOWN = 73, 36
# Characters of a text in a longtable's column.
TEXT = 40
HEADER = 10


@dataclass(frozen=True)
class _Sheet:
    """A table's cells as lines of text, with the alignment and the width of every column, in characters."""

    head: list[list[str]]
    rows: list[list[list[str]]]
    right: list[bool]
    widths: list[int]

    @classmethod
    def of(cls, table: Table, *, stacked: bool) -> _Sheet:
        """`stacked` sets cells on two lines, as `_stacked` says. Headings are folded to the width of their column."""
        rows = [
            [_stacked(cell, text) if stacked else [text] for cell, text in zip(row, show_row(row), strict=True)]
            for row in table.rows
        ]
        places = range(len(table.columns))
        own = [max((len(line) for row in rows for line in row[place]), default=0) for place in places]
        head = [folded(column, max(width, HEADER)) for column, width in zip(table.columns, own, strict=True)]
        widths = [max(width, *map(len, lines)) for width, lines in zip(own, head, strict=True)]
        return cls(head, rows, numeric_columns(table.rows, len(table.columns)), widths)

    def fits(self, groups: Sequence[Sequence[int]]) -> bool:
        """Whether the parts, one below the other and scaled to the page's width, are no taller than the page."""
        lines = sum(max(len(row[place]) for place in places) for row in [self.head, *self.rows] for places in groups)
        widest = max(sum(self.widths[place] + GAP for place in places) for places in groups)
        return lines * min(1.0, ACROSS / widest) <= DOWN


def latex_table(table: Table, label: str) -> str:
    """The table with its caption, label and notes; columns that do not fit beside each other follow below."""
    for stacked, page in ((False, FLOAT), (True, FLOAT), (True, SMALL)):
        sheet = _Sheet.of(table, stacked=stacked)
        groups = column_groups(sheet.widths, page, GAP, table.keys)
        if len(groups) == 1:
            break
    if not sheet.fits(groups):
        return _long(table, label)
    parts = [_tabular(sheet, places) for places in groups]
    # One box of all parts, so that all of them are set in one size: no wider than the page and never larger than it is.
    lines = [
        *("\\begin{table}", "\\centering", *_caption(table, label)),
        "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{\\begin{tabular}{@{}l@{}}",
        "\\\\[1ex]\n".join(parts),
        "\\end{tabular}}",
    ]
    if table.notes:
        lines.append(f"\\par\\smallskip\\parbox{{\\linewidth}}{{\\footnotesize {_notes(table)}}}")
    return "\n".join([*lines, "\\end{table}"])


def _caption(table: Table, label: str) -> list[str]:
    return [f"\\caption{{{escape(table.title)}}}", f"\\label{{tab:{label}}}"]


def _notes(table: Table) -> str:
    return " ".join(map(escape, table.notes))


def _tabular(sheet: _Sheet, places: Sequence[int]) -> str:
    """Some columns of a table."""
    columns = "".join("r" if sheet.right[place] else "l" for place in places)
    head, *rows = (_row(sheet, line, places) for line in [sheet.head, *sheet.rows])
    lines = (f"\\begin{{tabular}}{{{columns}}}", "\\toprule", head, "\\midrule", *rows)
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"])


def _long(table: Table, label: str) -> str:
    """Over several pages in one small size; turned where the columns do not fit upright."""
    for stacked, page in ((False, UPRIGHT), (True, UPRIGHT), (True, TURNED)):
        sheet = _Sheet.of(table, stacked=stacked)
        widths = [width if sheet.right[place] else min(width, TEXT) for place, width in enumerate(sheet.widths)]
        groups = column_groups(widths, page, GAP, table.keys)
        if len(groups) == 1:
            break
    turned = page == TURNED
    parts = []
    for number, places in enumerate(groups, start=1):
        mark = "" if len(groups) == 1 else f" (part {number} of {len(groups)})"
        title = [*_caption(table, label)] if number == 1 else [f"\\caption[]{{{escape(table.title + mark)}}}"]
        parts.append(_longtable(sheet, places, title, again=number > 1))
    lines = ["\\begingroup\\scriptsize\\setlength{\\tabcolsep}{3pt}", *parts]
    lines += [f"\\noindent {_notes(table)}\\par"] if table.notes else []
    lines.append("\\endgroup")
    return "\n".join(["\\begin{landscape}", *lines, "\\end{landscape}"] if turned else lines)


def _longtable(sheet: _Sheet, places: Sequence[int], title: Sequence[str], *, again: bool) -> str:
    """Some columns of a table; `again`: they go on with one that has been counted already."""
    columns = "".join("r" if sheet.right[place] else _left(sheet.widths[place]) for place in places)
    head, *rows = (_row(sheet, line, places) for line in [sheet.head, *sheet.rows])
    above = ["\\toprule", head, "\\midrule"]
    lines = [
        *(["\\addtocounter{table}{-1}"] if again else []),
        *(f"\\begin{{longtable}}{{{columns}}}", "".join(title) + "\\\\", *above, "\\endfirsthead", *above, "\\endhead"),
        *("\\bottomrule", "\\endfoot", *rows, "\\end{longtable}"),
    ]
    return "\n".join(lines)


def _left(width: int) -> str:
    """A column of texts; long ones are broken into lines of about `TEXT` characters."""
    return "l" if width <= TEXT else f"p{{{TEXT * 4}pt}}"


def _stacked(cell: Cell, text: str) -> list[str]:
    """A rate's count above its share, an estimate above its interval, the halves of a system's name."""
    if isinstance(cell, Rate) and cell.n:
        return text.split(" = ")
    if isinstance(cell, Estimate) and cell.interval:
        value, _, rest = text.partition(" [")
        return [value, f"[{rest}"]
    first, join, second = text.partition(JOIN) if isinstance(cell, str) else (text, "", "")
    return [f"{first}{JOIN.rstrip()}", second] if join else [text]


def _row(sheet: _Sheet, cells: Sequence[Sequence[str]], places: Sequence[int]) -> str:
    """One row; a first cell that begins like the argument of the line break before it is set apart."""
    base = "b" if cells is sheet.head else "t"
    texts = [_lines([escape(line) for line in cells[place]], base, right=sheet.right[place]) for place in places]
    first = "{}" if texts and texts[0].startswith(("[", "*")) else ""
    return first + " & ".join(texts) + r" \\"


def _lines(lines: Sequence[str], base: str, *, right: bool) -> str:
    """The lines of one cell, one below the other where there are several."""
    if len(lines) == 1:
        return lines[0]
    # The same guard as for a row, within the cell.
    inner = r"\\ ".join("{}" + line if line.startswith(("[", "*")) else line for line in lines)
    return f"\\begin{{tabular}}[{base}]{{@{{}}{'r' if right else 'l'}@{{}}}}{inner}\\end{{tabular}}"
