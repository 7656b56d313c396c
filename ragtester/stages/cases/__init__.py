"""Test cases from a corpus: `generated/<suite>/`."""

from ragtester.stages.cases.run import run

__all__ = ["run"]
