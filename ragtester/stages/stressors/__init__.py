"""Adversarial fixtures generated from the cases of a suite."""

from ragtester.stages.stressors.document import stressors_document
from ragtester.stages.stressors.plan import JOURNAL, Wanted, asks, folder_of, kinds_of
from ragtester.stages.stressors.run import Generated, generate

__all__ = ["JOURNAL", "Generated", "Wanted", "asks", "folder_of", "generate", "kinds_of", "stressors_document"]
