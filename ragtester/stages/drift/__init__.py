"""What moved between runs of the same suite, and what to rule out first."""

from ragtester.stages.drift.compare import Loaded, compare_loaded, compare_runs
from ragtester.stages.drift.document import drift_document
from ragtester.stages.drift.files import read_result, write_history, write_result
from ragtester.stages.drift.history import Story, read_history, tell
from ragtester.stages.drift.history_document import history_document
from ragtester.stages.drift.strips import ASCII, MARKS

__all__ = [
    "ASCII",
    "MARKS",
    "Loaded",
    "Story",
    "compare_loaded",
    "compare_runs",
    "drift_document",
    "history_document",
    "read_history",
    "read_result",
    "tell",
    "write_history",
    "write_result",
]
