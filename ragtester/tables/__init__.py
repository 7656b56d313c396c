"""Tables as data, and their renderings: the same numbers in each.

`terminal.print_document`, `markdown.markdown`, `csv_files.csv_files`, `latex.latex` and `json_text.json_text` take a
Document; they are imported where they are used.
"""

from ragtester.tables.model import Cell, Document, Estimate, Paragraph, PValue, Rate, Section, Table

__all__ = ["Cell", "Document", "Estimate", "PValue", "Paragraph", "Rate", "Section", "Table"]
