"""The whole execute stage against a bare `AsyncOpenAI` loop, and what it embeds.

A loopback server in a process of its own answers after a fixed time. The stage's work is all counted: cutting, stores,
retrieval, prompts, parsing, rows on disk. The bare loop sends the same prompts and does nothing else. Both run in
turn in this process; the first round of each warms up. Usage:
`python -m benchmarks.executor [--calls 1500] [--concurrency 64] [--latency 0.2] [--rounds 2]`
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from ragtester.models.gateway import Gateway
from ragtester.models.rendering import Renderer
from ragtester.progress import SilentProgress, StageResult
from ragtester.provenance import sha256_text
from ragtester.rag.chunking import chunk
from ragtester.records import Call, Case, Document, Evidence
from ragtester.settings import Settings, parse_settings
from ragtester.stages.execute import run
from ragtester.storage import write_rows, write_text
from ragtester.tasks import ANSWER_QUESTION, AnswerQuestion, Asked, Embedder, QuestionAnswered
from ragtester.workspace import Workspace

LLMS = ("openai:one", "openai:two", "openai:three", "openai:four")
EMBEDDINGS = ("embedded:wordllama", "embedded:hashing", "embedded:rest")
PARTS = ("pump", "valve", "filter", "gasket", "rotor", "sensor", "cable", "strainer", "bearing", "coupling")
VERBS = ("is checked", "is replaced", "is greased", "must be drained", "is calibrated", "may be bypassed")


def suite(root: Path, documents: int, cases: int, sentences: int) -> None:
    """Write a suite of synthetic manuals, about 90 characters a sentence."""
    draw = random.Random(3)
    rows = []
    for number in range(documents):
        lines = [
            f"In unit {draw.randint(1, 900)} the {draw.choice(PARTS)} {draw.choice(VERBS)} every "
            f"{draw.randint(2, 400)} hours by {draw.randint(1, 4)} people who sign the log."
            for _ in range(sentences)
        ]
        text = "\n".join(" ".join(lines[start : start + 5]) for start in range(0, sentences, 5))
        document = Document(
            id=f"manual-{number:03}",
            path=f"manual-{number:03}.txt",
            source="manual",
            format="txt",
            sha256=sha256_text(str(number)),
            text_sha256=sha256_text(text),
            language="en",
            characters=len(text),
        )
        workspace = Workspace(root)
        write_text(workspace.text_file("main", document.id), [text])
        write_rows(workspace.cases_file("main", "ragtester", document.id), _cases(document, text, lines[:cases]))
        rows.append(document)
    write_rows(Workspace(root).documents_file("main"), rows)


def _cases(document: Document, text: str, lines: list[str]) -> Iterable[Case]:
    for number, line in enumerate(lines):
        start = text.index(line)
        yield Case(
            id=f"{document.id}/{number}",
            key=str(number),
            document_id=document.id,
            document_sha256=document.sha256,
            technique="ragtester",
            type="complexity",
            language="en",
            question=f"How often does this apply: {line[:60]}?",
            expected_answer=line,
            evidence=(Evidence(start=start, end=start + len(line)),),
            model="embedded:rules",
            prompt_sha256="0",
        )


class Recorder:
    """Models that answer at once and keep the requests: gives the prompts, and the stage's own cost."""

    def __init__(self) -> None:
        self.requests: list[AnswerQuestion] = []

    async def ask(self, model: str, task: Any, request: Any) -> Asked[Any]:  # noqa: ARG002
        self.requests.append(request)
        await asyncio.sleep(0)
        return Asked(QuestionAnswered(answer="every 12 hours", refuses=False), Call(model=model))

    def prompt_sha256(self, task: Any) -> str:  # noqa: ARG002
        return "0"


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


def settings_for(url: str, llms: Iterable[str], embeddings: Iterable[str], concurrency: int) -> Settings:
    """Settings of a matrix whose LLMs are all served at `url`."""
    data = {
        "execute": {"groups": [{"llms": list(llms), "embeddings": list(embeddings)}]},
        "models": {llm: {"base_url": url, "prompt_price": 1.0, "completion_price": 1.0} for llm in llms},
        "providers": {"openai": {"concurrency": concurrency}},
    }
    return parse_settings(data, "benchmark")


@asynccontextmanager
async def gateway_for(settings: Settings, root: Path) -> AsyncIterator[Gateway]:
    async with Gateway(settings, journal=Workspace(root).journal("execute", "main"), root=root) as gateway:
        yield gateway


