"""Where the files of a retrieval audit lie, and how they are written: `verdicts/<run>/retrieval/`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtester.errors import DataError
from ragtester.records import NOT_RETRIEVAL, AuditedQuery, AuditSource, RetrievalResult
from ragtester.stages.retrieval.document import access_document, retrieval_document
from ragtester.stages.retrieval.query_table import NAME, query_table
from ragtester.storage import write_json, write_rows, write_text
from ragtester.tables.csv_files import csv_files, csv_text
from ragtester.tables.markdown import markdown
from ragtester.workspace import Workspace

STAGE = "audit-retrieval"
"""Name of the audit's call journal."""


@dataclass(frozen=True)
class Files:
    """Paths of one audit."""

    folder: Path

    @classmethod
    def of(cls, workspace: Workspace, run: str) -> Files:
        """The audit of one run."""
        return cls(workspace.retrieval_audit(run))

    @property
    def queries(self) -> Path:
        """One row a query and embedding model."""
        return self.folder / "queries.jsonl"

    @property
    def not_retrieval(self) -> Path:
        """The rows that no change of the search would mend."""
        return self.folder / "not_retrieval.jsonl"

    @property
    def result(self) -> Path:
        """The figures."""
        return self.folder / "result.json"

    @property
    def configuration(self) -> Path:
        """What retrieved: models, chunker, index, arms, fusion, filters, rerank, packing, versions."""
        return self.folder / "configuration.json"

    @property
    def manifest(self) -> Path:
        """What was read."""
        return self.folder / "manifest.json"

    def read_configuration(self) -> dict[str, Any]:
        """What retrieved, as it was written; empty where it was not. Raises DataError."""
        if not self.configuration.exists():
            return {}
        try:
            found = json.loads(self.configuration.read_text(encoding="utf-8"))
        except ValueError as error:
            raise DataError(f"{self.configuration}: not valid JSON; audit that run again") from error
        return found if isinstance(found, dict) else {}

    def replaces_answers(self, source: AuditSource) -> bool:
        """Whether an audit of the run's own answers stands here that one from `source` would replace."""
        if source == "answers" or not self.result.exists():
            return False
        try:
            old = json.loads(self.result.read_text(encoding="utf-8"))
        except ValueError:
            return False  # whatever it was, it is made anew
        return isinstance(old, dict) and old.get("source") == "answers"

    def write(self, rows: Iterable[AuditedQuery], result: RetrievalResult, configuration: Mapping[str, Any]) -> None:
        """All files but the manifest; tables of an earlier audit that this one lacks are taken away."""
        kept = list(rows)
        write_rows(self.queries, kept)
        write_rows(self.not_retrieval, (row for row in kept if row.diagnosis and row.diagnosis.stage in NOT_RETRIEVAL))
        write_json(self.result, result)
        text = json.dumps(configuration, ensure_ascii=False, allow_nan=False, indent=2)
        write_text(self.configuration, [text + "\n"])
        document = retrieval_document(result)
        write_text(self.folder / "result.md", [markdown(document)])
        write_text(self.folder / "access.md", [markdown(access_document(result))])
        made = {**csv_files(document), f"{NAME}.csv": csv_text(query_table(kept))}
        tables = self.folder / "tables"
        for path in tables.glob("*.csv"):
            if path.name not in made:
                path.unlink()
        for name, content in made.items():
            write_text(tables / name, [content])
