"""Where the files of a claims audit lie: `verdicts/<run>/claims/`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ragtester.workspace import Workspace

STAGE = "audit-claims"
"""Name of the audit's call journal."""
NAME = "audit claims"


@dataclass(frozen=True)
class Files:
    """Paths of one audit."""

    folder: Path

    @classmethod
    def of(cls, workspace: Workspace, run: str) -> Files:
        """The audit of one run."""
        return cls(workspace.claims_audit(run))

    @property
    def answers(self) -> Path:
        """One row an answer."""
        return self.folder / "answers.jsonl"

    @property
    def claims(self) -> Path:
        """One row a claim."""
        return self.folder / "claims.jsonl"

    @property
    def result(self) -> Path:
        """The figures."""
        return self.folder / "result.json"

    @property
    def told(self) -> Path:
        """The figures in words and tables."""
        return self.folder / "result.md"

    @property
    def repeats(self) -> Path:
        """What repeats of the run found."""
        return self.folder / "repeats.json"

    @property
    def repeats_told(self) -> Path:
        """The same in words and tables."""
        return self.folder / "repeats.md"

    @property
    def manifest(self) -> Path:
        """What was read, and what checked."""
        return self.folder / "manifest.json"
