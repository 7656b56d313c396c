"""The file of repeated judgements: what stands in it, with flat memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from ragtester.provenance import row_key
from ragtester.records import Failure, Ratings
from ragtester.stages.placed_rows import PlacedRow, read_placed
from ragtester.stages.stability.sample import Identity
from ragtester.tasks import SPENT_FAILURES


def _digest(reasons: object) -> str:
    """The judge's words, short: equal where the reply was."""
    return row_key(said=reasons)


class _Cost(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")
    cost: float | None = None


class Line(PlacedRow):
    """What the audit must know of a row; replies stay on disk, and of the reasons only a hash is kept."""

    case_id: str
    document_id: str
    technique: str
    type: str
    llm: str
    embedding: str
    language: str
    key: str
    repeat: int
    status: str
    mean: float | None = None
    ratings: Ratings | None = None
    reasons: Annotated[str, BeforeValidator(_digest)] = ""
    judge: str
    served_judge: str | None = None
    prompt_sha256: str
    failure: Failure | None = None
    call: _Cost | None = None

    @property
    def identity(self) -> Identity:
        """The answer that was judged."""
        return self.llm, self.embedding, self.technique, self.case_id

    @property
    def graded(self) -> bool:
        """Whether it counts in a rate."""
        return self.status != "ungraded"

    def is_worth_another(self, retry_failed: bool) -> bool:
        """Whether a judge's failure was never paid for, or may be paid for again."""
        return not self.graded and (retry_failed or self.failure is None or self.failure.type not in SPENT_FAILURES)


def repeat_key(verdict_key: str, repeat: int) -> str:
    """Key of one repeat: everything that a verdict depends on, and its number."""
    return row_key(verdict=verdict_key, repeat=repeat)


def read_lines(path: Path) -> dict[tuple[Identity, int], Line]:
    """Rows by answer and repeat, a later one before an earlier one; an interrupted tail is cut off.

    Raises DataError with file and line for a row that is none.
    """
    return {(line.identity, line.repeat): line for line in read_placed(path, Line, "repeated verdict")}
