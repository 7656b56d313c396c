"""The answer files of one cell: rows appended the moment they exist, put in planned order when a file is complete."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ragtester.records import Answer
from ragtester.stages.execute.plan import AnswerRows, clear_stale
from ragtester.storage import RowWriter, encode_row, write_bytes


@dataclass
class AnswerFile:
    """One file while its cell runs."""

    path: Path
    planned: list[str]
    _lines: dict[str, bytes]
    _writer: RowWriter | None = None

    @classmethod
    def open(cls, rows: AnswerRows) -> AnswerFile:
        """Take up a file where it stands; rows that are to be made again are taken out first."""
        if not rows.clean:
            clear_stale(rows)
        lines = {name: encode_row(rows.kept[name]).encode("utf-8") for name in rows.order if name in rows.kept}
        return cls(rows.path, rows.whole, lines)

    def append(self, row: Answer) -> None:
        """Put one row on disk. Raises StorageError."""
        if self._writer is None:
            self._writer = RowWriter(self.path)
        if row.case_id in self._lines:
            raise AssertionError(f"{self.path}: a second row for case {row.case_id}")
        self._lines[row.case_id] = self._writer.append(row)

    def finish(self) -> None:
        """Close the file; a complete one is brought into planned order."""
        self.close()
        if len(self._lines) == len(self.planned) and list(self._lines) != self.planned:
            write_bytes(self.path, (self._lines[name] for name in self.planned))

    def close(self) -> None:
        """Close the file as it stands."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
