"""What is said or asked once in an experiment, though every setting would say or ask it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ragtester.progress import Progress
from ragtester.provenance import sha256_text
from ragtester.tasks import Asked, Models, Q, R, Task


@dataclass
class Once:
    """Passes progress on, and each note once."""

    inner: Progress
    _said: set[str] = field(default_factory=set)

    def start(self, stage: str, planned: int) -> None:
        """A stage begins."""
        self.inner.start(stage, planned)

    def advance(self, *, failed: bool = False, cost: float | None = None, count: int = 1) -> None:
        """Rows are on disk."""
        self.inner.advance(failed=failed, cost=cost, count=count)

    def note(self, message: str) -> None:
        """A notice, unless it was given before."""
        if message not in self._said:
            self._said.add(message)
            self.inner.note(message)

    def finish(self) -> None:
        """The stage is over."""
        self.inner.finish()


@dataclass
class RememberingModels:
    """Asks `inner` once for each request, so that settings that share a rewrite search for the same words.

    What failed is asked again.
    """

    inner: Models
    _known: dict[str, Asked[Any]] = field(default_factory=dict)

    async def ask(self, model: str, task: Task[Q, R], request: Q) -> Asked[R]:
        """The first reply to this request; the account is that of the first call, once."""
        name = sha256_text(f"{model}\n{task.name}\n{request.model_dump_json()}")
        if name in self._known:
            found: Asked[R] = self._known[name]
            free = {"cost": 0.0 if found.call.cost is not None else None, "seconds": None, "attempts": 0}
            return Asked(found.reply, found.call.model_copy(update=free))
        asked = await self.inner.ask(model, task, request)
        if asked.reply is not None:
            self._known[name] = asked
        return asked

    def prompt_sha256(self, task: Task[Q, R]) -> str:
        """Hash of the task's prompt files."""
        return self.inner.prompt_sha256(task)
