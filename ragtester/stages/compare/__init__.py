"""Comparison of systems, techniques and corpora: joined rows in, one document of tables out."""

from ragtester.stages.compare.document import BASELINE, Side, compare
from ragtester.stages.compare.files import read_side, tables_folder, write_document

__all__ = ["BASELINE", "Side", "compare", "read_side", "tables_folder", "write_document"]
