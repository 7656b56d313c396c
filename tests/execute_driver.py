"""Runs the execute stage once and kills its own process: `driver ROOT LOG event:N | after:SECONDS | never [closed]`.

`event:N` is SIGKILL at the N-th of the moments that matter (a request served, a row about to be written or just
written, a batch embedded, a file about to be replaced). `after:SECONDS` is a timer whose signal ends the process with
no Python code of ours run, wherever it happens to be, Chroma's included. `closed` runs the closed-book control.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ragtester.models.embedded.vectors import hash_texts
from ragtester.progress import SilentProgress
from ragtester.stages.execute import run
from ragtester.storage import RowWriter
from tests.execute_fakes import RuleModels, WordEmbedder, embedders
from tests.test_stage_execute_kill import world


class Bomb:
    """Counts moments; the process dies at the chosen one."""

    def __init__(self, at: int) -> None:
        self.left = at

    def tick(self) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class LoggedEmbedder(WordEmbedder):
    def __init__(self, log: Path, bomb: Bomb) -> None:
        super().__init__()
        self.log, self.bomb = log, bomb

    def _embed(self, texts: list[str]) -> list[list[float]]:
        with self.log.open("a", encoding="utf-8") as file:
            file.writelines(f"embed\t{text.split(chr(10))[0]}\n" for text in texts)
        self.bomb.tick()
        # Vectors of a real model, scaled as a server's may be: Chroma gives back other bits than it was given.
        made: list[list[float]] = (hash_texts(texts) * np.float32(7.3)).tolist()
        return made


def main(root: Path, log: Path, when: str, closed: str = "") -> None:
    kind, _, value = when.partition(":")
    bomb = Bomb(int(value) if kind == "event" else -1)
    append, replace = RowWriter.append, Path.replace

    def appended(self: RowWriter, row: Any) -> bytes:
        bomb.tick()
        data = append(self, row)
        bomb.tick()
        return data

    def replaced(self: Path, target: Any) -> Path:
        bomb.tick()
        return replace(self, target)

    RowWriter.append = appended  # type: ignore[method-assign, assignment]
    Path.replace = replaced  # type: ignore[method-assign, assignment]
    if kind == "after":
        signal.setitimer(signal.ITIMER_REAL, float(value))
    made = world(root, build=False)
    models = RuleModels(log=log, tick=bomb.tick)
    embedder = LoggedEmbedder(log, bomb)
    settings = made.settings.control() if closed else made.settings
    asyncio.run(run(made.workspace, settings, models, embedders(embedder), SilentProgress()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
