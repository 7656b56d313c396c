"""Rows of which only what must be known is kept, with their place in the file: files are put in order by copying."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ragtester.errors import DataError
from ragtester.storage import recover_tail, write_bytes


class PlacedRow(BaseModel):
    """Base of what is kept of a row; `start` and `length` are bytes of its line in the file."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    start: int = 0
    length: int = 0

    def at(self, start: int, length: int) -> Self:
        """The same row with its place."""
        return self.model_copy(update={"start": start, "length": length})


Row = TypeVar("Row", bound=PlacedRow)


def read_placed(path: Path, kind: type[Row], name: str) -> Iterator[Row]:
    """The rows of a file with their places; an interrupted tail is cut off first, a file that is absent has no rows.

    Raises DataError with file and line for a row that is none; `name` says what it should be.
    """
    recover_tail(path)
    if not path.is_file():
        return
    position = 0
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            try:
                row = kind.model_validate_json(raw)
            except ValidationError as error:
                raise DataError(f"{path}:{number}: no {name}: {error.errors()[0]['msg']}") from error
            yield row.at(position, len(raw))
            position += len(raw)


def keep_only(path: Path, rows: Iterable[PlacedRow]) -> None:
    """Rewrite the file with exactly these of its rows, in this order; nothing is written where it is so already."""
    wanted = list(rows)
    position = 0
    for row in wanted:
        if row.start != position:
            break
        position += row.length
    else:
        if not path.is_file() or path.stat().st_size == position:
            return
    write_bytes(path, _copied(path, wanted))


def _copied(path: Path, rows: list[PlacedRow]) -> Iterator[bytes]:
    with path.open("rb") as file:
        for row in rows:
            file.seek(row.start)
            yield file.read(row.length)
