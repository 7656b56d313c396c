"""The output audit: which of the results that they saw answers account for, and which they hide."""

from ragtester.stages.coverage.contrast import contrast
from ragtester.stages.coverage.contrast_words import contrast_document
from ragtester.stages.coverage.document import coverage_document
from ragtester.stages.coverage.estimate import estimate
from ragtester.stages.coverage.files import CONTRAST, coverage_staleness, read_contrast, read_result
from ragtester.stages.coverage.foreign import ForeignAnswer
from ragtester.stages.coverage.plan import STAGE, Wanted
from ragtester.stages.coverage.run import run

__all__ = [
    "CONTRAST",
    "STAGE",
    "ForeignAnswer",
    "Wanted",
    "contrast",
    "contrast_document",
    "coverage_document",
    "coverage_staleness",
    "estimate",
    "read_contrast",
    "read_result",
    "run",
]
