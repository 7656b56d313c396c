"""Suites and results of other tools: in and out."""

from ragtester.interchange.agent_traces import read_agent_traces
from ragtester.interchange.exporting import Exported, export
from ragtester.interchange.gold_labels import read_gold_labels
from ragtester.interchange.importing import import_file
from ragtester.interchange.options import ExportOptions, ImportOptions
from ragtester.interchange.traces import read_traces
from ragtester.interchange.traces_out import export_traces

__all__ = [
    "ExportOptions",
    "Exported",
    "ImportOptions",
    "export",
    "export_traces",
    "import_file",
    "read_agent_traces",
    "read_gold_labels",
    "read_traces",
]
