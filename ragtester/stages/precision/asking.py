"""One ambiguous case after another, for a person at a terminal. Each decision is saved before the next is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ragtester.records import Vote
from ragtester.stages.precision.review import Row, decide

KEYS: dict[str, Vote] = {"c": "correct", "correct": "correct", "i": "incorrect", "incorrect": "incorrect"}
PROMPT = "c correct, i incorrect, m more, s skip, q leave > "
LINES, CHARACTERS = 8, 600
"""What is shown of a long text before a person asks for more."""
_REFUSE = "Nothing that its user may see answers it: right is an answer that says so, or corrects a false premise."
Show = Callable[[str, str], None]
"""Shows a heading and a text; makes both safe for a terminal."""


def ask_person(path: Path, rows: Sequence[Row], show: Show, read: Callable[[str], str]) -> None:
    """Ask for each row's decision and save it in the review file at once.

    `read` prints a prompt and gives a line. It ends with the last row, with "q", where `read` raises EOFError, and at
    a KeyboardInterrupt wherever it comes: whoever leaves goes on there next time.
    """
    try:
        for number, row in enumerate(rows, start=1):
            place = f"{number} of {len(rows)}"
            _show(row, place, show)
            while (said := _said(read, show)) == "m":
                _show(row, place, show, whole=True)
            if said == "q":
                return
            if said in KEYS:
                decide(path, row, KEYS[said])
    except (EOFError, KeyboardInterrupt):
        show("", "")


def _said(read: Callable[[str], str], show: Show) -> str:
    while True:
        said = read(PROMPT).strip().casefold()
        if said in KEYS or said in ("s", "skip"):
            return said
        if said in ("q", "quit", "m", "more"):
            return said[0]
        show("", 'Type "c", "i", "m", "s" or "q" and Enter.')


def _show(row: Row, place: str, show: Show, *, whole: bool = False) -> None:
    """One case: the long texts first, so that what is compared stands directly above the prompt."""
    show("", f"-------- case {place} --------")
    for heading, text in _long_texts(row):
        show(heading, text if whole else _shortened(text))
    show("question", row["question"])
    if row["answerable"] == "no":
        show("", _REFUSE)
    show("expected answer", row["expected_answer"])
    if row["keywords"]:
        show("keywords", row["keywords"])
    show("answer", row["answer"] or "(empty)")


def _long_texts(row: Row) -> Iterator[tuple[str, str]]:
    if row["case_evidence"]:
        yield "evidence of the case (what it was made from)", row["case_evidence"]
    elif row["answerable"] != "no":
        yield "evidence of the case", "(the suite's text is not here, or the case has none)"
    yield "retrieved (what the system was given)", row["retrieved"] or "(nothing)"
    yield "votes", row["votes"]


def _shortened(text: str) -> str:
    """The first lines of a text, and how much is left out."""
    kept = "\n".join(text.splitlines()[:LINES])[:CHARACTERS]
    left = len(text) - len(kept)
    return f"{kept} … ({left:,} more characters: m shows all)" if left > 0 else text
