"""Replies that were paid for, written down as they arrive: a kill between reply and row costs nothing."""

from __future__ import annotations

import errno
import json
from collections import Counter
from pathlib import Path
from typing import IO, Any

from ragtester.errors import DataError, StorageError
from ragtester.provenance import row_key
from ragtester.storage import recover_tail


class CallJournal:
    """One JSONL file: `{"key": hash of the request and its ordinal, "reply": what came}`. None as path: no journal.

    The ordinal counts identical requests of one start, so that a request that is made twice on purpose gets two
    replies. One write a reply; what a kill cuts short is dropped at the next start.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.notice: str | None = None
        self._file: IO[bytes] | None = None
        self._asked: Counter[str] = Counter()
        self._kept: dict[str, dict[str, Any]] = self._load() if path is not None else {}

    def __len__(self) -> int:
        return len(self._kept)

    def key(self, model: str, parameters: dict[str, Any], messages: list[tuple[str, str]]) -> str:
        """Key of the next request of this wording."""
        if self.path is None:
            return ""
        base = row_key(model=model, parameters=parameters, messages=messages)
        self._asked[base] += 1
        return f"{base}-{self._asked[base]}"

    def find(self, key: str) -> dict[str, Any] | None:
        """The reply that an earlier start paid for, or None. Each is given once."""
        return self._kept.pop(key, None)

    def keep(self, key: str, reply: dict[str, Any]) -> None:
        """Write a reply down. Raises StorageError where the disk does not take it."""
        if self.path is None:
            return
        line = json.dumps({"key": key, "reply": reply}, ensure_ascii=True, allow_nan=False) + "\n"
        try:
            if self._file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self.path.open("ab", buffering=0)
            data, before = line.encode(), self._file.tell()
            if self._file.write(data) != len(data):
                # A cut line in the middle of the file would spoil it for the next start.
                self._file.truncate(before)
                raise OSError(errno.ENOSPC, "only part of the reply was written")
        except OSError as error:
            raise StorageError(f"{self.path}: reply not written ({error.strerror}); free space, start again") from error

    def close(self) -> None:
        """Close the file; it stays on disk."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def discard(self) -> None:
        """Every reply is in a row now: delete the file."""
        self.close()
        self._kept.clear()
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def _load(self) -> dict[str, dict[str, Any]]:
        assert self.path is not None
        self.notice = recover_tail(self.path)
        kept: dict[str, dict[str, Any]] = {}
        if not self.path.is_file():
            return kept
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    entry = json.loads(line)
                    kept[entry["key"]] = entry["reply"]
                except (ValueError, KeyError, TypeError) as error:
                    raise DataError(
                        f"{self.path}:{number}: no entry of a call journal; delete the file to pay for its calls again"
                    ) from error
        return kept
