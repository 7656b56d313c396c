"""Rows a second and memory of `ragtester judge` with the embedded judge, on made-up answers.

python benchmarks/judge.py [--rows 100000]
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ragtester.models.gateway import Gateway
from ragtester.progress import SilentProgress
from ragtester.records import Answer, Case, Chunk, Evidence, Manifest, Trace
from ragtester.settings import Settings
from ragtester.stages import judge
from ragtester.storage import write_json, write_rows
from ragtester.workspace import Workspace

DOCUMENTS, SYSTEMS = 20, 10
PARTS = ("sea water pump", "bypass valve", "fire main", "steering gear", "boiler", "purifier", "crane", "anchor winch")


def text(document: int, number: int) -> str:
    """One chunk of about 800 characters with a fact that only it holds."""
    part = PARTS[(document + number) % len(PARTS)]
    filler = (
        f"Before work on the {part} the officer of the watch is told, the breaker is opened and a tag is hung. " * 6
    )
    return f"The {part} number {number} runs at {number + 3} bar and is checked every {number + 2} months. {filler}"


def cases(document: int, count: int) -> Iterator[Case]:
    for number in range(count):
        part = PARTS[(document + number) % len(PARTS)]
        yield Case(
            id=f"c{number}", key=f"k{document}-{number}", document_id=f"d{document}", document_sha256="0",
            technique="ragtester", type="coverage", language="en",
            question=f"At which pressure does the {part} number {number} run?",
            expected_answer=f"The {part} number {number} runs at {number + 3} bar.", keywords=(f"{number + 3} bar",),
            evidence=(Evidence(start=0, end=10),), model="embedded:rules", prompt_sha256="x",
        )  # fmt: skip


def answers(document: int, system: int, count: int) -> Iterator[Answer]:
    for number in range(count):
        said = f"It runs at {number + 3 + (number + system) % 3} bar and is checked by the officer of the watch."
        chunks = tuple(f"d{document}-{(number + step) % 40}" for step in range(4))
        yield Answer(
            case_id=f"c{number}", document_id=f"d{document}", key=f"a{document}-{system}-{number}", run="main",
            llm=f"openai:model-{system}", embedding="embedded:hashing", technique="ragtester", type="coverage",
            outcome="answered", answer=said,
            trace=Trace(query="q", index="i", embedding="e", k=4, context_ids=chunks),
        )  # fmt: skip


def prepare(space: Workspace, rows: int) -> None:
    each = rows // (DOCUMENTS * SYSTEMS)
    for document in range(DOCUMENTS):
        name = f"d{document}"
        write_rows(space.cases_file("main", "ragtester", name), cases(document, each))
        chunks = (
            Chunk(id=f"{name}-{n}", document_id=name, ordinal=n, start=0, end=9, text=text(document, n))
            for n in range(40)
        )
        write_rows(space.chunks_file("main", name), chunks)
        for system in range(SYSTEMS):
            path = space.answers_file("main", f"openai:model-{system}", "embedded:hashing", name)
            write_rows(path, answers(document, system, each))
    done = Manifest(stage="execute", name="main", seed=7, started="2026-01-01T00:00:00Z", ended="2026-01-01T00:00:01Z")
    write_json(space.answers("main") / "manifest.json", done)


async def measure(space: Workspace) -> None:
    settings = Settings()
    for label in ("first start", "second start"):
        began = time.perf_counter()
        async with Gateway(settings, journal=space.journal("judge", "main"), root=space.root) as gateway:
            result = await judge.run(space, settings, gateway, SilentProgress())
        seconds = time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        rows = result.ledger.planned
        print(
            f"{label}: {rows} rows, {seconds:.1f} s, {rows / seconds:.0f} rows/s, peak {peak:.0f} MB, {result.ledger}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        space = Workspace(Path(folder))
        prepare(space, rows)
        asyncio.run(measure(space))


if __name__ == "__main__":
    main()
