"""A document as LaTeX (booktabs): a piece to `\\input` into a paper; compiles under pdfLaTeX, XeLaTeX and LuaLaTeX."""

from __future__ import annotations

from ragtester.tables.cells import file_names
from ragtester.tables.latex_tables import latex_table
from ragtester.tables.latex_text import escape
from ragtester.tables.model import Document, Paragraph

HEAD = """\
% Needs \\usepackage{booktabs,graphicx,longtable,pdflscape}.
% A character that pdfLaTeX has no glyph for is shown as its code there.
\\providecommand{\\ragtesterchar}[2]{\\ifdefined\\XeTeXversion #2\\else\\ifdefined\\directlua #2\\else[U+#1]\\fi\\fi}
"""


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
