"""What is slow the first time in a process, done before anything is timed: it is no time of the first setting."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from ragtester.progress import Progress
from ragtester.provenance import sha256_text
from ragtester.rag import chroma, index
from ragtester.rag.sparse import Sparse
from ragtester.rag.store import Store
from ragtester.records import Chunk
from ragtester.tasks import Embedder

TEXTS = tuple(f"The pump of row {number} holds {number} litres of oil." for number in range(64))


class _Fixed:
    """Stands for a model whose requests cost: the database is warmed with its vectors all the same."""

    def __init__(self, model: str) -> None:
        self.model = model

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[1.0, float(len(text)), float(at)] for at, text in enumerate(texts)]

    async def embed_queries(self, texts: list[str]) -> list[list[float]]:
        return await self.embed_documents(texts)


async def warm_up(
    embedders: Callable[[str], Embedder], embeddings: Iterable[str], languages: Iterable[str], progress: Progress
) -> None:
    """Fill, ask and close a small store under each embedding model, and a BM25 index in each language.

    Embedded models are loaded and asked; others are sent nothing. Nothing of it is kept. Raises StorageError.
    """
    chunks = [
        Chunk(
            id=f"warm:{sha256_text(text)[:8]}:{at}", document_id="warm", ordinal=at, start=0, end=len(text), text=text
        )
        for at, text in enumerate(TEXTS)
    ]
    for language in languages:
        Sparse(chunks, {"warm": language}).nearest([(TEXTS[0], language)], 1)
    names = [name for name in embeddings if name]
    if names:
        chroma.load()
    with TemporaryDirectory(prefix="ragtester-") as folder:
        for at, name in enumerate(names):
            embedder = embedders(name) if name.startswith("embedded:") else _Fixed(name)

            async def open_it(place: Path = Path(folder) / str(at), embedder: Embedder = embedder) -> Store:
                return await index.open_store(place, "warm", chunks, embedder, progress)

            await index.search(open_it, [TEXTS[0]], 1, progress)
