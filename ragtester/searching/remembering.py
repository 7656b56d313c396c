"""Requests to language models that are made once, though several searches would make them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

from ragtester.provenance import sha256_text
from ragtester.records import Record
from ragtester.tasks import PURPOSE, Asked, Models, Q, R, Task


@dataclass
class RememberingModels:
    """Asks `inner` once for each request and purpose, so that searches that share a rewrite search for the same words.

    What failed is asked again, unless it was waited for already. Memory grows with the number of requests.
    """

    inner: Models
    _known: dict[str, Asked[Any]] = field(default_factory=dict)
    _under_way: dict[str, asyncio.Task[Asked[Any]]] = field(default_factory=dict)

    async def ask(self, model: str, task: Task[Q, R], request: Q) -> Asked[R]:
        """The first reply to this request. Who shares it gets its account with no attempts: nothing was sent."""
        name = _name(model, task, request, PURPOSE.get())
        if name in self._known:
            return self._again(name)
        if name in self._under_way:
            return _shared(await asyncio.shield(self._under_way[name]))
        asking = self._under_way[name] = asyncio.create_task(self._asked(model, task, request))
        try:
            asked = await asking
        finally:
            del self._under_way[name]
        if asked.reply is not None:
            self._known[name] = asked
        return asked

    async def _asked(self, model: str, task: Task[Q, R], request: Q) -> Asked[R]:
        return await self.inner.ask(model, task, request)

    def _again(self, name: str) -> Asked[Any]:
        """A known reply. Where the row that had its account is gone, the first that asks takes the account over."""
        known = self._known[name]
        if known.call.sent:
            return _shared(known)
        self._known[name] = replace(known, call=known.call.model_copy(update={"attempts": 1}))
        return self._known[name]

    def recall(self, model: str, task: Task[Q, R], request: Q, purpose: str, asked: Asked[R]) -> None:
        """Take a reply of an earlier start; `asked.call.sent` tells whether the row that holds it has its account."""
        name = _name(model, task, request, purpose)
        if name not in self._known or asked.call.sent:
            self._known[name] = asked

    def prompt_sha256(self, task: Task[Q, R]) -> str:
        """Hash of the task's prompt files."""
        return self.inner.prompt_sha256(task)


def _name(model: str, task: Task[Any, Any], request: Record, purpose: str) -> str:
    return sha256_text("\n".join((model, task.name, purpose, request.model_dump_json())))


def _shared(asked: Asked[R]) -> Asked[R]:
    return replace(asked, call=asked.call.model_copy(update={"attempts": 0}))
