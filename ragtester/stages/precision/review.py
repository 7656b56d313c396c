"""The review file: ambiguous cases with all that the panel saw and said, for a person to decide.

CSV with a byte order mark, so that spreadsheets read it as UTF-8. What a person has filled in is never lost: it is
read before the file is written again, and rows that are no longer asked for stay as long as they hold a decision.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ragtester.errors import DataError
from ragtester.records import PanelVote, Vote
from ragtester.stages.precision.sampling import Item
from ragtester.storage import write_text
from ragtester.tables.cells import clean
from ragtester.tables.csv_files import defused

COLUMNS = (
    *("id", "question", "answerable", "expected_answer", "keywords", "answer", "case_evidence", "retrieved"),
    *("votes", "decision", "note"),
)
WORDS: dict[str, Vote | None] = {
    "": None,
    "correct": "correct",
    "c": "correct",
    "incorrect": "incorrect",
    "i": "incorrect",
}
Row = dict[str, str]
LONGEST = 2**31 - 1
"""Characters of a cell; the module's own limit of 131,072 is less than a long answer has."""


def read_review(path: Path) -> dict[str, Row]:
    """The rows by id, `decision` as one of "", "correct" and "incorrect"; empty where there is no file.

    Commas, semicolons and tabs are understood, for spreadsheets save what their language uses. Columns that a person
    has added are in the rows too. Raises DataError with file and line of every unknown decision, doubled id, and
    missing or doubled column.
    """
    if not path.is_file():
        return {}
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8; save it as CSV in UTF-8") from error
    found: dict[str, Row] = {}
    faults: list[str] = []
    for line, row in _numbered(path, text):
        decision = row["decision"].strip().casefold()
        if decision not in WORDS:
            faults.append(f'{path}:{line}: decision {row["decision"]!r}; write "correct", "incorrect" or nothing')
        if row["id"] in found:
            faults.append(f"{path}:{line}: the case {row['id']!r} stands twice")
        found[row["id"]] = {**row, "decision": WORDS.get(decision) or ""}
    if faults:
        raise DataError(f"{path}: {len(faults)} line(s) cannot be used", faults)
    return found


def persons(rows: Mapping[str, Row]) -> dict[str, Vote]:
    """What a person decided, by id."""
    return {name: vote for name, row in rows.items() if (vote := WORDS[row["decision"]]) is not None}


def write_review(path: Path, asked: Sequence[Row], before: Mapping[str, Row]) -> None:
    """Write the cases that are asked for, with what a person has filled in; nothing where there is nothing to hold."""
    names = {row["id"] for row in asked}
    merged = [{**row, **_filled(before.get(row["id"]))} for row in asked]
    merged += [row for name, row in before.items() if name not in names and any(_filled(row).values())]
    if merged or path.is_file():
        _write(path, merged)


def decide(path: Path, row: Row, decision: Vote) -> None:
    """Save one decision; what others have filled in meanwhile is kept."""
    rows = read_review(path)
    rows[row["id"]] = {**rows.get(row["id"], row), "decision": decision}
    _write(path, rows.values())


def review_row(item: Item, votes: Iterable[tuple[str, PanelVote | None]]) -> Row:
    """The row of one case: what the panel saw and said, the case's evidence, nothing of oracle and system."""
    request = item.request
    return {
        "id": item.row.id,
        "question": request.question,
        "answerable": "yes" if request.answerable else "no",
        "expected_answer": request.expected_answer,
        "keywords": "; ".join(request.keywords),
        "answer": request.answer,
        "case_evidence": _numbered_texts(item.evidence),
        "retrieved": _numbered_texts(passage.text for passage in request.evidence),
        "votes": "\n".join(_said(voter, vote) for voter, vote in votes),
        "decision": "",
        "note": "",
    }


def _numbered_texts(texts: Iterable[str]) -> str:
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, start=1))


def _said(voter: str, vote: PanelVote | None) -> str:
    if vote is None:
        return f"{voter}: no vote yet"
    if vote.vote is None:
        return f"{voter}: no vote ({vote.failure.type if vote.failure else 'failed'})"
    return f"{voter}: {vote.vote} - {' '.join(vote.reason.split())}"


def _filled(row: Row | None) -> Row:
    """What is a person's own: decision, note, and the cells of columns that a person has added."""
    own = {name: cell for name, cell in (row or {}).items() if name not in COLUMNS}
    return {**{name: row[name] if row else "" for name in ("decision", "note")}, **own}


def _numbered(path: Path, text: str) -> Iterator[tuple[int, Row]]:
    """Rows with the line that they begin on."""
    csv.field_size_limit(LONGEST)
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = [_as_written(name.strip()) for name in next(reader, [])]
        missing = [name for name in ("id", "decision") if name not in header]
        if missing:
            raise DataError(f"{path}:1: no column {' and no column '.join(missing)}; keep the first line as it was")
        twice = sorted({name for name in header if name and header.count(name) > 1})
        if twice:
            raise DataError(f"{path}:1: column {' and '.join(twice)} stands twice; keep the first line as it was")
        line = reader.line_num + 1
        for cells in reader:
            if any(cells):
                given = dict(zip(header, map(_as_written, cells), strict=False))
                given.pop("", None)
                yield line, {**dict.fromkeys(COLUMNS, ""), **given, "id": given.get("id", "").strip()}
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{path}:{reader.line_num}: not CSV: {error}") from error


def _as_written(cell: str) -> str:
    """A cell without the apostrophe that keeps a spreadsheet from computing it."""
    return cell[1:] if cell.startswith("'") and _safe(cell[1:]) == cell else cell


def _safe(text: str) -> str:
    """A text, its lines kept, that no spreadsheet computes and that steers no terminal."""
    kept = "\n".join(map(clean, text.splitlines()))
    line = clean(kept)
    return f"'{kept}" if defused(line) != line else kept


def _write(path: Path, rows: Iterable[Row]) -> None:
    known = list(rows)
    columns = list(dict.fromkeys([*COLUMNS, *(name for row in known for name in row)]))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(map(_safe, columns))
    writer.writerows([_safe(row.get(name, "")) for name in columns] for row in known)
    write_text(path, ["\ufeff", text.getvalue()])
