"""Every plot as files for a paper."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtester.plots import style
from ragtester.plots.contrasts import failures_by_source, failures_by_technique
from ragtester.plots.coverage import coverage
from ragtester.plots.distributions import criteria, scores
from ragtester.plots.flesch import flesch_against_failure
from ragtester.plots.groups import failures_by_document, failures_by_type
from ragtester.plots.overlap import overlap
from ragtester.plots.pareto import cost_against_pass_rate, latency_against_pass_rate
from ragtester.plots.systems import matrix, pass_rates
from ragtester.results import Results
from ragtester.storage import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 200
PLOTS: dict[str, Callable[[Results], Figure]] = {
    "pass-rates": pass_rates,
    "matrix": matrix,
    "failures-by-type": failures_by_type,
    "failures-by-document": failures_by_document,
    "failures-by-technique": failures_by_technique,
    "failures-by-source": failures_by_source,
    "criteria": criteria,
    "scores": scores,
    "flesch": flesch_against_failure,
    "cost": cost_against_pass_rate,
    "latency": latency_against_pass_rate,
    "overlap": overlap,
    "coverage": coverage,
}
# Neither a date nor a version: the same run gives the same bytes.
_METADATA: dict[str, dict[str, Any]] = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}


def export_all(results: Results, folder: Path) -> list[Path]:
    """Write every plot as PNG (200 dots an inch) and SVG; gives the files in order.

    The same run gives the same bytes with the same matplotlib and fonts. A plot that has nothing to show says why.
    Raises MissingPackageError without matplotlib, and StorageError.
    """
    written = []
    for name, plot in PLOTS.items():
        figure = plot(results)
        for ending in _METADATA:
            path = folder / f"{name}.{ending}"
            write_bytes(path, [image(figure, ending)])
            written.append(path)
    return written


def image(figure: Figure, ending: str) -> bytes:
    """A figure as the bytes of a `png` or `svg` file."""
    import matplotlib as mpl

    buffer = io.BytesIO()
    with style.drawing(), mpl.rc_context({"svg.hashsalt": "ragtester"}):
        figure.savefig(buffer, format=ending, dpi=DPI, metadata=_METADATA[ending])
    return buffer.getvalue()
