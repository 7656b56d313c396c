"""Reading what a comparison stands on, and writing it in every format."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from ragtester.records import PrecisionResult
from ragtester.results import Results
from ragtester.stages.compare.document import Side
from ragtester.stages.compare.suite_quality import read_manifests
from ragtester.storage import read_json, write_text
from ragtester.tables import Document
from ragtester.tables.cells import file_names
from ragtester.tables.csv_files import csv_files
from ragtester.tables.json_text import FORMAT, json_text
from ragtester.tables.latex import latex, latex_files
from ragtester.tables.markdown import markdown
from ragtester.workspace import Workspace

NAME = "comparison"


def read_side(
    workspace: Workspace,
    results: Results,
    calibrations: Mapping[str, bool],
    stale_audits: Mapping[str, Sequence[str]],
    seed: int,
) -> Side:
    """The precision audits of those runs that have one, and the manifests of their suites.

    `calibrations` are sentences on calibrations of the oracle, each with whether it still holds; `stale_audits` says by
    run why its precision audit does not.
    """
    files = (workspace.audits(run.name) / "precision" / "result.json" for run in results.runs)
    audits = [audit for path in files if (audit := read_json(path, PrecisionResult)) is not None]
    stale = [text for text, holds in calibrations.items() if not holds]
    return Side(audits, read_manifests(workspace, results), list(calibrations), stale, stale_audits, seed)


def tables_folder(workspace: Workspace, runs: Sequence[str]) -> Path:
    """`reports/<run>/tables/`; several runs share a folder that names them all."""
    return workspace.reports("+".join(runs)) / "tables"


def write_document(document: Document, folder: Path) -> list[Path]:
    """Write Markdown, JSON and LaTeX as one file each, and a CSV and a LaTeX file a table; gives what was written.

    Table files of an earlier comparison that this one does not have are taken away, and nothing else.
    """
    texts = {f"{NAME}.md": markdown(document), f"{NAME}.json": json_text(document), f"{NAME}.tex": latex(document)}
    texts |= {f"csv/{name}": text for name, text in csv_files(document).items()}
    texts |= {f"latex/{name}": text for name, text in latex_files(document).items()}
    for name in _earlier(folder / f"{NAME}.json"):
        if name not in texts:
            (folder / name).unlink(missing_ok=True)
    for name, text in texts.items():
        write_text(folder / name, [text])
    return [folder / name for name in texts]


def _earlier(path: Path) -> list[str]:
    """Table files of the comparison that `path` holds; none where it holds something else."""
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
        if tree["format"] != FORMAT:
            return []
        parts = [part for section in tree["sections"] for part in section["parts"]]
        names = file_names([part["id"] for part in parts if part["kind"] == "table"])
    except (OSError, ValueError, KeyError, TypeError):
        return []  # no file, or none of ours: then nothing of it is to be taken away
    return [f"csv/{name}.csv" for name in names] + [f"latex/{name}.tex" for name in names]
