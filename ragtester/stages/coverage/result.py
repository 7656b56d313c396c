"""From the rows of an output audit to its result. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from ragtester.records import AnswerCoverage, CoverageResult, Ledger
from ragtester.results.paying import total
from ragtester.stages.coverage.clusters import cluster_sentences
from ragtester.stages.coverage.figures import (
    NO_DOCUMENT,
    group,
    groups,
    hidden_chunks,
    is_faithful_and_hiding,
    is_hiding_in_context,
    mean_of,
    measured,
    rate,
    silent_share,
)
from ragtester.stages.coverage.rows import Judging


def make_result(
    run: str,
    source: Literal["answers", "traces"],
    rows: Sequence[AnswerCoverage],
    planned: int,
    judging: Judging,
    seed: int,
    notes: Sequence[str] = (),
) -> CoverageResult:
    """The figures of the rows that stand; `planned` counts all answers, so that what is open is skipped by name."""
    counted = measured(rows)
    status = Counter(row.status for row in rows)
    whole = group("", counted, seed)
    looked = any(row.judge for row in rows)
    shared: dict[str, Any] = {
        name: getattr(whole, name)
        for name in ("coverage", "supported_coverage", "silent", "hiding", "mentioned", "padded")
    }
    return CoverageResult(
        run=run,
        source=source,
        judge=judging.model if looked else "",
        served_judges=tuple(sorted({row.served_judge for row in rows if row.served_judge})),
        prompts=judging.prompts if looked else {},
        ledger=Ledger(
            planned=planned,
            ok=len(rows) - status["failed"],
            failed=status["failed"],
            skipped=planned - len(rows),
        ),
        abstained=status["abstained"],
        no_results=status["no_results"],
        context_coverage=mean_of(counted, lambda row: row.context_coverage, seed),
        silent_share=mean_of(counted, silent_share, seed),
        hiding_in_context=rate(counted, is_hiding_in_context),
        faithful_hiding=rate(counted, is_faithful_and_hiding),
        unknown_citations=sum(bool(row.unknown_ids) for row in rows),
        not_told=dict(sorted(Counter(name for row in rows for name in row.not_told).items())),
        systems=groups(counted, lambda row: f"{row.llm} × {row.embedding}", seed),
        types=groups(counted, lambda row: row.type, seed),
        documents=groups(counted, lambda row: row.document_id or NO_DOCUMENT, seed),
        hidden_chunks=hidden_chunks(counted),
        clusters=tuple(cluster_sentences(counted)),
        checked=sum(row.checked for row in rows),
        left_unchecked=sum(row.left_unchecked for row in rows),
        complete=planned == len(rows),
        cost=_cost(rows),
        notes=tuple(notes),
        **shared,
    )


def _cost(rows: Sequence[AnswerCoverage]) -> float | None:
    """US dollars; None where a price is not known, or nothing was asked."""
    found = total(row.call.cost for row in rows if row.call)
    return None if found is None else round(found, 6)
