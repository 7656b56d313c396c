"""Rows of cases: made from what was drafted, and read back when a stage goes on."""

from __future__ import annotations

from pathlib import Path

from ragtester.access import tags_of_user
from ragtester.errors import ChangedInputsError
from ragtester.progress import Progress
from ragtester.records import Case, CaseRow, Evidence, Failure, Origin, UnfilledCase
from ragtester.spans import Pair, pages_of
from ragtester.stages.cases.desk import Desk, Work
from ragtester.stages.cases.drafting import Attempts, Good
from ragtester.stages.cases.plan import STYLES, Slot
from ragtester.storage import read_rows, recover_tail, write_rows
from ragtester.tasks import STOPPING_FAILURES, TRANSIENT_FAILURES, WRITE_CASES
from ragtester.text.overlap import lexical_overlap

Row = Case | UnfilledCase


def row_id(work: Work, slot: Slot) -> str:
    """Identity of a slot's row."""
    return f"{work.document.id}/{work.desk.technique}/{slot.id}"


def filled(attempts: Attempts, good: Good) -> Case:
    """The row of a slot whose draft passed every check."""
    work, slot, draft = attempts.work, attempts.slot, good.draft
    desk, document = work.desk, work.document
    rejection = slot.type == "rejection"
    sections = () if rejection else good.candidate.sections
    spans = () if rejection else good.evidence.spans
    return Case(
        id=row_id(work, slot),
        key=desk.slot_key(document, slot),
        document_id=document.id,
        document_sha256=document.sha256,
        technique=desk.technique,
        type=slot.type,
        subtype=slot.subtype,
        style=draft.style if draft.style in STYLES else slot.style,
        language=document.language,
        question=draft.question,
        # One wording for all, whatever wording of a refusal the writer chose.
        expected_answer=desk.settings.execute.refusals[0] if rejection else draft.expected_answer,
        keywords=() if rejection else draft.keywords,
        evidence=evidence(spans, document.page_starts),
        sections=tuple(section.ordinal for section in sections),
        origin=_origin(good) if slot.subtype == "cross_document" else None,
        user_tags=tags_of_user(document, desk.settings.access.user_tags),
        flesch=sections[0].flesch if len(sections) == 1 else None,
        lexical_overlap=None if rejection else overlap(draft.question, spans, work),
        model=desk.writer,
        served_model=good.served_model,
        prompt_sha256=desk.prompts[WRITE_CASES.name],
        attempts=attempts.requests,
        rejected=tuple(attempts.rejected),
        tried=tuple(attempts.tried),
    )


def unfilled(attempts: Attempts) -> UnfilledCase:
    """The row of a slot for which no draft was good enough."""
    failure = attempts.failure or _without_draft(attempts)
    row = empty(attempts.work, attempts.slot, failure)
    return row.model_copy(
        update={
            "attempts": attempts.requests,
            "rejected": tuple(attempts.rejected),
            "tried": tuple(attempts.everything_tried()),
        }
    )


def _without_draft(attempts: Attempts) -> Failure:
    """Why no draft was good: the calls' own failure where there was never a draft, else the checks."""
    calls = [name.removeprefix("call:") for name in attempts.rejected if name.startswith("call:")]
    never = len(calls) == len(attempts.rejected)
    return Failure(
        type=calls[-1] if calls and never else "checks_failed",
        message=f"{attempts.requests} request(s) gave {'no draft' if never else 'no draft that passed its checks'}",
        cause="; ".join(attempts.reasons[-3:]),
    )


def empty(work: Work, slot: Slot, failure: Failure) -> UnfilledCase:
    """The row of a slot for which no model was asked."""
    return UnfilledCase(
        id=row_id(work, slot),
        key=work.desk.slot_key(work.document, slot),
        document_id=work.document.id,
        technique=work.desk.technique,
        type=slot.type,
        subtype=slot.subtype,
        failure=failure,
    )


def evidence(spans: tuple[Pair, ...], page_starts: tuple[int, ...]) -> tuple[Evidence, ...]:
    """Spans with their pages."""
    return tuple(Evidence(start=start, end=end, pages=pages_of(start, end, page_starts)) for start, end in spans)


def overlap(question: str, spans: tuple[Pair, ...], work: Work) -> float:
    """Lexical overlap of a question with its evidence, to four places."""
    quoted = "\n".join(work.text[start:end] for start, end in spans)
    return round(lexical_overlap(question, quoted, work.document.language), 4)


def worth_another_start(row: Row) -> bool:
    """Whether an unfilled row may be filled by asking again: its call was never carried out."""
    return isinstance(row, UnfilledCase) and row.failure.type in STOPPING_FAILURES | TRANSIENT_FAILURES


# Every call was answered and still there is no case. Any other type in an unfilled row is a call that failed.
NO_GOOD_DRAFT = frozenset({"checks_failed", "no_case", "document_too_short", "duplicate_document"})


def call_failed(row: UnfilledCase) -> bool:
    """Whether the row is empty because a model or its server failed, not for want of a good question."""
    return row.failure.type not in NO_GOOD_DRAFT


def keep(
    path: Path, planned: dict[str, str], progress: Progress, overwrite: bool, *, drop: bool = True
) -> dict[str, Row]:
    """Rows of an earlier start that still hold, by id. `planned` maps every planned id to its key.

    Rows with another key or an unplanned id stop the stage with ChangedInputsError; `overwrite` drops them. Rows
    that are worth another start are dropped as well. What is dropped is gone from the file when this returns; with
    `drop` False, rows worth another start stay in the file until it is written anew.
    """
    notice = recover_tail(path)
    if notice:
        progress.note(notice)
    rows: list[Row] = read_rows(path, CaseRow)
    changed = [row.id for row in rows if planned.get(row.id) != row.key]
    if changed and not overwrite:
        raise ChangedInputsError(
            f"{path}: {len(changed)} row(s) were made from other inputs or settings ({changed[0]}, ...); "
            "--overwrite makes them again, workspace.suite starts another suite"
        )
    kept = {row.id: row for row in rows if planned.get(row.id) == row.key and not worth_another_start(row)}
    if changed or (drop and len(kept) != len(rows)):
        write_rows(path, kept.values())
    return kept


def _origin(good: Good) -> Origin:
    spans = good.evidence.spans
    first, last = good.candidate.sections[0], good.candidate.sections[-1]
    return Origin(
        document_id=good.candidate.document_id,
        start=spans[0][0] if spans else first.start,
        end=spans[-1][1] if spans else last.end,
    )


def cases_file(desk: Desk, document_id: str) -> Path:
    """File of one document's cases of the desk's technique."""
    return desk.workspace.cases_file(desk.suite, desk.technique, document_id)
