"""What the executor's benchmarks share: a synthetic suite, settings, a loopback server, clocks."""

from __future__ import annotations

import asyncio
import gc
import random
import resource
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from ragtester.models.gateway import Gateway
from ragtester.provenance import sha256_text
from ragtester.records import Call, Case, Document, Evidence
from ragtester.settings import Settings, parse_settings
from ragtester.storage import write_rows, write_text
from ragtester.tasks import AnswerQuestion, Asked, QuestionAnswered
from ragtester.workspace import Workspace

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

    def __init__(self, *, keep: bool = True) -> None:
        self.keep = keep
        self.requests: list[AnswerQuestion] = []

    async def ask(self, model: str, task: Any, request: Any) -> Asked[Any]:  # noqa: ARG002
        if self.keep:
            self.requests.append(request)
        await asyncio.sleep(0)
        return Asked(QuestionAnswered(answer="every 12 hours", refuses=False), Call(model=model))

    def prompt_sha256(self, task: Any) -> str:  # noqa: ARG002
        return "0"


def settings_for(
    url: str, llms: Iterable[str], embeddings: Iterable[str], concurrency: int, **execute: Any
) -> Settings:
    """Settings of a matrix whose LLMs are all served at `url`."""
    data = {
        "execute": {"groups": [{"llms": list(llms), "embeddings": list(embeddings)}], **execute},
        "models": {llm: {"base_url": url, "prompt_price": 1.0, "completion_price": 1.0} for llm in llms},
        "providers": {"openai": {"concurrency": concurrency}},
    }
    return parse_settings(data, "benchmark")


@asynccontextmanager
async def gateway_for(settings: Settings, root: Path) -> AsyncIterator[Gateway]:
    journal = Workspace(root).journal("execute", settings.execute.run)
    async with Gateway(settings, journal=journal, root=root) as gateway:
        yield gateway


async def timed(work: Awaitable[Any], calls: int) -> tuple[float, float, Any]:
    """Wall seconds, CPU milliseconds a call of this process (all its threads), and the result."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    result = await work
    return time.perf_counter() - wall, (time.process_time() - cpu) / calls * 1000, result


@contextmanager
def loopback(latency: float) -> Iterator[str]:
    """The base URL of a server in a process of its own that answers after `latency` seconds."""
    command = [sys.executable, "-m", "tests.servers.openai_api", str(latency)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
    finally:
        server.kill()
        server.wait()


def resident() -> float:
    """Megabytes of memory that this process holds now."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize() / 1e6


def peak() -> float:
    """The most megabytes of memory that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
