"""The reranker that the settings name, and what answer rows depend on through the models of the query path."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ragtester.errors import UsageError
from ragtester.rag import rerank_flash, rerank_function
from ragtester.rag.rerank_model import ModelReranker
from ragtester.rag.reranking import Reranker
from ragtester.settings import Settings
from ragtester.tasks import RANK_PASSAGES, REWRITE_QUERY, Models

# Rerankers that are asked without the models' gateway.
NO_MODELS = (rerank_flash.PREFIX, rerank_function.PREFIX)


def kind(rerank: str) -> Literal["none", "flashrank", "python", "model"]:
    """Which reranker `[execute.retrieval] rerank` names. Raises UsageError for what is no name of any."""
    if not rerank:
        return "none"
    if rerank.startswith(rerank_flash.PREFIX):
        return "flashrank"
    if rerank.startswith(rerank_function.PREFIX):
        return "python"
    provider, _, model = rerank.partition(":")
    if not provider or not model:
        raise UsageError(
            f"execute.retrieval.rerank: {rerank!r} is no reranker;"
            f" use flashrank:MODEL, {rerank_function.FORM} or a model as provider:model"
        )
    return "model"


def make_reranker(settings: Settings, models: Models, root: Path) -> Reranker | None:
    """The reranker of `[execute.retrieval] rerank`; None where nothing is reranked. `root` is the workspace.

    Raises UsageError for one that cannot work, and MissingPackageError.
    """
    name = settings.execute.retrieval.rerank
    match kind(name):
        case "flashrank":
            return rerank_flash.make_flash(name, root)
        case "python":
            return rerank_function.FunctionReranker(name, rerank_function.load_function(name, root))
        case "model":
            return ModelReranker(name, models)
        case _:
            return None


def check_reranker(settings: Settings, root: Path) -> None:
    """Raise what `make_reranker` would, without loading a model: before anything is paid."""
    name = settings.execute.retrieval.rerank
    match kind(name):
        case "flashrank":
            rerank_flash.check_flash(name, root)
        case "python":
            rerank_function.load_function(name, root)


def retrieval_prompts(settings: Settings, models: Models, root: Path) -> dict[str, str]:
    """Hashes of what the query path asks with, empty where nothing takes part in it.

    By task the prompts; as `reranker` the files of a function or of a model on this machine. Raises as `make_reranker`.
    """
    retrieval = settings.execute.retrieval
    name = retrieval.rerank
    found = {REWRITE_QUERY.name: models.prompt_sha256(REWRITE_QUERY)} if retrieval.rewrite else {}
    match kind(name):
        case "flashrank":
            found["reranker"] = rerank_flash.flash_sha256(name, root)
        case "python":
            found["reranker"] = rerank_function.function_sha256(name, root)
        case "model":
            found[RANK_PASSAGES.name] = models.prompt_sha256(RANK_PASSAGES)
    return found
