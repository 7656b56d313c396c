"""Foreign files as text and records, read strictly: every record knows its line or its number."""

from __future__ import annotations

import csv
import io
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragtester.errors import DataError, UsageError

Records = list[tuple[str, dict[str, Any]]]
LARGEST_FILE = 1 << 30
LARGEST_CELL = 1 << 28
HALF_A_PAIR = "it holds a half of a surrogate pair, which is no character"
_CELLS = threading.Lock()
_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"PK\x03\x04": "a ZIP or Excel file", b"%PDF": "a PDF"}


def read_text(path: Path) -> str:
    """A file's text; a byte-order mark is taken off. Raises UsageError and DataError (what, where, how to mend it)."""
    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    if path.stat().st_size > LARGEST_FILE:
        raise UsageError(f"{path}: larger than {LARGEST_FILE >> 30} GiB; split it")
    data = path.read_bytes()
    for mark, what in _MARKS.items():
        if data.startswith(mark):
            raise DataError(f"{path}: this is {what}, not UTF-8 text; save it as UTF-8 (in Excel: 'CSV UTF-8')")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}:{line}: byte 0x{data[error.start]:02x} is not UTF-8 (a file in cp1252 or Latin-1?); "
            "save it as UTF-8 (in Excel: 'CSV UTF-8')"
        ) from error


def json_value(text: str, path: Path) -> Any:
    """A JSON text; NaN and infinities, which pandas and Python write, are null. Raises DataError with the line."""
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except json.JSONDecodeError as error:
        raise DataError(f"{path}:{error.lineno}: not valid JSON: {error.msg} (column {error.colno})") from error
    except RecursionError as error:
        raise DataError(f"{path}: nested too deeply") from error


def jsonl_records(text: str, path: Path) -> Records:
    """One object a line; raises DataError with every line that is none."""
    found: Records = []
    faults: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, parse_constant=lambda _: None)
        except (json.JSONDecodeError, RecursionError) as error:
            faults.append(f"{path}:{number}: not valid JSON: {getattr(error, 'msg', 'nested too deeply')}")
            continue
        if isinstance(value, dict):
            found.append((f"{path.name}:{number}", value))
        else:
            faults.append(f"{path}:{number}: not an object but {_kind(value)}")
    if faults:
        raise DataError(f"{path}: {len(faults)} line(s) are no JSON objects", faults[:20])
    return found


def strict_lines(text: str) -> Iterator[tuple[int, Any, str]]:
    """The JSON value of every line that is not empty, with its number; or None and what is wrong with it.

    Strict: NaN is no number, and a half of a surrogate pair is no character.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = strict_json(line)
        except (ValueError, RecursionError) as error:
            yield number, None, f"not valid JSON: {getattr(error, 'msg', None) or error}"
            continue
        fault = "" if is_unicode(value) else HALF_A_PAIR
        yield number, None if fault else value, fault


def strict_json(text: str) -> Any:
    """The value of a JSON text. Raises ValueError (NaN and infinities as well) and RecursionError."""
    return json.loads(text, parse_constant=_refused)


def _refused(word: str) -> Any:
    raise ValueError(f"{word} is no number; leave out what is undefined, or write null")


def is_unicode(value: Any) -> bool:
    """Whether every text of a JSON value can be written down: a half of a surrogate pair cannot."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def listed_records(values: Any, path: Path, what: str = "record") -> Records:
    """A JSON or YAML list of objects; raises DataError with every member that is none."""
    if not isinstance(values, list):
        raise DataError(f"{path}: a list of {what}s is wanted, not {_kind(values)}")
    faults = [
        f"{path}: {what} {number} is not an object but {_kind(value)}"
        for number, value in enumerate(values, start=1)
        if not isinstance(value, dict)
    ]
    if faults:
        raise DataError(f"{path}: {len(faults)} {what}(s) are no objects", faults[:20])
    return [(_where(path, value, what, number), value) for number, value in enumerate(values, start=1)]


def _where(path: Path, value: dict[str, Any], what: str, number: int) -> str:
    line = getattr(value, "line", None)
    return f"{path.name}:{line}" if line else f"{path.name}: {what} {number}"


def _kind(value: Any) -> str:
    names = {"dict": "an object", "list": "a list", "str": "a text", "NoneType": "null", "bool": "true or false"}
    return names.get(type(value).__name__, "a number")


def csv_header(text: str, delimiter: str) -> list[str]:
    """The cells of the first row."""
    with _large_cells():
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])


def csv_records(
    text: str, path: Path, fits: Callable[[Sequence[str]], bool], mend: str = "say what they are with --column"
) -> tuple[Records, list[str], str]:
    """Rows as objects of texts, the header, and the delimiter: the one with which the header `fits`.

    Raises DataError with every row that has more or fewer cells than the header, and UsageError where no delimiter
    gives a header that fits; `mend` says there what to do.
    """
    try:
        headers = {mark: csv_header(text, mark) for mark in (",", ";", "\t")}
        delimiter = next((mark for mark, header in headers.items() if fits(header)), None)
        if delimiter is None:
            longest = max(headers.values(), key=len)
            raise UsageError(f"{path}: its columns are {', '.join(longest) or 'none'}; {mend}")
        return _objects(text, path, delimiter), headers[delimiter], delimiter
    except csv.Error as error:
        raise DataError(f"{path}: not a CSV file: {error}") from error


def _objects(text: str, path: Path, delimiter: str) -> Records:
    (_, header), *rows = _rows(text, delimiter)
    doubles = sorted({name for name in header if name and header.count(name) > 1})
    if doubles:
        raise DataError(f"{path}:1: more than one column is called {', '.join(doubles)}")
    found: Records = []
    faults: list[str] = []
    for line, cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            faults.append(f"{path}:{line}: {len(cells)} cell(s) under {len(header)} columns")
        found.append((f"{path.name}:{line}", dict(zip(header, cells, strict=False))))
    if faults:
        raise DataError(f"{path}: {len(faults)} row(s) do not match the header", faults[:20])
    return found


def _rows(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Every row with the line it begins on."""
    with _large_cells():
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        rows: list[tuple[int, list[str]]] = []
        line = 1
        for cells in reader:
            rows.append((line, cells))
            line = reader.line_num + 1
        return rows


@contextmanager
def _large_cells() -> Iterator[None]:
    """The limit of a cell belongs to the whole process: it is put back."""
    with _CELLS:
        before = csv.field_size_limit(LARGEST_CELL)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def csv_text(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A CSV file whose cells are all quoted, so that line breaks of any kind stay inside them."""
    target = io.StringIO(newline="")
    writer = csv.writer(target, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return target.getvalue()
