"""Adversarial fixtures generated from the cases of a suite."""

from ragtester.stages.stressors.plan import Wanted, folder_of, kinds_of
from ragtester.stages.stressors.run import Generated, generate

__all__ = ["Generated", "Wanted", "folder_of", "generate", "kinds_of"]
