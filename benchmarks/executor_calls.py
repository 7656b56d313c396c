"""CPU and wall time a call of the gateway against a bare `AsyncOpenAI` loop.

A loopback server in a process of its own answers after a fixed time. Both loops send the same prompts, in the same
run, in turn. Usage: `python -m benchmarks.executor_calls [--calls 1500] [--concurrency 64] [--latency 0.2]`
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from ragtester.models.gateway import Gateway
from ragtester.models.rendering import Renderer
from ragtester.settings import ModelSettings, ProviderSettings, Settings
from ragtester.storage import append_row
from ragtester.tasks import ANSWER_QUESTION, AnswerQuestion, Passage

MODEL = "openai:small"
SENTENCE = "The valve of pump {n} is checked every {n} days by two people who sign the log. "
Once = Callable[[int], Awaitable[object]]


def request(number: int) -> AnswerQuestion:
    """A question over four sections of about 1,000 characters each."""
    text = "".join(SENTENCE.format(n=number + line) for line in range(13))
    sections = tuple(Passage(label=f"doc#{place}", text=text) for place in range(4))
    return AnswerQuestion(language="English", question=f"How often is pump {number} checked?", sections=sections)


async def measure(once: Once, calls: int, concurrency: int) -> tuple[float, float]:
    """Wall seconds of all calls, and CPU milliseconds a call of this process."""
    places = asyncio.Semaphore(concurrency)

    async def held(number: int) -> None:
        async with places:
            await once(number)

    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(held(number) for number in range(calls)))
    return time.perf_counter() - wall, (time.process_time() - cpu) / calls * 1000


async def run(url: str, calls: int, concurrency: int, latency: float, rounds: int) -> list[dict[str, float | str]]:
    """Measure both loops in turn, `rounds` times; the first round warms up and is not reported."""
    from openai import AsyncOpenAI

    renderer = Renderer(None)
    prompts = [renderer.render(ANSWER_QUESTION, request(number)) for number in range(calls)]
    requests = [request(number) for number in range(calls)]
    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    settings = Settings(
        models={MODEL: ModelSettings(base_url=url, prompt_price=1.0, completion_price=1.0)},
        providers={"openai": ProviderSettings(concurrency=concurrency)},
    )

    async def bare(number: int) -> None:
        system, user = prompts[number]
        written = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        reply = await client.chat.completions.create(model="small", messages=written)  # type: ignore[arg-type]
        assert reply.choices[0].message.content

    results: list[dict[str, float | str]] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds + 1):
            journal, rows = Path(folder) / f"{number}.calls.jsonl", Path(folder) / f"{number}.rows.jsonl"
            async with Gateway(settings, journal=journal) as gateway:

                async def ours(number: int, gateway: Gateway = gateway, rows: Path = rows) -> None:
                    asked = await gateway.ask(MODEL, ANSWER_QUESTION, requests[number])
                    assert asked.reply is not None, asked.failure
                    append_row(rows, asked.call)

                for label, once in (("bare AsyncOpenAI", bare), ("gateway, journal and rows", ours)):
                    wall, cpu = await measure(once, calls if number else min(calls, 2 * concurrency), concurrency)
                    if number:
                        ideal = calls / concurrency * latency
                        results.append({"loop": label, "wall": wall, "ideal": wall / ideal, "cpu_ms": cpu})
    await client.close()
    return results


def main() -> None:
    """Print one line a measurement, then the ratios of the best ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1500)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.servers.openai_api", str(options.latency)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        url = f"http://127.0.0.1:{port}/v1"
        results = asyncio.run(run(url, options.calls, options.concurrency, options.latency, options.rounds))
    finally:
        server.kill()
        server.wait()
    for result in results:
        print(json.dumps({name: round(v, 2) if isinstance(v, float) else v for name, v in result.items()}))
    best = {
        kind: {name: min(float(r[name]) for r in results if r["loop"] == kind) for name in ("wall", "cpu_ms")}
        for kind in dict.fromkeys(str(r["loop"]) for r in results)
    }
    bare, ours = best.values()
    print(f"wall {ours['wall'] / bare['wall']:.2f} x bare, CPU a call {ours['cpu_ms'] / bare['cpu_ms']:.2f} x bare")


if __name__ == "__main__":
    main()
