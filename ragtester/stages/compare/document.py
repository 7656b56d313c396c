"""The whole comparison as one document. Pure: joined rows in, tables out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragtester.errors import UsageError
from ragtester.records import CLOSED_BOOK_SUFFIX, PrecisionResult
from ragtester.results import Results
from ragtester.stages.compare import closed_book, failure_kinds, overlap, suite_quality
from ragtester.stages.compare.factors import factors_section
from ragtester.stages.compare.matrix import matrix_section
from ragtester.stages.compare.oracle import oracle_precision
from ragtester.stages.compare.questions import failures_found, sources_compared, techniques_compared
from ragtester.stages.compare.ranking_section import ranking_section
from ragtester.stages.compare.relative import relative_section
from ragtester.stages.compare.scope import scope_section
from ragtester.stages.compare.summary import summary_section
from ragtester.stages.compare.view import make_view
from ragtester.tables import Document

BASELINE = "baseline"


@dataclass(frozen=True)
class Side:
    """What stands beside the rows: audits of the runs, manifests of the suites, and the seed of every bootstrap.

    `calibrations` are sentences on how the oracle did against people; `stale` repeats those that no longer hold.
    `stale_audits` says by run why its precision audit no longer holds.
    """

    audits: Sequence[PrecisionResult] = ()
    manifests: suite_quality.Manifests = field(default_factory=dict)
    calibrations: Sequence[str] = ()
    stale: Sequence[str] = ()
    stale_audits: Mapping[str, Sequence[str]] = field(default_factory=dict)
    seed: int = 7


def compare(results: Results, baseline: str = BASELINE, side: Side | None = None) -> Document:
    """Ranking, RQ1 to RQ4, the matrix with its totals, and what is behind the failures.

    `baseline` is the technique that the others are compared with. Raises UsageError where no system with retrieval was
    asked anything.
    """
    side = side or Side()
    view = make_view(results)
    if not view.systems:
        raise UsageError("no answers of a system with retrieval here; name the run itself, its control is read with it")
    sections = (
        scope_section(view, side.stale),
        ranking_section(view, side.seed),
        failures_found(view, side.seed),
        techniques_compared(view, baseline, side.seed),
        sources_compared(view, side.seed),
        oracle_precision(view, side.audits, side.calibrations, side.stale_audits),
        matrix_section(view, baseline),
        relative_section(view, baseline),
        factors_section(view, side.seed),
        closed_book.section(results, view),
        failure_kinds.section(results, view),
        overlap.section(results, view),
        suite_quality.section(results, side.manifests),
    )
    names = ", ".join(run.name for run in results.runs if not run.name.endswith(CLOSED_BOOK_SUFFIX))
    short = summary_section(view, sections, (*results.notes, *side.stale))
    return Document(f"Comparison of {names}", (short, *sections))
