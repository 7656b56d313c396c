"""Queries by the stage where they failed, and the cases that show it best. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragtester.records import (
    FAILURE_STAGES,
    AuditedQuery,
    Diagnosis,
    FailureStage,
    Proportion,
    StageFigures,
    TellingCase,
    Unlabelled,
)
from ragtester.stages.proportions import proportion
from ragtester.tables.cells import counted

SHOWN = 3


def stage_figures(rows: Sequence[AuditedQuery]) -> tuple[StageFigures, ...]:
    """All ten stages in the order of diagnosis, those without a query too."""
    diagnosed = [row for row in rows if row.diagnosis]
    names = list(dict.fromkeys(row.embedding for row in rows))
    return tuple(_stage(stage, diagnosed, names if len(names) > 1 else []) for stage in FAILURE_STAGES)


def _stage(stage: FailureStage, diagnosed: Sequence[AuditedQuery], embeddings: Sequence[str]) -> StageFigures:
    own = _own(stage, diagnosed)
    share = _share(stage, diagnosed)
    return StageFigures(
        stage=stage,
        queries=share,
        failed=None if share is None else sum(bool(row.failed) for row in own),
        missed=None if share is None else sum(bool(row.missed) for row in own),
        unchecked=sum(_is_unchecked(stage, row) for row in diagnosed),
        embeddings={name: _share(stage, [row for row in diagnosed if row.embedding == name]) for name in embeddings},
        cases=tuple(_case(row, row.diagnosis) for row in telling(own) if row.diagnosis),
    )


def _own(stage: FailureStage, diagnosed: Sequence[AuditedQuery]) -> list[AuditedQuery]:
    return [row for row in diagnosed if row.diagnosis and row.diagnosis.stage == stage]


def _share(stage: FailureStage, diagnosed: Sequence[AuditedQuery]) -> Proportion | None:
    """Of all diagnosed queries; None where none that could have been lost at the stage was looked at there."""
    open_there = [row for row in diagnosed if _could_be_lost(stage, row)]
    if open_there and all(_is_unchecked(stage, row) for row in open_there):
        return None
    return proportion(len(_own(stage, diagnosed)), len(diagnosed))


def _could_be_lost(stage: FailureStage, row: AuditedQuery) -> bool:
    """What arrived can only have been misread; what was lost before a stage was not looked at there."""
    if row.diagnosis is None or row.status != "measured" or not (row.missed or stage == "parse"):
        return False
    return FAILURE_STAGES.index(row.diagnosis.stage) >= FAILURE_STAGES.index(stage)


def _is_unchecked(stage: FailureStage, row: AuditedQuery) -> bool:
    return row.diagnosis is not None and stage in row.diagnosis.unchecked


def unchecked_notes(figures: Sequence[StageFigures]) -> Iterator[str]:
    """What could not be looked at, so that a later stage may stand where an earlier one should."""
    counts = [f"{one.stage} for {counted(one.unchecked, 'query', 'queries')}" for one in figures if one.unchecked]
    if counts:
        yield f"Not checked (each `seen` says why): {', '.join(counts)}."


def unlabelled(rows: Sequence[AuditedQuery]) -> Unlabelled:
    """Wrong answers to questions that nobody said the gold of."""
    failed = [row for row in rows if row.status == "no_gold" and row.type != "rejection" and row.failed]
    traced = [row.claims for row in failed if row.claims and row.claims.claims]
    return Unlabelled(
        failed=len(failed), traced=len(traced), supported=sum(one.supported == one.claims for one in traced)
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
