"""What moved between runs of the same suite, and what to rule out first."""

from ragtester.stages.drift.compare import compare_runs
from ragtester.stages.drift.document import drift_document

__all__ = ["compare_runs", "drift_document"]
