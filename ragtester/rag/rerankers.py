"""The reranker that the settings name, and the prompts that the query path asks with."""

from __future__ import annotations

from pathlib import Path

from ragtester.errors import UsageError
from ragtester.rag.reranking import Reranker
from ragtester.settings import Settings
from ragtester.tasks import RANK_PASSAGES, REWRITE_QUERY, Models


def make_reranker(settings: Settings, models: Models, root: Path) -> Reranker | None:  # noqa: ARG001
    """The reranker of `[execute.retrieval] rerank`; None where nothing is reranked. Raises UsageError."""
    if not settings.execute.retrieval.rerank:
        return None
    raise UsageError(f"execute.retrieval.rerank: no reranker named {settings.execute.retrieval.rerank!r}")


def retrieval_prompts(settings: Settings, models: Models) -> dict[str, str]:
    """Hashes of the prompts that the query path asks with, by task; empty where no model takes part in it."""
    retrieval = settings.execute.retrieval
    tasks = [REWRITE_QUERY] if retrieval.rewrite else []
    found = {task.name: models.prompt_sha256(task) for task in tasks}
    if retrieval.rerank and retrieval.rerank.partition(":")[0] not in ("flashrank", "python"):
        found[RANK_PASSAGES.name] = models.prompt_sha256(RANK_PASSAGES)
    return found
