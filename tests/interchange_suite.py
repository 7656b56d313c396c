"""A small workspace with two documents and one technique, for the tests of import and export."""

from __future__ import annotations

from pathlib import Path

from ragtester.interchange.suite_files import all_cases
from ragtester.provenance import sha256_text
from ragtester.records import Case, Document, Evidence
from ragtester.storage import write_rows, write_text
from ragtester.workspace import Workspace
from tests import builders

DATA = Path(__file__).parent / "data" / "interchange"
FERRY = (
    "The ferry Alma crosses the lake in 14 minutes.\nIt carries at most 120 passengers.\n\n"
    "Dogs travel free of charge, bicycles cost 2.50 euros.\nThe last ferry leaves at 22:10 on weekdays.\n"
)
RULES = "House rules of the boat shed.\n\nThe shed opens at 8. Keys hang behind the door. Dogs stay outside.\n"
TEXTS = {"ferry": FERRY, "shed-rules": RULES}


def document(name: str, text: str, path: str) -> Document:
    return builders.document(
        name,
        path=path,
        sha256=sha256_text(f"file {text}"),
        text_sha256=sha256_text(text),
        characters=len(text),
        page_starts=(0, 40),
    )


def case(question: str, expected: str, start: int = 0, end: int = 0, number: int = 1) -> Case:
    return builders.case(
        f"ferry/ragtester/complexity-{number:03}",
        key=f"k{number}",
        document_id="ferry",
        document_sha256=sha256_text(f"file {FERRY}"),
        question=question,
        expected_answer=expected,
        evidence=(Evidence(start=start, end=end, pages=(1,)),) if end else (),
    )


def make_suite(root: Path, cases: list[Case] | None = None) -> Workspace:
    workspace = Workspace(root)
    rows = [document("ferry", FERRY, "boats/ferry.pdf"), document("shed-rules", RULES, "shed rules.pdf")]
    for name, text in TEXTS.items():
        write_text(workspace.text_file("main", name), [text])
    write_rows(workspace.documents_file("main"), rows)
    if cases:
        write_rows(workspace.cases_file("main", "ragtester", "ferry"), cases)
    return workspace


def cases_of(workspace: Workspace, suite: str, technique: str) -> list[Case]:
    """The cases of one technique, document by document."""
    return [one for one in all_cases(workspace, suite) if one.technique == technique]
