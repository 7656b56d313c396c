"""The files of a run's fixtures: `verdicts/<run>/adversarial/`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtester.provenance import begin_manifest, end_manifest
from ragtester.records import AdversarialResult, AdversarialRow
from ragtester.stages.adversarial.document import adversarial_document
from ragtester.storage import read_json, read_rows, write_json, write_rows, write_text
from ragtester.tables.csv_files import csv_files
from ragtester.tables.markdown import markdown
from ragtester.workspace import Workspace

STAGE = "adversarial"


@dataclass(frozen=True)
class Files:
    """Paths of one run's fixtures."""

    folder: Path

    @classmethod
    def of(cls, workspace: Workspace, run: str) -> Files:
        """Those of a run."""
        return cls(workspace.adversarial(run))

    @property
    def rows(self) -> Path:
        """One row a fixture and system."""
        return self.folder / "rows.jsonl"

    @property
    def result(self) -> Path:
        """The figures."""
        return self.folder / "result.json"

    def write(
        self, result: AdversarialResult, rows: Sequence[AdversarialRow], inputs: Mapping[str, str], **facts: Any
    ) -> None:
        """All files; they are made anew from answers and verdicts, which alone cost anything.

        `facts` are the manifest's parameters and seed.
        """
        manifest = begin_manifest(STAGE, result.run, models={}, inputs=inputs, **facts)
        write_json(self.folder / "manifest.json", manifest)
        write_rows(self.rows, rows)
        write_json(self.result, result)
        document = adversarial_document(result, rows, full=True)
        write_text(self.folder / "result.md", [markdown(document)])
        for name, text in csv_files(document).items():
            write_text(self.folder / "tables" / name, [text])
        counts = {"readings": result.whole.readings}
        ended = end_manifest(manifest, ledger=result.ledger, counts=counts, outputs=(self.rows, self.result))
        write_json(self.folder / "manifest.json", ended)


def read_result(workspace: Workspace, run: str) -> AdversarialResult | None:
    """What the fixtures of a run showed last; None where they were never asked. Raises DataError."""
    return read_json(Files.of(workspace, run).result, AdversarialResult)


def read_rows_on_disk(workspace: Workspace, run: str) -> list[AdversarialRow]:
    """The rows behind that result; empty where there are none. Raises DataError."""
    return read_rows(Files.of(workspace, run).rows, AdversarialRow)