async def timed(work: Awaitable[Any], calls: int) -> tuple[float, float, Any]:
    """Wall seconds, CPU milliseconds a call of this process (all its threads), and the result."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = await work
    return time.perf_counter() - wall, (time.process_time() - cpu) / calls * 1000, result


async def stage(settings: Settings, source: Path, root: Path) -> StageResult:
    shutil.copytree(source / "generated", root / "generated")
    async with gateway_for(settings, root) as gateway:
        result = await run(Workspace(root), settings, gateway, gateway.embedder, SilentProgress())
    assert result.ledger.ok == result.ledger.planned, result
    return result


async def bare(url: str, prompts: list[tuple[str, str]], concurrency: int) -> None:
    from openai import AsyncOpenAI

    places = asyncio.Semaphore(concurrency)
    async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

        async def once(system: str, user: str) -> None:
            async with places:
                messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
                reply = await client.chat.completions.create(model="one", messages=messages)  # type: ignore[arg-type]
                assert reply.choices[0].message.content

        await asyncio.gather(*(once(*prompt) for prompt in prompts))


async def compare(url: str, options: argparse.Namespace, folder: Path) -> None:
    """Time the stage and the bare loop in turn and print the ratios of the best rounds."""
    llms, cases = LLMS, 75
    documents = max(1, options.calls // (len(llms) * cases))
    calls = documents * len(llms) * cases
    source = folder / "source"
    suite(source, documents, cases, sentences=200)
    settings = settings_for(url, llms, ("embedded:wordllama",), options.concurrency)
    recorder = Recorder()
    async with gateway_for(settings, source) as gateway:
        work = run(Workspace(source), settings, recorder, gateway.embedder, SilentProgress())
        wall, cpu, _ = await timed(work, calls)
    print(f"stage with models that answer at once: {wall:.1f} s, {cpu:.2f} ms CPU a call (with imports)")
    renderer = Renderer(None)
    prompts = [renderer.render(ANSWER_QUESTION, request) for request in recorder.requests]
    best: dict[str, tuple[float, float]] = {}
    for number in range(options.rounds + 1):
        root = folder / f"round-{number}"
        loops: dict[str, Awaitable[Any]] = {
            "bare AsyncOpenAI": bare(url, prompts, options.concurrency),
            "execute stage": stage(settings, source, root),
        }
        for name, loop in loops.items():
            wall, cpu, _ = await timed(loop, calls)
            ideal = calls / options.concurrency * options.latency
            told = f"{name}: {wall:.2f} s ({wall / ideal:.2f} x ideal), {cpu:.2f} ms CPU a call"
            print(told if number else f"warm-up {told}", flush=True)
            if number:
                old = best.get(name, (wall, cpu))
                best[name] = (min(old[0], wall), min(old[1], cpu))
    (bare_wall, bare_cpu), (wall, cpu) = best["bare AsyncOpenAI"], best["execute stage"]
    print(f"{calls} calls: wall {wall / bare_wall:.2f} x bare, CPU a call {cpu / bare_cpu:.2f} x bare")


async def matrix(url: str, options: argparse.Namespace, folder: Path) -> None:
    """A 4 x 3 matrix over one document: stores, chunks and questions embedded; then the same in a second run."""
    suite(folder, 1, 25, sentences=200)
    settings = settings_for(url, LLMS, EMBEDDINGS, options.concurrency)
    async with gateway_for(settings, folder) as gateway:
        inner = {name: gateway.embedder(name) for name in EMBEDDINGS[:2]}
        counting = {name: Counting(name, inner.get(name, inner[EMBEDDINGS[1]])) for name in EMBEDDINGS}
        for name in ("first", "second"):
            data = settings.model_dump(mode="json")
            data["execute"]["run"] = name
            for one in counting.values():
                one.documents = one.queries = 0
            changed = parse_settings(data, "benchmark")
            result = await run(Workspace(folder), changed, gateway, counting.__getitem__, SilentProgress())
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
            print(f"store {number + 1}: {len(chunks)} chunks, {_resident():.0f} MB resident, {handles} open files")
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def _resident() -> float:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize() / 1e6


def main() -> None:
    """Run one part: `compare` (default), `matrix` or `stores`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["compare", "matrix", "stores"], nargs="?", default="compare")
    parser.add_argument("--calls", type=int, default=1500)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--stores", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if options.part == "stores":
            asyncio.run(stores(options, Path(name)))
            return
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.servers.openai_api", str(options.latency)], stdout=subprocess.PIPE, text=True
        )
        try:
            assert server.stdout is not None
            url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
            part = compare if options.part == "compare" else matrix
            asyncio.run(part(url, options, Path(name)))
        finally:
            server.kill()
            server.wait()


if __name__ == "__main__":
    main()
