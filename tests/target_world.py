"""The toy workspace of `execute_fakes` with a target in the place of the matrix."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from ragtester.models.accounts import Services
from ragtester.models.gateway import Gateway
from ragtester.models.journal import CallJournal
from ragtester.models.limits import Budget
from ragtester.progress import SilentProgress, StageResult
from ragtester.records import Answer, Chunk, Manifest
from ragtester.settings import Settings, parse_settings
from ragtester.stages.execute import run
from ragtester.storage import read_json, read_rows
from tests.execute_fakes import World

FILE = "app.py"


async def no_wait(_: float) -> None:
    """Back-off without waiting."""
    await asyncio.sleep(0)


class TargetWorld:
    """A suite of toy documents and a target; `go` runs the stage through the real gateway.

    With no documents it takes up the suite that stands.
    """

    def __init__(self, root: Path, target: dict[str, Any], code: str = "", documents: int = 1, cases: int = 4) -> None:
        self.world = World(root, documents=documents, cases=cases, build=documents > 0)
        self.workspace = self.world.workspace
        self.progress = SilentProgress()
        self.gateway: Gateway | None = None
        if code:
            (root / FILE).write_text(code, encoding="utf-8")
        self.settings = self.set(target)

    def set(self, target: dict[str, Any], **tables: Any) -> Settings:
        """Other settings for the next start."""
        provider = {"retries": 1, "timeout_seconds": 20.0, "concurrency": 4}
        whole: dict[str, Any] = {"target": target, "providers": {"target": provider}, **tables}
        self.settings = parse_settings(whole, "test")
        return self.settings

    def go(self, *, max_calls: int | None = None, **options: Any) -> StageResult:
        """One start of the stage."""

        async def work() -> StageResult:
            journal = CallJournal(self.workspace.journal("execute", self.settings.execute.run))
            services = Services(journal, Budget(max_calls=max_calls), sleep=no_wait)
            self.gateway = Gateway(self.settings, root=self.workspace.root, shared=services)
            async with self.gateway as gateway:
                return await run(self.workspace, self.settings, gateway, gateway.embedder, self.progress, **options)

        return asyncio.run(work())

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return self.workspace.answers(self.settings.execute.run)

    def rows(self) -> list[Answer]:
        """Its answers, in the order of files."""
        paths = [path for path in sorted(self.folder.glob("*/*.jsonl")) if path.parent.name != "chunks"]
        return [row for path in paths for row in read_rows(path, Answer)]

    def chunks(self, document_id: str = "manual-0") -> list[Chunk]:
        """The chunks that are kept of one document."""
        return read_rows(self.workspace.chunks_file(self.settings.execute.run, document_id), Chunk)

    def manifest(self) -> Manifest:
        """That of the run."""
        made = read_json(self.folder / "manifest.json", Manifest)
        assert made is not None
        return made
