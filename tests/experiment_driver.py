"""Runs one experiment on a toy suite and kills its own process: `driver ROOT event:N | never`.

`event:N` is SIGKILL at the N-th of the moments that matter: a row about to be written or just written, a batch
embedded, a file about to be replaced.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from ragtester.progress import SilentProgress, StageResult
from ragtester.settings import Settings
from ragtester.stages.experiment import Wanted, make_points, parse_experiment, run
from ragtester.storage import RowWriter
from ragtester.workspace import Workspace
from tests.execute_fakes import WordEmbedder, World, embedders

EXPERIMENT: dict[str, Any] = {
    "name": "toy",
    "variants": [
        {"name": "hybrid", "change": {"execute.retrieval.arms": ["dense", "bm25"]}},
        {"name": "words", "change": {"execute.retrieval.arms": ["bm25"]}},
        {"name": "long", "change": {"execute.index.chunk_size": 240}},
    ],
}


class NoModels:
    """An experiment with retrieval alone has nothing to ask of a language model."""

    async def ask(self, model: str, task: Any, request: Any) -> Any:
        raise AssertionError(f"{model} was asked to {task.name}")

    def prompt_sha256(self, task: Any) -> str:
        raise AssertionError(f"the prompt of {task.name} was looked at")


def run_toy(
    workspace: Workspace,
    settings: Settings,
    tree: dict[str, Any] | None = None,
    *,
    models: Any = None,
    embedder: WordEmbedder | None = None,
    progress: SilentProgress | None = None,
    overwrite: bool = False,
) -> StageResult:
    """The stage on a toy suite."""
    experiment = parse_experiment(tree or EXPERIMENT, "toy.toml")
    wanted = Wanted(experiment, make_points(settings, experiment), overwrite)
    made = embedders(embedder or WordEmbedder())
    work = run(workspace, models or NoModels(), made, progress or SilentProgress(), wanted)
    return asyncio.run(work)


def main(root: Path, when: str) -> None:
    kind, _, value = when.partition(":")
    left = int(value) if kind == "event" else -1

    def tick() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    append, replace, embed = RowWriter.append, Path.replace, WordEmbedder._embed

    def appended(self: RowWriter, row: Any) -> bytes:
        tick()
        data = append(self, row)
        tick()
        return data

    def replaced(self: Path, target: Any) -> Path:
        tick()
        return replace(self, target)

    def embedded(self: WordEmbedder, texts: list[str]) -> list[list[float]]:
        tick()
        return embed(self, texts)

    RowWriter.append = appended  # type: ignore[method-assign, assignment]
    Path.replace = replaced  # type: ignore[method-assign, assignment]
    WordEmbedder._embed = embedded  # type: ignore[method-assign]
    world = World(root, build=not (root / "generated").exists())
    run_toy(world.workspace, world.settings)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
