"""One ambiguous case after another, for a person at a terminal. Each decision is saved before the next is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ragtester.records import Vote
from ragtester.stages.precision.review import Row, decide

KEYS: dict[str, Vote] = {"c": "correct", "correct": "correct", "i": "incorrect", "incorrect": "incorrect"}
PROMPT = "c correct, i incorrect, s skip, q leave > "
Show = Callable[[str, str], None]
"""Shows a heading and a text; makes both safe for a terminal."""


def ask_person(path: Path, rows: Sequence[Row], show: Show, read: Callable[[str], str]) -> int:
    """Ask for each row's decision and save it in the review file at once; gives how many were decided.

    `read` prints a prompt and gives a line. It ends with the last row, with "q", and where `read` raises EOFError or
    KeyboardInterrupt: whoever leaves goes on there next time.
    """
    decided = 0
    for number, row in enumerate(rows, start=1):
        _show(row, f"{number} of {len(rows)}", show)
        try:
            said = _said(read, show)
        except (EOFError, KeyboardInterrupt):
            show("", "")
            return decided
        if said == "q":
            return decided
        if said in KEYS:
            decide(path, row, KEYS[said])
            decided += 1
    return decided


def _said(read: Callable[[str], str], show: Show) -> str:
    while True:
        said = read(PROMPT).strip().casefold()
        if said in KEYS or said in ("s", "skip"):
            return said
        if said in ("q", "quit"):
            return "q"
        show("", 'Type "c", "i", "s" or "q" and Enter.')


def _show(row: Row, place: str, show: Show) -> None:
    show("", f"-------- case {place} --------")
    show("evidence", row["evidence"] or "(none retrieved)")
    show("question", row["question"])
    if row["answerable"] == "no":
        show("", "The document does not answer it: right is an answer that says so, or corrects a false premise.")
    show("expected answer", row["expected_answer"])
    if row["keywords"]:
        show("keywords", row["keywords"])
    show("answer", row["answer"] or "(empty)")
    show("votes", row["votes"])
