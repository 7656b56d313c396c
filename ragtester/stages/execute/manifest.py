"""The manifest of a run as it begins: what its rows are made from."""

from __future__ import annotations

from typing import Any

from ragtester.provenance import begin_manifest, sha256_file
from ragtester.records import NO_RETRIEVAL, Manifest
from ragtester.settings import Settings
from ragtester.stages.execute.plan import Keys, matrix
from ragtester.stages.execute.suite import Suite
from ragtester.tasks import Task

STAGE = "execute"


def begun(settings: Settings, suite: Suite, keys: Keys, task: Task[Any, Any]) -> Manifest:
    """The manifest without an end: no ledger, no counts, no served models."""
    pairs = matrix(settings)
    llms = dict.fromkeys(llm for llms in pairs.values() for llm in llms)
    names = [*llms, *(name for name in pairs if name != NO_RETRIEVAL)]
    return begin_manifest(
        STAGE,
        settings.execute.run,
        seed=settings.workspace.seed,
        models=dict.fromkeys(names),
        inputs=_inputs(suite),
        prompts={task.name: keys.prompt_sha256},
        parameters=keys.parameters(),
    )


def _inputs(suite: Suite) -> dict[str, str]:
    """Hashes of every text and case file."""
    inputs = {f"text {document.id}": document.text_sha256 for document in suite.documents}
    for document in suite.documents:
        for path in suite.files(document):
            inputs[f"cases {path.parent.name}/{document.id}"] = sha256_file(path)
    return inputs
