"""Items as the text of a file in one of the four formats."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragtester.errors import UsageError
from ragtester.interchange import deepeval, plain, promptfoo_writing, ragas
from ragtester.interchange.files import csv_text
from ragtester.interchange.formats import SUFFIXES, Container, FormatName
from ragtester.interchange.items import Item

# What each format is written as; the first is the default.
WRITTEN: dict[FormatName, tuple[Container, ...]] = {
    "ragas": ("jsonl", "csv"),
    "deepeval": ("json", "jsonl"),
    "promptfoo": ("yaml", "csv", "json"),
    "csv": ("csv",),
}


def container_of(name: FormatName, path: Path | None) -> Container:
    """How a file of the format is written: by its ending, or the format's default. Raises UsageError."""
    if path is None or not path.suffix:
        return WRITTEN[name][0]
    wanted = SUFFIXES.get(path.suffix.lower())
    if wanted not in WRITTEN[name]:
        raise UsageError(f"{path}: {name} is written as {', '.join('.' + one for one in WRITTEN[name])}")
    return wanted


def text_of(name: FormatName, container: Container, items: Iterable[Item], answers: bool = False) -> str:
    """The whole text of a file."""
    items = list(items)
    if name == "csv":
        return _table(plain.header(answers), plain.write(items, answers))
    if name == "promptfoo" and container == "csv":
        rows = promptfoo_writing.rows(items, answers)
        return _table(list(rows[0]) if rows else ["question", "__expected"], rows)
    if name == "promptfoo" and container == "yaml":
        from ragtester.interchange import yaml_files

        return yaml_files.dump(promptfoo_writing.write(items, answers))
    if name == "ragas":
        records = ragas.write(items, answers)
        if container == "csv":
            header = [*ragas.COLUMNS, *(ragas.ANSWER_COLUMNS if answers else ())]
            return _table(header, [{key: _as_pandas(value) for key, value in one.items()} for one in records])
    else:
        write = promptfoo_writing.write if name == "promptfoo" else deepeval.write
        records = write(items, answers)
    if container == "json":
        return json.dumps(records, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    return "".join(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n" for record in records)


def _as_pandas(value: Any) -> str:
    """A cell as `to_csv` writes it: lists by Python's str()."""
    return str(value) if isinstance(value, list) else str(value or "")


def _table(header: Sequence[str], rows: Sequence[Mapping[str, str]]) -> str:
    return csv_text(header, [[row.get(name, "") for name in header] for row in rows])
