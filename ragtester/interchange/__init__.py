"""Suites and results of other tools: in and out."""

from ragtester.interchange.exporting import Exported, export
from ragtester.interchange.importing import import_file
from ragtester.interchange.options import ExportOptions, ImportOptions

__all__ = ["ExportOptions", "Exported", "ImportOptions", "export", "import_file"]
