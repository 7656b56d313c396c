"""Rows on disk: strict reading, append with a recoverable tail, atomic replacement.

A JSONL file is UTF-8, one JSON object a line, `\\n`, keys in the order of the record's fields. A line that a kill
cut short has no line end: it is dropped with a notice and made again. Everything else that does not parse is a
fault, and all faults are reported at once.
"""

from __future__ import annotations

import errno
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from ragtester.errors import DataError, StorageError
from ragtester.records import Record

Row = TypeVar("Row")
MAX_FAULTS = 20
# Name, process and eight characters of `tempfile`: a file that is being written and not yet in its place.
_TEMPORARY = re.compile(r"\..+\.(\d+)-\w{8}\.tmp")
_swept: set[Path] = set()


def encode_row(record: Record) -> str:
    """One line of a JSONL file, with its line end."""
    return record.model_dump_json() + "\n"


def not_written(path: Path, error: OSError, what: str = "not written") -> StorageError:
    """The one line for a file that could not be written, with what mends it."""
    mend = "free space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "mend that"
    return StorageError(f"{path}: {what} ({error.strerror or error}); {mend}, then start again")


def append_row(path: Path, record: Record) -> None:
    """Append one row in a single write; on a full disk the file keeps exactly the rows it had."""
    data = encode_row(record).encode("utf-8")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as file:
            before = file.tell()
            try:
                written = file.write(data)
                if written != len(data):
                    raise OSError(28, "only part of the row was written")
            except OSError:
                os.ftruncate(file.fileno(), before)
                raise
    except OSError as error:
        raise not_written(path, error, "row not written") from error


class RowWriter:
    """Appends rows to one file through one open handle, each in a single write; close it when the file is done.

    On a full disk the file keeps exactly the rows it had, as with `append_row`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise not_written(path, error, "cannot be opened") from error
        self._size = self._file.tell()

    def append(self, record: Record) -> bytes:
        """Write one row; gives the bytes that now stand in the file. Raises StorageError."""
        data = encode_row(record).encode("utf-8")
        try:
            if self._file.write(data) != len(data):
                raise OSError(28, "only part of the row was written")
        except OSError as error:
            os.ftruncate(self._file.fileno(), self._size)
            raise not_written(self._path, error, "row not written") from error
        self._size += len(data)
        return data

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self._file.close()


def read_rows(path: Path, schema: Any) -> list[Any]:
    """Read a JSONL file strictly into `schema` (a record class or a discriminated union).

    Raises DataError with every fault (file and line). A last line without its line end is not a fault: it is left
    out, as `recover_tail` would drop it. A missing file gives an empty list.
    """
    return list(iter_rows(path, schema))


def iter_rows(path: Path, schema: Any) -> Iterator[Any]:
    """Like `read_rows`, one row at a time; faults are raised after the last good row."""
    for _, row in iter_numbered(path, schema):
        yield row


def iter_numbered(path: Path, schema: Any) -> Iterator[tuple[int, Any]]:
    """Like `iter_rows`, each row with its line number (from 1)."""
    if not path.is_file():
        return
    adapter: TypeAdapter[Any] = TypeAdapter(schema)
    faults: list[str] = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                break
            try:
                yield number, adapter.validate_json(line)
            except ValidationError as error:
                first = error.errors()[0]
                where = ".".join(str(part) for part in first["loc"])
                faults.append(f"{path}:{number}: {where + ': ' if where else ''}{first['msg']}")
                if len(faults) >= MAX_FAULTS:
                    faults.append("further faults not listed")
                    break
    if faults:
        raise DataError(f"{path}: {len(faults)} line(s) do not hold what they should; mend or delete them", faults)


def recover_tail(path: Path) -> str | None:
    """Cut off a last line that has no line end. Returns a notice, or None where there was nothing to cut."""
    if not path.is_file():
        return None
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        if size == 0:
            return None
        file.seek(size - 1)
        if file.read(1) == b"\n":
            return None
        keep = _last_line_end(file, size)
        file.truncate(keep)
    return f"{path}: dropped an interrupted line of {size - keep} bytes; it is made again"


def _last_line_end(file: Any, size: int) -> int:
    """Offset just after the last line end before `size`, reading backwards in blocks."""
    position = size
    while position > 0:
        step = min(65536, position)
        position -= step
        file.seek(position)
        found = file.read(step).rfind(b"\n")
        if found >= 0:
            return int(position + found + 1)
    return 0


def write_rows(path: Path, records: Iterable[Record]) -> None:
    """Replace a JSONL file atomically."""
    write_text(path, (encode_row(record) for record in records))


def write_json(path: Path, record: Record) -> None:
    """Replace a JSON file atomically, indented for people."""
    text = json.dumps(record.model_dump(mode="json"), ensure_ascii=False, allow_nan=False, indent=2)
    write_text(path, [text + "\n"])


def write_text(path: Path, parts: Iterable[str]) -> None:
    """Replace a text file atomically: temporary file in the same folder, flush, rename."""
    write_bytes(path, (part.encode("utf-8") for part in parts))


def write_bytes(path: Path, parts: Iterable[bytes]) -> None:
    """Replace a file atomically. What a process that was killed left half written in the folder is removed."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path.parent)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.{os.getpid()}-", suffix=".tmp")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                for part in parts:
                    file.write(part)
                file.flush()
                os.fsync(file.fileno())
            umask = os.umask(0)
            os.umask(umask)
            temporary.chmod(0o666 & ~umask)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise not_written(path, error) from error


def _sweep(folder: Path) -> None:
    """Remove temporary files of processes that are gone; once a folder and process, for the folder may be large."""
    if folder in _swept:
        return
    _swept.add(folder)
    for path in folder.glob(".*.tmp"):
        found = _TEMPORARY.fullmatch(path.name)
        if found and not _is_running(int(found[1])):
            path.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    if os.name != "posix":  # There signal 0 would end the process instead of asking for it.
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def read_json(path: Path, schema: type[Row]) -> Row | None:
    """Read one record strictly; None where the file is absent."""
    if not path.is_file():
        return None
    try:
        return TypeAdapter(schema).validate_json(path.read_bytes())
    except ValidationError as error:
        faults = [f"{path}: {'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()[:MAX_FAULTS]]
        raise DataError(f"{path}: not a valid {getattr(schema, '__name__', 'record')}", faults) from error
