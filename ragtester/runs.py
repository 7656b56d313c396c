"""Which row files of a run belong to its last execution.

A document that was taken out of the corpus, or a system that was taken out of the matrix, leaves its files behind:
they were paid for and may be wanted again. They are not part of the run any more, so whoever reads a run asks here.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ragtester.errors import UsageError
from ragtester.records import Answer, Manifest
from ragtester.settings import if_absent
from ragtester.storage import iter_rows, read_json
from ragtester.workspace import Workspace, slug

_REPEAT = re.compile(r"(?P<run>.+)\.repeat-(?P<number>[2-9]|[1-9][0-9]+)", re.S)
STARTER = "starter"
"""The set of adversarial fixtures that ships with ragtester."""
_FIXTURES = re.compile(r"(?P<run>.+)\.adversarial(?:-.+?)?(?:\.k[1-9][0-9]*)?", re.S)


def answer_files(workspace: Workspace, run: str) -> tuple[list[Path], list[Path]]:
    """The run's answer files that belong to it, and those that were left behind; each by document, then system."""
    folder = workspace.answers(run)
    made = read_json(folder / "manifest.json", Manifest)
    found = [path for path in folder.glob("*/*.jsonl") if path.parent.name != "chunks"]
    current: list[Path] = []
    left: list[Path] = []
    for path in sorted(found, key=lambda path: (path.name, path.parent.name)):
        first = next(iter_rows(path, Answer), None)
        if first is not None:
            (current if made is None or _belongs(first, made) else left).append(path)
    return current, left


def no_answers(workspace: Workspace, run: str, command: str = "ragtester execute") -> UsageError:
    """What to raise for a run without answers; `command` makes them."""
    told = f"no answers; run `{command}` first, or name another run{if_absent(workspace.root)}"
    return UsageError(f"{workspace.answers(run)}: {told}")


def verdict_files(workspace: Workspace, run: str) -> list[Path]:
    """The verdict files that mirror the run's answer files."""
    folder = workspace.verdicts(run)
    mirrored = (folder / path.parent.name / path.name for path in answer_files(workspace, run)[0])
    return [path for path in mirrored if path.is_file()]


def _belongs(row: Answer, made: Manifest) -> bool:
    """Whether the execution that the manifest speaks of planned this row's document and system."""
    documents: set[str] = {name.removeprefix("text ") for name in made.inputs if name.startswith("text ")}
    llms: dict[str, Any] = made.parameters.get("llms") or {}
    embeddings: dict[str, Any] = made.parameters.get("embeddings") or {}
    known = (not llms or row.llm in llms) and (not embeddings or row.embedding in embeddings)
    return known and (not documents or row.document_id in documents)


def repeat_name(run: str, number: int) -> str:
    """Name of the run's repeat; the first time is the run itself. Raises ValueError for a number below 1."""
    if number < 1:
        raise ValueError(f"repeat {number}")
    return run if number == 1 else f"{run}.repeat-{number}"


def repeated_run(name: str) -> str | None:
    """The run that a run of this name would repeat; None for a name that is not one of a repeat."""
    found = _REPEAT.fullmatch(name)
    return found["run"] if found else None


def fixtures_run(run: str, set_name: str, k: int | None = None) -> str:
    """Name of the run that asks a set of fixtures, those with a K of their own apart; the starter set's is plain."""
    own = "" if set_name == STARTER else f"-{set_name}"
    return f"{run}.adversarial{own}" + ("" if k is None else f".k{k}")


def asked_fixtures(name: str) -> str | None:
    """The run whose fixtures a run of this name asks; None for a name that is not one of fixtures."""
    found = _FIXTURES.fullmatch(name)
    return found["run"] if found else None


def repeats_of(workspace: Workspace, run: str) -> list[str]:
    """The repeats of a run that were executed, at least in part, by their numbers; without the run itself."""
    numbers: list[int] = []
    for path in (workspace.root / "answers").glob("*/manifest.json"):
        made = read_json(path, Manifest)
        found = _REPEAT.fullmatch(made.name) if made else None
        if found and found["run"] == run and path.parent.name == slug(made.name if made else ""):
            numbers.append(int(found["number"]))
    return [repeat_name(run, number) for number in sorted(numbers)]
