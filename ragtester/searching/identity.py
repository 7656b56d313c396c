"""What chunks, vectors and contexts depend on besides the texts: parts of every key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ragtester.rag import index
from ragtester.rag.chunk_units import unit_version
from ragtester.rag.chunking import version
from ragtester.rag.rerankers import NO_MODELS
from ragtester.records import Document
from ragtester.settings import Settings

# Settings of a model that change what it costs or how it is reached, but not what it says.
NOT_CONTENT = {"api_key_env", "prompt_price", "completion_price", "batch_size"}


def chunker(settings: Settings) -> dict[str, Any]:
    """What the cuts depend on besides the text."""
    index = settings.execute.index
    return {"version": version(index), **index.model_dump(mode="json", exclude={"scope"})}


def embedding_identity(settings: Settings, embedding: str) -> dict[str, Any]:
    """What a vector depends on besides the text."""
    options = settings.model(embedding)
    found = {"model": options.model or embedding, "base_url": options.base_url, "dimensions": options.dimensions}
    return {name: value for name, value in found.items() if value is not None}


def route_identity(settings: Settings) -> dict[str, Any]:
    """What a context depends on besides the index and the question: the query path and the models asked on it."""
    retrieval = settings.execute.retrieval
    asked = {
        name: settings.model(name).model_dump(mode="json", exclude=NOT_CONTENT, exclude_none=True)
        for name in (retrieval.rewrite, retrieval.rerank)
        if name and not name.startswith(NO_MODELS)
    }
    counted = unit_version(retrieval.budget_unit) if retrieval.budget else ""
    seed = str(settings.workspace.seed) if retrieval.order == "shuffle" else ""
    found = {"models": asked, "tokenizer": counted, "seed": seed}
    return {**retrieval.model_dump(mode="json"), **{name: value for name, value in found.items() if value}}


def store_key(documents: Iterable[Document], settings: Settings, embedding: str) -> str:
    """Key of the store that holds these documents under an embedding model."""
    texts = [f"{document.id} {document.text_sha256}{_language(document, settings)}" for document in documents]
    return index.store_key(texts, chunker(settings), embedding_identity(settings, embedding))


def _language(document: Document, settings: Settings) -> str:
    """The language, where the cuts depend on it."""
    return f" {document.language}" if settings.execute.index.chunker == "sentence-window" else ""
