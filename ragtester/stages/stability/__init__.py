"""Judging the same answers again: how often does the verdict change?"""

from ragtester.stages.stability.document import stability_document
from ragtester.stages.stability.plan import RESULT, Plan, Repetition, make_plan
from ragtester.stages.stability.run import run

__all__ = ["RESULT", "Plan", "Repetition", "make_plan", "run", "stability_document"]
