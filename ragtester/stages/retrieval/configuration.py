"""The settings that a run retrieved with, and their dump: enough to make the same index and the same search again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from ragtester.provenance import versions
from ragtester.records import TARGET, Manifest
from ragtester.searching.identity import chunker, embedding_identity, route_identity
from ragtester.settings import IndexSettings, RetrievalSettings, Settings

PACKAGES = ("bm25s", "flashrank", "rapidfuzz", "snowballstemmer")


def as_executed(settings: Settings, executed: Manifest | None) -> tuple[Settings, list[str]]:
    """The settings with k, chunker and query path as the run's manifest tells them, and what is set otherwise now."""
    told = executed.parameters if executed else {}
    if "k" not in told:
        return settings, []
    execute = settings.execute
    try:
        index = _index(told)
        names = RetrievalSettings.model_fields
        path = RetrievalSettings.model_validate(
            {key: value for key, value in told.get("retrieval", {}).items() if key in names}
        )
    except ValidationError:
        return settings, ["The run's manifest tells settings that this version does not know; today's are taken."]
    update = {"k": told["k"], "index": index, "retrieval": path}
    changed = [f"execute.{name}" for name, value in update.items() if getattr(execute, name) != value]
    notes = [f"Changed since the run was executed: {', '.join(changed)}. It is audited as executed."] if changed else []
    return settings.model_copy(update={"execute": execute.model_copy(update=update)}), notes


def _index(told: dict[str, Any]) -> IndexSettings:
    names = IndexSettings.model_fields
    cut = {key: value for key, value in told.get("chunker", {}).items() if key in names}
    return IndexSettings.model_validate({**cut, "scope": told.get("scope", "document")})


def configuration(
    settings: Settings, executed: Manifest | None, source: str, embeddings: Iterable[str], indexes: Iterable[str]
) -> dict[str, Any]:
    """What retrieved, for `configuration.json`; of another system it is what its traces tell: models and indexes."""
    audit = settings.audit_retrieval
    found: dict[str, Any] = {"source": source, "run": settings.execute.run, "suite": settings.workspace.suite}
    if executed is not None and source == "answers" and TARGET in executed.parameters:
        found |= {"target": executed.parameters[TARGET], "embedding models": {}}
    elif source != "traces":
        execute = settings.execute
        found |= {
            "k": execute.k,
            "scope": execute.index.scope,
            "chunker": chunker(settings),
            "query path": route_identity(settings),
            "access": settings.access.model_dump(mode="json"),
            "embedding models": {name: embedding_identity(settings, name) for name in embeddings},
        }
    else:
        found |= {"embedding models": {name: {} for name in embeddings}}
    found |= {"index revisions": sorted(set(indexes)), "audit": audit.model_dump(mode="json")}
    if executed is not None and source == "answers":
        found |= {
            "models as asked and as served": executed.models,
            "prompts": executed.prompts,
            "texts": {name: digest for name, digest in executed.inputs.items() if name.startswith("text ")},
            "packages of the run": executed.versions,
            "revision of the run": executed.revision,
        }
    return {**found, "seed": settings.workspace.seed, "packages": versions(*PACKAGES)}
