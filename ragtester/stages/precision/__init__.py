"""Precision audit of the oracle: a panel votes on a sample of its verdicts."""

from ragtester.stages.precision.document import document
from ragtester.stages.precision.estimate import estimate
from ragtester.stages.precision.files import STAGE
from ragtester.stages.precision.stage import NAME, read_result, review, run
from ragtester.stages.precision.staleness import precision_staleness

__all__ = ["NAME", "STAGE", "document", "estimate", "precision_staleness", "read_result", "review", "run"]
