"""Gold that a user brings for a retrieval audit: JSON Lines or CSV of queries and their gold chunks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragtester.errors import DataError
from ragtester.interchange.cells import literal
from ragtester.interchange.files import HALF_A_PAIR, Records, csv_records, is_unicode, jsonl_records, read_text
from ragtester.stages.retrieval import GoldLabels
from ragtester.stages.retrieval.naming import named
from ragtester.storage import MAX_FAULTS

QUERY = ("query_id", "case_id")
GOLD = ("gold_ids", "chunk_ids", "chunk_id", "gold_id")
GRADE = "grade"
WANTED = f"labels want one of {', '.join(QUERY)} and one of {', '.join(GOLD)}; {GRADE} is optional"


def read_gold_labels(path: Path) -> GoldLabels:
    """Labels of a file: `query_id` or `case_id`, `gold_ids` or `chunk_ids` (a list) or `chunk_id`, `grade` (1 to 100).

    A query may stand on several lines, and a chunk of it too where its grade is the same. In a CSV a list is JSON, or
    ids between semicolons. Raises UsageError where there is no such file, DataError with every fault by line.
    """
    faults: list[str] = []
    found: dict[str, dict[str, int]] = {}
    for where, row in _records(path):
        if not is_unicode(row):
            faults.append(f"{where}: {HALF_A_PAIR}")
            continue
        name, ids, grade = _text(row, QUERY), list(_ids(row, where, faults)), _grade(row, where, faults)
        if not name:
            faults.append(f"{where}: no {' or '.join(QUERY)}; its fields are {named(row)}")
            continue
        own = found.setdefault(name, {})
        for one in ids:
            if own.setdefault(one, grade) != grade:
                faults.append(f"{where}: {one} has grade {grade} for {name}, and {own[one]} further up")
    if faults:
        more = [f"{len(faults) - MAX_FAULTS} further faults not listed"] if len(faults) > MAX_FAULTS else []
        raise DataError(f"{path}: {len(faults)} fault(s) in the labels; mend them", [*faults[:MAX_FAULTS], *more])
    if not any(found.values()):
        raise DataError(f"{path}: no gold in it; {WANTED}")
    return GoldLabels(path.name, found)


def _records(path: Path) -> Records:
    text = read_text(path)
    if text.lstrip()[:1] in ("{", "["):
        return jsonl_records(text, path)
    records, _, _ = csv_records(
        text,
        path,
        lambda names: bool({*QUERY} & {*names}) and bool({*GOLD} & {*names}),
        WANTED,
    )
    return records


def _text(row: Mapping[str, Any], names: tuple[str, ...]) -> str:
    value = next((row[name] for name in names if row.get(name) not in (None, "")), "")
    return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _ids(row: Mapping[str, Any], where: str, faults: list[str]) -> Iterator[str]:
    """Ids of a line; none is allowed: such a query has no gold."""
    for name in GOLD:
        value = row.get(name)
        if isinstance(value, str):
            bare = value.strip()
            value = literal(bare) if bare.startswith("[") else [one.strip() for one in bare.split(";") if one.strip()]
        if value is None:
            continue
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            faults.append(f"{where}: {name}: a list of ids is wanted")
            return
        yield from value


def _grade(row: Mapping[str, Any], where: str, faults: list[str]) -> int:
    value = row.get(GRADE)
    if value in (None, ""):
        return 1
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not 1 <= number <= 100 or number != int(number):
        faults.append(f"{where}: {GRADE}: a whole number from 1 to 100 is wanted, not {str(value)[:20]!a}")
        return 1
    return int(number)
