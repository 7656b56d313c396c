"""Plots of a run, for papers and notebooks: each takes `Results` and gives a matplotlib `Figure`.

Every rate is drawn with its 95 % Wilson interval and its count; what has no grade or no measurement is left out and
said below the plot. Colours are told apart by colour-blind readers and by their lightness in grayscale.
"""

from ragtester.plots.contrasts import failures_by_source, failures_by_technique, oracle_precision
from ragtester.plots.coverage import coverage
from ragtester.plots.distributions import criteria, scores
from ragtester.plots.export import PLOTS, export_all
from ragtester.plots.flesch import flesch_against_failure
from ragtester.plots.groups import failures_by_document, failures_by_type
from ragtester.plots.overlap import overlap
from ragtester.plots.pareto import cost_against_pass_rate, latency_against_pass_rate
from ragtester.plots.systems import matrix, pass_rates

__all__ = [
    "PLOTS",
    "cost_against_pass_rate",
    "coverage",
    "criteria",
    "export_all",
    "failures_by_document",
    "failures_by_source",
    "failures_by_technique",
    "failures_by_type",
    "flesch_against_failure",
    "latency_against_pass_rate",
    "matrix",
    "oracle_precision",
    "overlap",
    "pass_rates",
    "scores",
]
