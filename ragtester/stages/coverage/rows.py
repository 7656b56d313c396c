"""From an answer and what was found about it to its row; and what a row depends on. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ragtester.provenance import row_key
from ragtester.records import AnswerCoverage, CoverageStatus, Failure
from ragtester.stages.coverage.looking import Looked
from ragtester.stages.coverage.seen import Seen
from ragtester.stages.judge_majority import summed
from ragtester.tasks import SPENT_FAILURES

DIGITS = 6


@dataclass(frozen=True)
class Judging:
    """What all rows of an audit share: who checks claims, with which prompts, and whether chunks are chosen first."""

    model: str
    prompts: dict[str, str]
    prefilter: bool

    @property
    def prompt_sha256(self) -> str:
        """One hash over both prompts."""
        return row_key(**self.prompts)


def key_of(seen: Seen, judging: Judging) -> str:
    """Key of a row: the answer as it stands, what it saw, and, where claims are looked at, how."""
    parts: dict[str, Any] = {
        "answer": seen.identity.key,
        "said": [seen.answer, seen.outcome, seen.cited_ids, seen.unknown_ids],
        "saw": [seen.raw_ids, seen.context_ids, seen.result_set_size],
        "stated": [one.model_dump() for one in seen.stated.values()],
        "failure": seen.failure.model_dump() if seen.failure else None,
    }
    if seen.measurable and seen.readable:
        claims = None if seen.claims is None else [(one.text, one.chunk_ids, one.supported) for one in seen.claims]
        parts["looked"] = {
            "question": seen.case.question,
            "language": seen.language,
            "texts": [(name, chunk.sha256) for name, chunk in seen.texts.items()],
            "barred": sorted(seen.barred),
            "claims": claims,
            "judge": judging.model,
            "prompts": judging.prompts,
            "prefilter": judging.prefilter,
        }
    return row_key(**parts)


def row_of(seen: Seen, key: str, judging: Judging, looked: Looked | None) -> AnswerCoverage:
    """The row of an answer; `looked` None: its claims were not looked at."""
    status = _status(seen, looked)
    failure = seen.failure or (looked.failure if looked else None)
    told: dict[str, Any] = {**dict(seen.identity), "key": key}
    update: dict[str, Any] = {
        "calls": seen.calls,
        "raw_ids": seen.raw_ids,
        "context_ids": seen.context_ids,
        "result_set_size": seen.result_set_size,
        "cited_ids": seen.cited_ids,
        "unknown_ids": seen.unknown_ids,
        "status": status,
        "not_told": seen.not_told,
        "failure": failure,
    }
    if looked is not None:
        update |= _looked(seen, looked, judging, status)
    if status == "measured" and "citations" not in seen.not_told:
        update |= {"excluded": seen.excluded, "coverage": _share(seen.cited_ids, seen.raw_ids)}
        if seen.context_ids:
            update["context_coverage"] = _share(seen.cited_ids, seen.context_ids)
    return AnswerCoverage(**told, **update)


def _looked(seen: Seen, looked: Looked, judging: Judging, status: CoverageStatus) -> dict[str, Any]:
    served = sorted({call.served_model for call in looked.calls if call.served_model})
    found: dict[str, Any] = {
        "checked": looked.checked,
        "left_unchecked": looked.left_unchecked,
        "judge": judging.model,
        "served_judge": ", ".join(served) or None,
        "prompt_sha256": judging.prompt_sha256,
        "call": summed(looked.calls, looked.calls[0] if looked.calls else None),
    }
    if status != "measured":
        return found
    found |= {"claims": len(looked.claims), "contradictions": looked.contradictions}
    if "citations" not in seen.not_told and all(name in seen.texts for name in seen.cited_ids):
        supporting = tuple(name for name in seen.cited_ids if name in looked.supporting)
        found |= {
            "supporting_ids": supporting,
            "supported_coverage": _share(supporting, seen.raw_ids),
            "faithful": looked.faithful if looked.claims else None,
        }
    return found


def _status(seen: Seen, looked: Looked | None) -> CoverageStatus:
    if seen.failure is not None:
        return "failed"
    if seen.outcome == "abstained":
        return "abstained"
    if not seen.raw_ids:
        return "no_results"
    return "failed" if looked is not None and looked.failure is not None else "measured"


def _share(part: tuple[str, ...], whole: tuple[str, ...]) -> float:
    return round(len(set(part) & set(whole)) / len(whole), DIGITS)


def worth_another(row: AnswerCoverage, *, retry_failed: bool) -> bool:
    """Whether a check failed that was never paid for, or may be paid for again. An answer that is none stays so."""
    if row.status != "failed" or not row.judge:
        return False
    return retry_failed or _transient(row.failure)


def _transient(failure: Failure | None) -> bool:
    return failure is None or failure.type not in SPENT_FAILURES
