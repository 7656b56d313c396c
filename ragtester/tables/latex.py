"""A document as LaTeX (booktabs): a piece to `\\input` into a paper; compiles under pdfLaTeX, XeLaTeX and LuaLaTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ragtester.tables.cells import clean, column_groups, file_names, numeric_columns, show_row
from ragtester.tables.model import Document, Paragraph, Table

HEAD = """\
% Needs \\usepackage{booktabs,graphicx}. A character that pdfLaTeX has no glyph for is shown as its code there.
\\providecommand{\\ragtesterchar}[2]{\\ifdefined\\XeTeXversion #2\\else\\ifdefined\\directlua #2\\else[U+#1]\\fi\\fi}
"""
# Characters that fit beside each other on a page, when set a little smaller; and the space between columns.
PAGE, GAP = 105, 2
_KNOWN = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "`": r"{\char96}",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "−": r"$-$",
    "→": r"$\to$",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "…": r"\ldots{}",
    "°": r"$^{\circ}$",
    "\N{NO-BREAK SPACE}": "~",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
}
# Combining mark -> accent command.
_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
}


def escape(text: str) -> str:
    """`text` as LaTeX in plain ASCII that shows exactly it; no command in it is ever run."""
    found = "".join(map(_character, unicodedata.normalize("NFC", clean(text))))
    # Neighbours that a font would join: dashes, quotes, commas.
    return re.sub(r"(?<=([-',]))(?=\1)", "{}", found)


def _character(character: str) -> str:
    if character in _KNOWN:
        return _KNOWN[character]
    if " " <= character < "\x7f":
        return character
    base, *marks = list(unicodedata.normalize("NFD", character))
    if len(marks) == 1 and base.isascii() and base.isalpha() and marks[0] in _ACCENTS:
        letter = {"i": r"\i", "j": r"\j"}.get(base, base) if _ACCENTS[marks[0]] != "c" else base
        return f"\\{_ACCENTS[marks[0]]}{{{letter}}}"
    return f"\\ragtesterchar{{{ord(character):04X}}}{{{character}}}"


def latex(document: Document) -> str:
    """The whole document: headings, sentences, tables."""
    names = iter(file_names([table.id for table in document.tables]))
    blocks = [HEAD + f"\\section*{{{escape(document.title)}}}"]
    for section in document.sections:
        blocks.append(f"\\subsection*{{{escape(section.title)}}}")
        for part in section.parts:
            blocks.append(escape(part.text) if isinstance(part, Paragraph) else latex_table(part, next(names)))
    return "\n\n".join(blocks) + "\n"


def latex_files(document: Document) -> dict[str, str]:
    """File name -> content, one file a table, each complete with what it needs."""
    tables = list(document.tables)
    names = file_names([table.id for table in tables])
    return {f"{name}.tex": HEAD + latex_table(table, name) + "\n" for name, table in zip(names, tables, strict=True)}


def latex_table(table: Table, label: str) -> str:
    """One `table` environment; columns that do not fit beside each other follow below, notes stand last."""
    texts = [show_row(row) for row in table.rows]
    widths = [max(map(len, column)) for column in zip(table.columns, *texts, strict=True)]
    right = numeric_columns(table.rows, len(table.columns))
    lines = ["\\begin{table}", "\\centering", f"\\caption{{{escape(table.title)}}}", f"\\label{{tab:{label}}}"]
    for number, places in enumerate(column_groups(widths, PAGE, GAP, table.keys)):
        lines += ["\\par\\medskip"] if number else []
        lines += _tabular("".join("r" if right[place] else "l" for place in places), [table.columns, *texts], places)
    if table.notes:
        notes = " ".join(escape(note) for note in table.notes)
        lines.append(f"\\par\\smallskip\\parbox{{\\linewidth}}{{\\footnotesize {notes}}}")
    return "\n".join([*lines, "\\end{table}"])


def _tabular(columns: str, texts: Sequence[Sequence[str]], places: Sequence[int]) -> list[str]:
    """Some columns of a table, no wider than the page and never larger than they are."""
    head, *rows = (_line([escape(line[place]) for place in places]) for line in texts)
    shrink = "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}"
    return [
        f"{shrink}{{\\begin{{tabular}}{{{columns}}}",
        "\\toprule",
        head,
        "\\midrule",
        *rows,
        "\\bottomrule",
        "\\end{tabular}}",
    ]


def _line(cells: list[str]) -> str:
    """One row; a first cell that begins like the argument of the line break before it is set apart."""
    first = "{}" if cells and cells[0].startswith(("[", "*")) else ""
    return first + " & ".join(cells) + r" \\"
