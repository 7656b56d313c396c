"""A target as the caller of models sees it: one request, and what was said."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from typing import Any

from ragtester.functions import one_line
from ragtester.models.accounts import Said
from ragtester.models.catalogue import ModelName
from ragtester.models.problems import Problem, Told, examine
from ragtester.models.targets.opening import PROVIDER, Target
from ragtester.settings import ProviderSettings, Settings
from ragtester.tasks import AskTarget, Task

# What foreign code raises is tried again by another start, not by this one: it mostly is its own fault.
RAISED = "raised"
_CLEARS = {"timeout": "transport", "transport": "transport", "rate_limited": "rate_limited"}


def name_of(settings: Settings) -> ModelName:
    """The target in the place of a model: its label, and the limits and prices that are set for it."""
    label = settings.target.label
    return ModelName(label, PROVIDER, label, settings.model(label))


class TargetClient:
    """Asks one target. It has no parameters that could be left out, and no window."""

    def __init__(self, name: ModelName, limits: ProviderSettings, target: Target, *, local: bool) -> None:
        self.name, self.limits, self.target, self.local = name, limits, target, local
        self.dropped: list[str] = []
        self.window = 0

    def sent(self, task: Task[Any, Any]) -> list[str]:  # noqa: ARG002 - as every client takes it
        """No parameter."""
        return []

    def drop(self, parameter: str) -> bool:  # noqa: ARG002
        """There is nothing to leave out."""
        return False

    async def context_limit(self) -> int | None:
        """Not known."""
        return None

    async def send(self, messages: list[tuple[str, str]], task: Task[Any, Any], window: int) -> Said:  # noqa: ARG002
        """One request. Raises Told or what the target raised, and TimeoutError after the time limit."""
        request = AskTarget.model_validate_json(messages[-1][1])
        begun = time.perf_counter()
        async with asyncio.timeout(self.limits.timeout_seconds) as limit:
            try:
                events = await self.target.ask(request)
            except Told:
                raise
            except (Exception, SystemExit) as error:
                if not self.local or limit.expired():
                    raise
                raise Told(_raised(error)) from error
        return _said(events, time.perf_counter() - begun)

    async def close(self) -> None:
        """Close its connections."""
        await self.target.close()


def _raised(error: BaseException) -> Problem:
    """What the user's code raised: a fault that clears by itself where it says so (a lost connection, a limit)."""
    found = examine(error)
    if found.type in _CLEARS:
        return replace(found, type=_CLEARS[found.type], message=f"it raised {one_line(error)}")
    return Problem(RAISED, f"it raised {one_line(error)}", cause=type(error).__name__)


def _said(events: list[Any], seconds: float) -> Said:
    """The reply as it came, and what a chat endpoint says beside it."""
    last = next((one for one in reversed(events) if isinstance(one, dict) and isinstance(one.get("usage"), dict)), {})
    usage = last.get("usage", {})
    return Said(
        text=json.dumps(events, ensure_ascii=False),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        seconds=round(seconds, 3),
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
