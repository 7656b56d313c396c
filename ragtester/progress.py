"""What a stage tells while it runs, and what it hands back when it ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ragtester.records import Ledger


class Progress(Protocol):
    """Receives a stage's progress; the command line draws bars or plain lines with it."""

    def start(self, stage: str, planned: int) -> None:
        """A stage (or a part of one) begins; `planned` rows are expected."""
        ...

    def advance(self, *, failed: bool = False, cost: float | None = None, count: int = 1) -> None:
        """Rows are on disk (or were already there)."""
        ...

    def note(self, message: str) -> None:
        """One line that the user should read: a notice, a warning, a named reason."""
        ...

    def finish(self) -> None:
        """The stage is over."""
        ...


class SilentProgress:
    """Progress for nobody: keeps the notes, draws nothing."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def start(self, stage: str, planned: int) -> None:
        """Do nothing."""

    def advance(self, *, failed: bool = False, cost: float | None = None, count: int = 1) -> None:
        """Do nothing."""

    def note(self, message: str) -> None:
        """Keep the note."""
        self.notes.append(message)

    def finish(self) -> None:
        """Do nothing."""


@dataclass(frozen=True)
class StageResult:
    """How a stage ended: its ledger, counts for the summary, and where its files lie."""

    stage: str
    ledger: Ledger
    output: Path
    counts: dict[str, Any] = field(default_factory=dict)
    stopped: str = ""

    @property
    def exit_code(self) -> int:
        """0 done; 3 finished, but rows failed, were skipped or not graded, or files could not be read.

        A case that is unfilled for want of a good question is accounted for in the ledger and is no failure.
        """
        troubled = self.ledger.failed or self.ledger.skipped or self.stopped or self.counts.get("unreadable")
        return 3 if troubled else 0
