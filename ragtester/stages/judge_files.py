"""Verdict files: which rows are there, and putting them into planned order, with flat memory."""

from __future__ import annotations

from pathlib import Path

from ragtester.records import Failure, Verdict
from ragtester.stages.judge_majority import TIED
from ragtester.stages.placed_rows import PlacedRow, keep_only, read_placed
from ragtester.tasks import SPENT_FAILURES

Identity = tuple[str, str]
"""Technique and case id: what a verdict of one file belongs to."""


class Line(PlacedRow):
    """What the stage must know of a row; everything else stays on disk."""

    case_id: str
    technique: str
    key: str
    status: str
    outcome: str
    failure: Failure | None = None
    flags: tuple[str, ...] = ()
    served_judge: str | None = None

    @classmethod
    def of(cls, verdict: Verdict) -> Line:
        """The line of a verdict that has just been made."""
        return cls(**{name: getattr(verdict, name) for name in cls.model_fields if name in Verdict.model_fields})

    @property
    def kind(self) -> str:
        """Its place in the ledger: ok, failed (the judge did) or skipped (the answer had)."""
        if self.status != "ungraded":
            return "ok"
        return "skipped" if self.outcome in ("failed", "refused") else "failed"

    def is_worth_another(self, retry_failed: bool) -> bool:
        """Whether a judge's failure was never paid for, or may be paid for again."""
        return self.kind == "failed" and (
            retry_failed or self.failure is None or self.failure.type not in SPENT_FAILURES | {TIED}
        )


def read_lines(path: Path) -> dict[Identity, Line]:
    """The rows of a verdict file by identity, a later row before an earlier one; an interrupted tail is cut off.

    Raises DataError with file and line for a row that is none.
    """
    return {(line.technique, line.case_id): line for line in read_placed(path, Line, "verdict")}


def put_in_order(path: Path, plan: list[Identity]) -> None:
    """Rewrite a complete file in planned order, one row an identity; nothing is written where it is so already."""
    lines = read_lines(path)
    keep_only(path, [lines[identity] for identity in plan if identity in lines])
