"""Where the files of a precision audit lie: `audits/<run>/precision/`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ragtester.workspace import Workspace, slug

STAGE = "audit-precision"
"""Name of the audit's call journal."""


@dataclass(frozen=True)
class Files:
    """Paths of one audit."""

    folder: Path

    @classmethod
    def of(cls, workspace: Workspace, run: str) -> Files:
        """The audit of one run."""
        return cls(workspace.audits(run) / "precision")

    @property
    def sample(self) -> Path:
        """Who was drawn, written before anyone votes."""
        return self.folder / "sample.jsonl"

    def votes(self, voter: str) -> Path:
        """The votes of one member."""
        return self.folder / "votes" / f"{slug(voter)}.jsonl"

    @property
    def review(self) -> Path:
        """What a person fills in."""
        return self.folder / "review.csv"

    @property
    def decisions(self) -> Path:
        """What came of every sampled answer."""
        return self.folder / "decisions.jsonl"

    @property
    def result(self) -> Path:
        """The figures."""
        return self.folder / "result.json"

    @property
    def manifest(self) -> Path:
        """What the sample was drawn from, and what voted."""
        return self.folder / "manifest.json"
