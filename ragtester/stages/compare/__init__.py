"""Comparison of systems, techniques and corpora: joined rows in, one document of tables out."""

from ragtester.stages.compare.document import BASELINE, Side, compare

__all__ = ["BASELINE", "Side", "compare"]
