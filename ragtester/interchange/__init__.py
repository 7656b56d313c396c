"""Suites and results of other tools: in and out."""

from ragtester.interchange.exporting import Exported, ExportOptions, export
from ragtester.interchange.importing import ImportOptions, import_file

__all__ = ["ExportOptions", "Exported", "ImportOptions", "export", "import_file"]
