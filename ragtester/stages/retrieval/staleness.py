"""Whether an audit still speaks of the answers and verdicts that stand there now."""

from __future__ import annotations

from ragtester.judgement import answer_hashes
from ragtester.records import Manifest
from ragtester.runs import answer_files, verdict_files
from ragtester.stages.retrieval.files import Files
from ragtester.storage import read_json
from ragtester.workspace import Workspace


def state_of(workspace: Workspace, run: str) -> dict[str, str]:
    """Hashes of the run's answers and verdicts, by system."""
    answers = answer_hashes(answer_files(workspace, run)[0])
    verdicts = answer_hashes(verdict_files(workspace, run))
    return {f"answers {name}": one for name, one in answers.items()} | {
        f"verdicts {name}": one for name, one in verdicts.items()
    }


def retrieval_staleness(workspace: Workspace, run: str) -> str:
    """What changed since the audit, in a sentence; empty where nothing did, or where it read no answers."""
    made = read_json(Files.of(workspace, run).manifest, Manifest)
    if made is None or made.parameters.get("source") != "answers":
        return ""
    known = {name: digest for name, digest in made.inputs.items() if name.startswith(("answers ", "verdicts "))}
    now = state_of(workspace, run)
    changed = [kind for kind in ("answers", "verdicts") if _of(kind, known) != _of(kind, now)]
    return f"{' and '.join(changed)} changed since the audit" if changed else ""


def _of(kind: str, hashes: dict[str, str]) -> dict[str, str]:
    return {name: digest for name, digest in hashes.items() if name.startswith(f"{kind} ")}
