"""What chunks, vectors and contexts depend on besides the texts: parts of every key."""

from __future__ import annotations

from typing import Any

from ragtester.rag.chunking import VERSION
from ragtester.settings import Settings


def chunker(settings: Settings) -> dict[str, Any]:
    """What the cuts depend on besides the text."""
    return {"version": VERSION, **settings.execute.index.model_dump(mode="json", exclude={"scope"})}


def embedding_identity(settings: Settings, embedding: str) -> dict[str, Any]:
    """What a vector depends on besides the text."""
    options = settings.model(embedding)
    found = {"model": options.model or embedding, "base_url": options.base_url, "dimensions": options.dimensions}
    return {name: value for name, value in found.items() if value is not None}


def route_identity(settings: Settings) -> dict[str, Any]:
    """What a context depends on besides the index and the question: the settings of the query path."""
    return settings.execute.retrieval.model_dump(mode="json")
