"""Judging the same answers again: how often does the verdict change?"""

from ragtester.stages.stability.document import stability_document
from ragtester.stages.stability.plan import Plan, Repetition, make_plan
from ragtester.stages.stability.run import read_result, run

__all__ = ["Plan", "Repetition", "make_plan", "read_result", "run", "stability_document"]
