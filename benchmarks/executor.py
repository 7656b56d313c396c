"""The whole execute stage against a bare `AsyncOpenAI` loop with the same prompts.

A loopback server in a process of its own answers after a fixed time. The stage's work is all counted: reading, keys,
cutting, stores, embedding, retrieval, prompts, parsing, journal, rows on disk, manifest. The bare loop sends the same
prompts and does nothing else. Both run in turn in this process, in another order every round. A small run of each
warms up, so that imports, the embedding model's weights and the first store's making are paid before the clock starts.
Each shape is measured with no store at the start, and again under another run name with the stores ready. Usage:
`python -m benchmarks.executor [--shape 5x75x4 --shape 15x50x2] [--concurrency 64] [--latency 0.2] [--rounds 3]`
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import tempfile
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.executor_suite import Recorder, gateway_for, loopback, settings_for, suite, timed
from ragtester.models.rendering import Renderer
from ragtester.progress import SilentProgress
from ragtester.settings import Settings
from ragtester.stages.execute import run
from ragtester.tasks import ANSWER_QUESTION
from ragtester.workspace import Workspace

LLMS = ("openai:one", "openai:two", "openai:three", "openai:four")
SHAPES = ["5x75x4", "15x50x2"]
BARE, AIOHTTP = "bare `AsyncOpenAI`", "bare, aiohttp transport"
COLD, READY = "stage, no store yet", "stage, stores ready"
Prompts = list[tuple[str, str]]
Loops = dict[str, Callable[[], Awaitable[Any]]]
Measured = dict[str, list[tuple[float, float]]]


async def stage(settings: Settings, root: Path, source: Path | None = None) -> None:
    """The execute stage through the real gateway; `source` gives the suite of a new workspace."""
    if source is not None:
        shutil.copytree(source / "generated", root / "generated")
    async with gateway_for(settings, root) as gateway:
        result = await run(Workspace(root), settings, gateway, gateway.embedder, SilentProgress())
    assert result.ledger.ok == result.ledger.planned, result


async def bare(url: str, prompts: Prompts, concurrency: int, aiohttp: bool = False) -> None:
    """The same prompts through OpenAI's client alone."""
    from openai import AsyncOpenAI, DefaultAioHttpClient

    places = asyncio.Semaphore(concurrency)
    transport = DefaultAioHttpClient() if aiohttp else None
    async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0, http_client=transport) as client:

        async def once(system: str, user: str) -> None:
            async with places:
                messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
                reply = await client.chat.completions.create(model="one", messages=messages)  # type: ignore[arg-type]
                assert reply.choices[0].message.content

        await asyncio.gather(*(once(*prompt) for prompt in prompts))


async def prompts_of(settings: Settings, source: Path) -> Prompts:
    """The prompts that the stage sends, in its order."""
    recorder, renderer = Recorder(), Renderer(None)
    async with gateway_for(settings, source) as gateway:
        await run(Workspace(source), settings, recorder, gateway.embedder, SilentProgress())
    return [renderer.render(ANSWER_QUESTION, request) for request in recorder.requests]


async def shape(url: str, folder: Path, sizes: tuple[int, int, int], options: argparse.Namespace) -> Measured:
    """Measure every loop `rounds` times: (wall seconds, CPU milliseconds a call)."""
    documents, cases, llms = sizes
    source = folder / "source"
    suite(source, documents, cases, sentences=200)
    named = partial(settings_for, url, LLMS[:llms], ("embedded:wordllama",), options.concurrency)
    prompts = await prompts_of(named(), source)
    measured: Measured = {}
    for number in range(options.rounds):
        root = folder / f"round-{number}"
        loops: Loops = {
            BARE: partial(bare, url, prompts, options.concurrency),
            COLD: partial(stage, named(), root, source),
            READY: partial(stage, named(run="second"), root),
        }
        if options.aiohttp:
            loops[AIOHTTP] = partial(bare, url, prompts, options.concurrency, aiohttp=True)
        # Every loop comes first once; stores are ready only after the loop that makes them.
        order = deque(loops)
        order.rotate(-number)
        for name in sorted(order, key=lambda name: name == READY):
            wall, cpu, _ = await timed(loops[name](), len(prompts))
            measured.setdefault(name, []).append((wall, cpu))
            print(f"  round {number + 1}: {name}: {wall:.2f} s, {cpu:.2f} ms", flush=True)
        shutil.rmtree(root)
    return measured


def table(sizes: tuple[int, int, int], measured: Measured, options: argparse.Namespace) -> None:
    """Print a table: best, median, and the median of each round's ratio to the bare loop of the same round."""
    documents, cases, llms = sizes
    ideal = documents * cases * llms / options.concurrency * options.latency
    print(
        f"\n{documents} documents x {cases} cases x {llms} LLMs; ideal {ideal:.2f} s; load {os.getloadavg()[0]:.1f}\n"
    )
    print("| loop | wall best | wall median | x bare | CPU a call best | CPU median | x bare |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, rounds in measured.items():
        cells = []
        for part, unit in ((0, "s"), (1, "ms")):
            values = [one[part] for one in rounds]
            ratios = [one[part] / other[part] for one, other in zip(rounds, measured[BARE], strict=True)]
            cells += [f"{min(values):.2f} {unit}", f"{median(values):.2f} {unit}", f"{median(ratios):.2f}"]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


async def compare(url: str, options: argparse.Namespace, folder: Path) -> None:
    """Warm up, then every shape."""
    quick = argparse.Namespace(**{**vars(options), "rounds": 1, "aiohttp": True})
    print("warm-up")
    await shape(url, folder / "warm-up", (1, 32, 2), quick)
    for text in options.shape or SHAPES:
        documents, cases, llms = (int(part) for part in text.split("x"))
        measured = await shape(url, folder / text, (documents, cases, llms), options)
        table((documents, cases, llms), measured, options)


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", action="append", help="documents x cases x LLMs")
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--aiohttp", action="store_true", help="also the bare client over the transport that we use")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, loopback(options.latency) as url:
        asyncio.run(compare(url, options, Path(name)))


if __name__ == "__main__":
    main()
