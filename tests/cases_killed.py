"""Runs the stage `cases` and kills itself (SIGKILL) at the n-th event, for `test_stage_cases_kill.py`.

`python -m tests.cases_killed ROOT N TECHNIQUE`: an event is a reply that arrives, a row that is about to be written
(the kill leaves half of it) and a row that was just written. N = 0: never. Replies are kept in a journal, as the
gateway does; `paid.txt` has one line for every reply that was not in it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from ragtester.progress import SilentProgress
from ragtester.records import Call, Record
from ragtester.settings import parse_settings
from ragtester.stages.cases import reading, run, strategy
from ragtester.storage import append_row, encode_row
from ragtester.tasks import Asked
from ragtester.workspace import Workspace
from tests.cases_fakes import FakeModels, cut_paragraphs, letters, read_here

events = 0


def event(limit: int) -> bool:
    global events  # noqa: PLW0603
    events += 1
    return events == limit


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class JournalledModels(FakeModels):
    def __init__(self, root: Path, limit: int) -> None:
        super().__init__()
        self._folder, self._limit = root, limit
        self._journal = root / "journal"
        self._journal.mkdir(exist_ok=True)

    async def ask(self, model: str, task: Any, request: Any) -> Asked[Any]:
        key = hashlib.sha256(f"{task.name} {request.model_dump_json()}".encode()).hexdigest()
        kept = self._journal / key
        if kept.is_file():
            await asyncio.sleep(0)
            return Asked(task.reply.model_validate_json(kept.read_text("utf-8")), Call(model=model, served_model="s"))
        asked = await super().ask(model, task, request)
        if asked.reply is not None:
            with (self._folder / "paid.txt").open("a", encoding="utf-8") as file:
                file.write(key + "\n")
            kept.write_text(json.dumps(asked.reply.model_dump(mode="json")), "utf-8")
        if event(self._limit):
            die()
        return Asked(asked.reply, Call(model=model, served_model="s"), asked.failure)


def main(root: Path, limit: int, technique: str) -> None:
    def appending(path: Path, record: Record) -> None:
        if event(limit):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.write(encode_row(record).encode("utf-8")[:40])
            die()
        append_row(path, record)
        if event(limit):
            die()

    # What takes long to load is replaced: the kill is about rows, not about reading.
    for module, name, replacement in (
        (strategy, "append_row", appending),
        (reading, "read_corpus", read_here),
        (strategy, "cut_sections", cut_paragraphs),
    ):
        setattr(module, name, replacement)
    cases = {"per_document": 8, "technique": technique, "model": "fake:writer"}
    settings = parse_settings({"cases": cases, "reading": {"max_section_tokens": 200}}, "test")
    models = JournalledModels(root, limit)
    result = asyncio.run(run(Workspace(root), settings, models, letters, SilentProgress()))
    sys.stdout.write(f"{result.ledger.ok} {events}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
