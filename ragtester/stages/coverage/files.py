"""What an output audit left on disk, and whether it still speaks of the answers that stand there now."""

from __future__ import annotations

from ragtester.judgement import answer_hashes
from ragtester.records import CoverageContrast, CoverageResult, Manifest
from ragtester.runs import answer_files
from ragtester.storage import read_json
from ragtester.workspace import Workspace

RESULT, CONTRAST, MANIFEST = "result.json", "conflicts.json", "manifest.json"


def read_result(workspace: Workspace, run: str) -> CoverageResult | None:
    """The figures of a run's last output audit; None where there was none. Raises DataError for a file that is none."""
    return read_json(workspace.coverage_audit(run) / RESULT, CoverageResult)


def read_contrast(workspace: Workspace, run: str) -> CoverageContrast | None:
    """The run's last comparison; None where there was none. Raises DataError for a file that is none."""
    return read_json(workspace.coverage_audit(run) / CONTRAST, CoverageContrast)


def coverage_staleness(workspace: Workspace, run: str) -> str:
    """What changed since the audit, in a sentence; empty where nothing did, where it read traces or there was none."""
    made = read_json(workspace.coverage_audit(run) / MANIFEST, Manifest)
    if made is None or made.parameters.get("source") != "answers":
        return ""
    now = answer_hashes(answer_files(workspace, run)[0])
    return "" if now.items() <= made.inputs.items() else "the run's answers changed since the output audit"
