"""Tables as data, and their renderings: the same numbers in each."""

from ragtester.tables.model import Cell, Document, Estimate, Paragraph, Rate, Section, Table

__all__ = ["Cell", "Document", "Estimate", "Paragraph", "Rate", "Section", "Table"]
