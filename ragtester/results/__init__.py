"""The joined view of a run: every planned case × system once, with its answer and verdict or what is missing."""

from ragtester.results.load import load_results
from ragtester.results.pairs import Paired, paired
from ragtester.results.rows import Result, Results, RunInfo

__all__ = ["Paired", "Result", "Results", "RunInfo", "load_results", "paired"]
