"""Reading people's labels from CSV or JSON Lines: strictly, all faults at once."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ragtester.errors import DataError, UsageError
from ragtester.storage import MAX_FAULTS
from ragtester.tables.csv_files import defused

Label = Literal["pass", "fail"]
WORDS: dict[str, Label] = {
    "pass": "pass",
    "correct": "pass",
    "true": "pass",
    "1": "pass",
    "1.0": "pass",  # whole numbers of a column with gaps come so out of a data frame
    "fail": "fail",
    "incorrect": "fail",
    "false": "fail",
    "0": "fail",
    "0.0": "fail",
}
NEEDED = ("case_id", "label")
LONGEST = 2**31 - 1
"""Characters of a cell: a sheet holds answers, and the module's own limit is less than a long one has."""


@dataclass(frozen=True)
class Labelled:
    """One row of a label file. Empty `llm` and `embedding` mean: not given. `label` None: not filled in.

    `answer` is the text that the person read, None where the file does not tell: "" is an empty answer.
    """

    line: int
    case_id: str
    llm: str
    embedding: str
    annotator: str
    label: Label | None
    answer: str | None = None

    @property
    def name(self) -> str:
        """The row for people."""
        system = " × ".join(part for part in (self.llm, self.embedding) if part)
        return f"line {self.line}: {self.case_id}" + (f" ({system})" if system else "")


def read_labels(path: Path) -> list[Labelled]:
    """The rows of a label file, CSV (comma, semicolon or tab) or JSON Lines by their first character.

    Columns: case_id, label, and llm, embedding, annotator, answer where needed; others are ignored. Raises UsageError
    where there is no such file, DataError with every fault by line.
    """
    if not path.is_file():
        raise UsageError(f"{path}: no such file of labels")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8; save it again as UTF-8 text") from error
    faults: list[str] = []
    lines = _json_lines(text, path, faults) if text.lstrip()[:1] in ("{", "[") else _csv_lines(text, path, faults)
    found: list[Labelled] = []
    for number, row in lines:
        one = _row(number, row, path, faults)
        if one is not None:
            found.append(one)
    raise_faults(path, faults)
    return found


def raise_faults(path: Path, faults: list[str]) -> None:
    """Raise DataError with all faults; the first ones where they are very many."""
    if faults:
        shown = faults[:MAX_FAULTS]
        more = [f"{len(faults) - MAX_FAULTS} further faults not listed"] if len(faults) > MAX_FAULTS else []
        raise DataError(f"{path}: {len(faults)} fault(s) in the labels; mend them, then start again", shown + more)


def _csv_lines(text: str, path: Path, faults: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    csv.field_size_limit(LONGEST)
    head = text.lstrip("\n").partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    start = 1
    try:
        for cells in reader:
            number, start = start, reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                header = [cell.strip().lower() for cell in cells]
                if not _usable(header, path, number, faults):
                    return
            elif len(cells) > len(header):
                faults.append(f"{path}:{number}: {len(cells)} cells under {len(header)} columns")
            else:
                yield number, dict(zip(header, map(_undefused, cells), strict=False))
    except csv.Error as error:
        faults.append(f"{path}:{start}: not CSV: {error}")
    if not header:
        faults.append(f"{path}: empty; a header with {' and '.join(NEEDED)} is needed")


def _usable(header: list[str], path: Path, number: int, faults: list[str]) -> bool:
    missing = [name for name in NEEDED if name not in header]
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if missing:
        faults.append(f"{path}:{number}: no column {' and '.join(missing)} (there are: {', '.join(header)})")
    if twice:
        faults.append(f"{path}:{number}: column {', '.join(twice)} stands twice")
    return not missing and not twice


def _undefused(cell: str) -> str:
    """A cell without the apostrophe that kept a spreadsheet from computing it."""
    cell = cell.strip()
    return cell[1:] if cell.startswith("'") and defused(cell[1:]) == cell else cell


def _json_lines(text: str, path: Path, faults: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    # Only "\n" ends a line: a JSON text may hold other characters that count as line ends.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            faults.append(f"{path}:{number}: not one JSON object a line: {error}")
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            faults.append(f"{path}:{number}: not a JSON object")


def _row(number: int, row: dict[str, Any], path: Path, faults: list[str]) -> Labelled | None:
    values = {name: _text(row.get(name)) for name in ("case_id", "llm", "embedding", "annotator", "label", "answer")}
    wrong = [name for name, value in values.items() if value is None]
    if wrong:
        faults.append(f"{path}:{number}: {', '.join(wrong)} is no text")
        return None
    case_id, label = values["case_id"] or "", values["label"] or ""
    if not case_id:
        faults.append(f"{path}:{number}: no case_id")
        return None
    known = WORDS.get(label.casefold())
    if label and known is None:
        faults.append(f"{path}:{number}: label {label[:40]!r} is none of {_offered()}")
        return None
    llm, embedding, annotator = (values[name] or "" for name in ("llm", "embedding", "annotator"))
    answer = values["answer"] if row.get("answer") is not None else None
    return Labelled(number, case_id, llm, embedding, annotator, known, answer)


def _text(value: Any) -> str | None:
    """A cell as text, "" for an empty one; None for a list or an object. JSON's true is a label, too."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip() if isinstance(value, str | int | float) else None


def _offered() -> str:
    words: Iterable[str] = (word for word in WORDS if not word.endswith(".0"))
    return ", ".join(words)
