"""Statistics of rates and their comparison. Pure: numbers in, numbers out. Which test when: docs/statistics.md."""

from ragtester.statistics.agreement import cohen_kappa, krippendorff_alpha
from ragtester.statistics.bootstrap import cluster_bootstrap, cluster_bootstrap_difference
from ragtester.statistics.comparison import (
    Test,
    fisher,
    format_p,
    holm,
    mcnemar,
    paired_cases_needed,
    unpaired_cases_needed,
    vargha_delaney,
)
from ragtester.statistics.detectable import smallest_mean_change, smallest_paired_change
from ragtester.statistics.differences import Relative, paired_difference, rate_difference, relative_difference
from ragtester.statistics.intervals import Interval, Quantity, format_rate, wilson
from ragtester.statistics.means import PairedMeans, mean, paired_means
from ragtester.statistics.randomisation import swapped_rates
from ragtester.statistics.ranking import ranking_metrics
from ragtester.statistics.sampling import allocation, sample_size, stratified_sample, stratum_weights
from ragtester.statistics.weighting import Stratum, Weighted, weighted_rate, weighted_ratio

__all__ = [
    "Interval",
    "PairedMeans",
    "Quantity",
    "Relative",
    "Stratum",
    "Test",
    "Weighted",
    "allocation",
    "cluster_bootstrap",
    "cluster_bootstrap_difference",
    "cohen_kappa",
    "fisher",
    "format_p",
    "format_rate",
    "holm",
    "krippendorff_alpha",
    "mcnemar",
    "mean",
    "paired_cases_needed",
    "paired_difference",
    "paired_means",
    "ranking_metrics",
    "rate_difference",
    "relative_difference",
    "sample_size",
    "smallest_mean_change",
    "smallest_paired_change",
    "stratified_sample",
    "stratum_weights",
    "swapped_rates",
    "unpaired_cases_needed",
    "vargha_delaney",
    "weighted_rate",
    "weighted_ratio",
    "wilson",
]
