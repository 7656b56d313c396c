"""Whether an audit still speaks of the answers that stand there now."""

from __future__ import annotations

from ragtester.judgement import answer_hashes
from ragtester.records import Manifest
from ragtester.runs import answer_files
from ragtester.stages.claims.files import Files
from ragtester.storage import read_json
from ragtester.workspace import Workspace


def claims_staleness(workspace: Workspace, run: str) -> str:
    """What changed since the audit, in a sentence; empty where nothing did, or where there was none."""
    made = read_json(Files.of(workspace, run).manifest, Manifest)
    if made is None or made.inputs == answer_hashes(answer_files(workspace, run)[0]):
        return ""
    return "the run's answers changed since the claims audit"
