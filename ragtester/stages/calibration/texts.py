"""The answers' texts, in a form in which a label file and the run can be compared."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

from ragtester.records import Answer
from ragtester.results import Result
from ragtester.runs import answer_files
from ragtester.storage import iter_rows
from ragtester.tables.csv_files import defused
from ragtester.workspace import Workspace

Place = tuple[str, str, str, str]
"""LLM, embedding model, technique and case id."""


def place_of(row: Result | Answer) -> Place:
    """Where a row of the run stands."""
    return row.llm, row.embedding, row.technique, row.case_id


def folded(text: str) -> str:
    """`text` without what writing a sheet, and saving it in a spreadsheet, may change. Equal ones are one answer.

    Steering characters are replaced as in the sheet, white space and line ends are one blank, and the apostrophe
    before a formula is gone: some spreadsheets keep it, others take it off.
    """
    text = " ".join(defused(text).split())
    bare = text[1:].lstrip()
    return bare if text.startswith("'") and defused(bare) != bare else text


def answer_texts(workspace: Workspace, run: str, cases: Container[str]) -> dict[Place, str]:
    """The folded answers to some cases as they stand now; of rows that stand twice the one that the results count."""
    found: dict[Place, str] = {}
    for path in answer_files(workspace, run)[0]:
        found = {**_texts(path, cases), **found}
    return found


def _texts(path: Path, cases: Container[str]) -> dict[Place, str]:
    rows = (row for row in iter_rows(path, Answer) if row.case_id in cases)
    return {place_of(row): folded(row.answer) for row in rows}
