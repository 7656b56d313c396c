"""The output audit: which of the results that they saw answers account for, and which they hide."""

from ragtester.stages.coverage.contrast import contrast
from ragtester.stages.coverage.contrast_words import contrast_document
from ragtester.stages.coverage.document import coverage_document
from ragtester.stages.coverage.estimate import estimate
from ragtester.stages.coverage.foreign import ForeignAnswer
from ragtester.stages.coverage.plan import STAGE, Wanted
from ragtester.stages.coverage.run import read_result, run

__all__ = [
    "STAGE",
    "ForeignAnswer",
    "Wanted",
    "contrast",
    "contrast_document",
    "coverage_document",
    "estimate",
    "read_result",
    "run",
]
