"""One row a case and system: CSV for spreadsheets, Parquet and a DataFrame for analysis."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ragtester.errors import MissingPackageError
from ragtester.exports.columns import COLUMNS, CSV_TYPES, Column, Value
from ragtester.exports.texts import FullRow, with_texts, without_texts
from ragtester.results import Results
from ragtester.storage import write_bytes, write_text
from ragtester.workspace import Workspace

if TYPE_CHECKING:
    import pandas

Item = TypeVar("Item")
BATCH = 5_000
SEPARATOR = " | "
# First characters that a spreadsheet reads as the start of a formula, plain and full-width.
_FORMULA = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
# No place in UTF-8, or the end of the text for many readers.
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")


def write_csv(results: Results, workspace: Workspace, path: Path) -> int:
    """Write every row as CSV (RFC 4180, UTF-8, `\\n`, empty = null); gives the number of rows.

    Texts that a spreadsheet would run as a formula get an apostrophe in front, as does a text that begins like one
    that was so treated: to undo it, take one apostrophe off every text that matches `'+[=+-@…]`. Replaces the file
    atomically. Raises StorageError, and DataError for rows that do not hold what they should.
    """
    count = 0

    def lines() -> Iterator[str]:
        nonlocal count
        yield _line(column.name for column in COLUMNS)
        for row in with_texts(results, workspace):
            count += 1
            yield _line(csv_cell(column.value(row)) for column in COLUMNS)

    write_text(path, lines())
    return count


def csv_cell(value: Value) -> str:
    """A cell as it stands in the file: numbers exactly, texts defused."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    text = _writable(SEPARATOR.join(value) if isinstance(value, tuple) else value)
    return f"'{text}" if _FORMULA.match(text) else text


def _line(cells: Iterable[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue()


def _writable(text: str) -> str:
    return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def write_parquet(results: Results, workspace: Workspace, path: Path) -> int:
    """Write every row as Parquet, typed by `COLUMNS`, whose meanings stand in the schema; gives the number of rows.

    Written in batches: memory does not grow with the run. Replaces the file atomically. Raises MissingPackageError
    without pyarrow (extra `study`), StorageError, and DataError for rows that do not hold what they should.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise _missing("pyarrow") from error
    types = {
        "text": pa.string(),
        "texts": pa.list_(pa.string()),
        "number": pa.float64(),
        "count": pa.int64(),
        "flag": pa.bool_(),
    }
    schema = pa.schema(
        [pa.field(column.name, types[column.kind], metadata={"meaning": column.meaning}) for column in COLUMNS]
    )
    count = 0

    def parts() -> Iterator[bytes]:
        nonlocal count
        sink = _Parts()
        with pq.ParquetWriter(pa.PythonFile(sink, mode="w"), schema, compression="zstd") as writer:
            for batch in _batches(with_texts(results, workspace), BATCH):
                count += len(batch)
                cells = {column.name: [_typed(column, row) for row in batch] for column in COLUMNS}
                writer.write_table(pa.table(cells, schema=schema))
                yield sink.take()
        yield sink.take()

    write_bytes(path, parts())
    return count


def to_frame(results: Results, workspace: Workspace | None = None) -> pandas.DataFrame:
    """A DataFrame, one row a case and system, with the columns of `COLUMNS` and pandas' nullable types.

    Nothing measured is `pandas.NA`, also in texts. `flags` and `keywords` are one text, parted by " | ". The column
    `answer` is only there with a `workspace` to read it from. Raises MissingPackageError without pandas (extra
    `study`).
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise _missing("pandas") from error
    columns = [column for column in COLUMNS if workspace is not None or column.name != "answer"]
    cells: dict[str, list[Any]] = {column.name: [] for column in columns}
    for row in without_texts(results) if workspace is None else with_texts(results, workspace):
        for column in columns:
            value = column.value(row)
            cells[column.name].append((SEPARATOR.join(value) or None) if isinstance(value, tuple) else value)
    return pd.DataFrame({name: pd.array(values, dtype=CSV_TYPES[name]) for name, values in cells.items()})


class _Parts(io.RawIOBase):
    """A file that keeps what is written until it is taken, and knows its place."""

    def __init__(self) -> None:
        super().__init__()
        self._place, self._waiting = 0, bytearray()

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def write(self, data: Any) -> int:
        size = memoryview(data).nbytes
        self._waiting += data
        self._place += size
        return size

    def take(self) -> bytes:
        taken, self._waiting = bytes(self._waiting), bytearray()
        return taken


def _typed(column: Column, row: FullRow) -> Any:
    value = column.value(row)
    if isinstance(value, tuple):
        return [_writable(item) for item in value]
    return _writable(value) if isinstance(value, str) else value


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def _missing(package: str) -> MissingPackageError:
    return MissingPackageError(f"{package} is not installed; pip install 'ragtester-pipeline[study]'")
