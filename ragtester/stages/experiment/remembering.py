"""One reply to the same request throughout an experiment: settings that share a rewrite search for the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ragtester.provenance import sha256_text
from ragtester.tasks import Asked, Models, Q, R, Task


@dataclass
class RememberingModels:
    """Asks `inner` once for each request; what failed is asked again."""

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
