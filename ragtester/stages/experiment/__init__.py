"""Experiments with the query path: a frozen baseline, variants of one setting each, a grid; no language model asked."""

from ragtester.stages.experiment.asking import estimate, model_faults
from ragtester.stages.experiment.canary import canary
from ragtester.stages.experiment.canary_document import canary_document
from ragtester.stages.experiment.document import experiment_document
from ragtester.stages.experiment.files import write_files
from ragtester.stages.experiment.making import lay_points, make_points, refuse
from ragtester.stages.experiment.plan import STAGE, Wanted, make_plan
from ragtester.stages.experiment.points import Points, run_settings
from ragtester.stages.experiment.run import read_result, run
from ragtester.stages.experiment.syntax import Experiment, parse_experiment, read_experiment

__all__ = [
    "STAGE",
    "Experiment",
    "Points",
    "Wanted",
    "canary",
    "canary_document",
    "estimate",
    "experiment_document",
    "lay_points",
    "make_plan",
    "make_points",
    "model_faults",
    "parse_experiment",
    "read_experiment",
    "read_result",
    "refuse",
    "run",
    "run_settings",
    "write_files",
]
