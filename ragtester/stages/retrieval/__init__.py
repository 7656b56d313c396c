"""Retrieval audit: where did the evidence get lost?"""

from ragtester.stages.retrieval.document import retrieval_document
from ragtester.stages.retrieval.figures import whole_curve
from ragtester.stages.retrieval.files import STAGE, Files
from ragtester.stages.retrieval.foreign import ForeignTrace
from ragtester.stages.retrieval.labels import GoldLabels
from ragtester.stages.retrieval.run import NAME, Wanted, read_result, run
from ragtester.stages.retrieval.staleness import retrieval_staleness

__all__ = [
    "NAME",
    "STAGE",
    "Files",
    "ForeignTrace",
    "GoldLabels",
    "Wanted",
    "read_result",
    "retrieval_document",
    "retrieval_staleness",
    "run",
    "whole_curve",
]
