"""Comparison of systems, techniques and corpora: joined rows in, one document of tables out."""

from ragtester.stages.compare.document import BASELINE, Side, compare
from ragtester.stages.compare.files import read_side, tables_folder, write_document
from ragtester.stages.compare.summary import brief

__all__ = ["BASELINE", "Side", "brief", "compare", "read_side", "tables_folder", "write_document"]
