"""Queries by the stage where they failed, and the cases that show it best. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.records import FAILURE_STAGES, AuditedQuery, Diagnosis, FailureStage, StageFigures, TellingCase
from ragtester.stages.proportions import proportion

SHOWN = 3


def stage_figures(rows: Sequence[AuditedQuery]) -> tuple[StageFigures, ...]:
    """All ten stages in the order of diagnosis, those without a query too."""
    diagnosed = [row for row in rows if row.diagnosis]
    return tuple(_stage(stage, diagnosed) for stage in FAILURE_STAGES)


def _stage(stage: FailureStage, diagnosed: Sequence[AuditedQuery]) -> StageFigures:
    own = [row for row in diagnosed if row.diagnosis and row.diagnosis.stage == stage]
    return StageFigures(
        stage=stage,
        queries=proportion(len(own), len(diagnosed)),
        failed=sum(bool(row.failed) for row in own),
        missed=sum(bool(row.missed) for row in own),
        cases=tuple(_case(row, row.diagnosis) for row in telling(own) if row.diagnosis),
    )


def telling(rows: Sequence[AuditedQuery], count: int = SHOWN) -> list[AuditedQuery]:
    """The clearest first: wrong for most LLMs and least of the gold in the context; each of another document.

    Where there are not enough documents, further cases of the same ones follow.
    """
    ordered = sorted(rows, key=lambda row: (-len(row.failed), row.metrics.recall if row.metrics else 1.0))
    found: list[AuditedQuery] = []
    for name in ("document_id", "query_id"):
        for row in ordered:
            if len(found) < count and getattr(row, name) not in {getattr(one, name) for one in found}:
                found.append(row)
    return found


def _case(row: AuditedQuery, diagnosis: Diagnosis) -> TellingCase:
    return TellingCase(
        query_id=row.query_id,
        document_id=row.document_id,
        embedding=row.embedding,
        question=row.question,
        cause=diagnosis.cause,
        seen=diagnosis.seen,
        fix=diagnosis.fix,
    )
