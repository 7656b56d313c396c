"""The file of repeated judgements: what stands in it, and putting it in order, with flat memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from ragtester.errors import DataError
from ragtester.provenance import row_key
from ragtester.records import Failure, Ratings
from ragtester.stages.stability.sample import Identity
from ragtester.storage import recover_tail, write_bytes
from ragtester.tasks import SPENT_FAILURES


def _digest(reasons: object) -> str:
    """The judge's words, short: equal where the reply was."""
    return row_key(said=reasons)


class _Cost(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")
    cost: float | None = None


class Line(BaseModel):
    """What the audit must know of a row; replies stay on disk, and of the reasons only a hash is kept."""

    model_config = ConfigDict(frozen=True, extra="ignore")
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
    start: int = 0
    length: int = 0

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
    found: dict[tuple[Identity, int], Line] = {}
    recover_tail(path)
    if not path.is_file():
        return found
    position = 0
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            try:
                line = Line.model_validate_json(raw)
            except ValidationError as error:
                raise DataError(f"{path}:{number}: no repeated verdict: {error.errors()[0]['msg']}") from error
            place = {"start": position, "length": len(raw)}
            found[line.identity, line.repeat] = line.model_copy(update=place)
            position += len(raw)
    return found


def rewrite(path: Path, lines: Iterable[Line]) -> None:
    """Write the file anew with exactly these of its rows, in this order; nothing is written where it is so already."""
    wanted = list(lines)
    position = 0
    for line in wanted:
        if line.start != position:
            break
        position += line.length
    else:
        if not path.is_file() or path.stat().st_size == position:
            return
    write_bytes(path, _copied(path, wanted))


def _copied(path: Path, wanted: list[Line]) -> Iterator[bytes]:
    with path.open("rb") as file:
        for line in wanted:
            file.seek(line.start)
            yield file.read(line.length)
