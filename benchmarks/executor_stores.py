"""What the executor embeds, and the memory that it needs.

Usage: `python -m benchmarks.executor_stores matrix|stores|corpus`
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.executor_suite import PARTS, Recorder, gateway_for, peak, resident, settings_for, suite
from ragtester.progress import SilentProgress
from ragtester.rag.chunking import chunk
from ragtester.records import Document
from ragtester.settings import parse_settings
from ragtester.stages.execute import run
from ragtester.tasks import Embedder
from ragtester.workspace import Workspace

LLMS = ("openai:one", "openai:two", "openai:three", "openai:four")
EMBEDDINGS = ("embedded:wordllama", "embedded:hashing", "embedded:rest")


class Counting:
    """Counts the texts that an embedding model gets."""

    def __init__(self, model: str, inner: Embedder) -> None:
        self.model = model
        self.inner = inner
        self.documents = 0
        self.queries = 0

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.documents += len(texts)
        return await self.inner.embed_documents(texts)

    async def embed_queries(self, texts: list[str]) -> list[list[float]]:
        self.queries += len(texts)
        return await self.inner.embed_queries(texts)


async def matrix(_: argparse.Namespace, folder: Path) -> None:
    """A 4 x 3 matrix over one document: stores, chunks and questions embedded; then the same in a second run."""
    suite(folder, 1, 25, sentences=200)
    settings = settings_for("http://127.0.0.1:1/v1", LLMS, EMBEDDINGS, 64)
    async with gateway_for(settings, folder) as gateway:
        inner = {name: gateway.embedder(name) for name in EMBEDDINGS[:2]}
        counting = {name: Counting(name, inner.get(name, inner[EMBEDDINGS[1]])) for name in EMBEDDINGS}
        for name in ("first", "second"):
            data = settings.model_dump(mode="json")
            data["execute"]["run"] = name
            for one in counting.values():
                one.documents = one.queries = 0
            changed = parse_settings(data, "benchmark")
            result = await run(Workspace(folder), changed, Recorder(), counting.__getitem__, SilentProgress())
            texts = sum(one.documents for one in counting.values())
            questions = sum(one.queries for one in counting.values())
            stores = len(list(Workspace(folder).stores.iterdir()))
            print(
                f"{name} run: {result.ledger.ok} rows, {stores} stores, {texts} chunk and {questions} question vectors"
            )


async def stores(options: argparse.Namespace, folder: Path) -> None:
    """Memory and open files over many stores."""
    from ragtester.models.embedded.vectors import hash_texts
    from ragtester.rag.index import open_store, search
    from ragtester.settings import IndexSettings

    class Hashing:
        model = "embedded:hashing"

        async def embed_documents(self, texts: list[str]) -> list[list[float]]:
            made: list[list[float]] = hash_texts(texts).tolist()
            return made

        async def embed_queries(self, texts: list[str]) -> list[list[float]]:
            return await self.embed_documents(texts)

    suite(folder, 1, 10, sentences=600)
    text = Workspace(folder).text_file("main", "manual-000").read_text(encoding="utf-8")
    draft = {"id": "m", "path": "m", "source": "manual", "format": "txt", "sha256": "0", "text_sha256": "0"}
    document = Document(**draft, language="en", characters=len(text))  # type: ignore[arg-type]
    chunks = chunk(document, text, IndexSettings())
    for number in range(options.stores):
        place = folder / "stores" / str(number)

        async def open_it(place: Path = place) -> Any:
            return await open_store(place, "key", chunks, Hashing(), SilentProgress())

        await search(open_it, [f"How often is the {part} checked?" for part in PARTS], 4, SilentProgress())
        if number in (0, 9, options.stores // 2) or number == options.stores - 1:
            handles = len(list(Path("/proc/self/fd").iterdir()))
            print(f"store {number + 1}: {len(chunks)} chunks, {resident():.0f} MB resident, {handles} open files")
    print(f"peak {peak():.0f} MB")


async def corpus(options: argparse.Namespace, folder: Path) -> None:
    """One store for many documents of some 20 chunks: time and memory with models that answer at once."""
    suite(folder, options.documents, options.cases, sentences=190)
    settings = settings_for("", LLMS[:1], EMBEDDINGS[:1], 64, index={"scope": "corpus"})
    print(f"suite of {options.documents} documents written; {resident():.0f} MB resident", flush=True)
    recorder = Recorder(keep=False)
    async with gateway_for(settings, folder) as gateway:
        begun = time.perf_counter()
        result = await run(Workspace(folder), settings, recorder, gateway.embedder, SilentProgress())
    seconds = time.perf_counter() - begun
    print(f"{result.ledger.ok} rows in {seconds:.0f} s; {resident():.0f} MB resident, peak {peak():.0f} MB")


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["matrix", "stores", "corpus"])
    parser.add_argument("--stores", type=int, default=200)
    parser.add_argument("--documents", type=int, default=5000)
    parser.add_argument("--cases", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        asyncio.run({"matrix": matrix, "stores": stores, "corpus": corpus}[options.part](options, Path(name)))


if __name__ == "__main__":
    main()
