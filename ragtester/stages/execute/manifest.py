"""The manifest of a run as it begins: what its rows are made from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ragtester.provenance import begin_manifest, sha256_file
from ragtester.records import NO_RETRIEVAL, TARGET, Manifest
from ragtester.searching.identity import route_identity
from ragtester.searching.suite import Suite, case_files
from ragtester.searching.tagged import TAGS
from ragtester.settings import Settings
from ragtester.stages.execute.plan import Keys, matrix
from ragtester.tasks import Task

STAGE = "execute"


def begun(settings: Settings, keys: Keys, task: Task[Any, Any], inputs: dict[str, str]) -> Manifest:
    """The manifest without an end: no ledger, no counts, no served models."""
    pairs = matrix(settings)
    llms = dict.fromkeys(llm for llms in pairs.values() for llm in llms)
    ours = not (settings.execute.is_control or settings.target.name)
    searching = route_identity(settings).get("models", ()) if ours else ()
    names = [*llms, *(name for name in pairs if name not in (NO_RETRIEVAL, TARGET)), *searching]
    return begin_manifest(
        STAGE,
        settings.execute.run,
        seed=settings.workspace.seed,
        models=dict.fromkeys(names),
        inputs={**inputs, **(keys.target.watched if keys.target else {})},
        prompts={} if keys.target else {task.name: keys.prompt_sha256},
        parameters=keys.parameters(),
    )


def inputs(suite: Suite, belongs: Callable[[str, str], bool]) -> dict[str, str]:
    """Hashes of every text, and of the case files (folder of a technique, document) that belong to the run.

    Tags of documents stand there as they are.
    """
    found = {f"text {document.id}": document.text_sha256 for document in suite.documents}
    found |= {f"{TAGS}{document.id}": " ".join(document.tags) for document in suite.documents if document.tags}
    folders = suite.techniques()
    for document in suite.documents:
        for path in case_files(folders, document):
            if belongs(path.parent.name, document.id):
                found[cases_input(path.parent.name, document.id)] = sha256_file(path)
    return found


def cases_input(folder: str, document_id: str) -> str:
    """The name of a case file among a manifest's inputs."""
    return f"cases {folder}/{document_id}"
