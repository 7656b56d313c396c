"""What models of one gateway share, what a server said, and what an ask has cost."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from ragtester.models.journal import CallJournal
from ragtester.models.limits import Budget
from ragtester.records import Call, Failure

Sleep = Callable[[float], Awaitable[Any]]


@dataclass(frozen=True)
class Said:
    """What a server sent back. `refusal` is the API's own field; tokens are None where the server does not count."""

    text: str
    refusal: str = ""
    finish_reason: str | None = None
    served_model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int = 0
    seconds: float | None = None
    attempts: int = 1
    dropped: tuple[str, ...] = ()
    paid_before: bool = field(default=False, compare=False)

    def stored(self) -> dict[str, Any]:
        """As the call journal keeps it."""
        return {name: value for name, value in asdict(self).items() if name != "paid_before"}


@dataclass
class Services:
    """What all models of a gateway share."""

    journal: CallJournal
    budget: Budget
    stopped: dict[str, Failure] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    sleep: Sleep = asyncio.sleep
    draw: Callable[[], float] = random.random

    def stop(self, model: str, failure: Failure) -> None:
        """No further call to `model` in this run."""
        self.stopped.setdefault(model, failure)

    def note(self, message: str) -> None:
        """A line for the user, once."""
        if message not in self.notes:
            self.notes.append(message)


@dataclass
class Account:
    """Sums over the requests that one ask needed."""

    model: str
    said: list[Said] = field(default_factory=list)
    cost: float | None = None
    attempts: int = 0
    dropped: tuple[str, ...] = ()

    def call(self, raw: str = "") -> Call:
        """The account as a record. A count that was not measured for every request is None."""

        def total(values: list[Any]) -> Any:
            return sum(values) if values and None not in values else None

        last = self.said[-1] if self.said else None
        seconds = total([said.seconds for said in self.said])
        return Call(
            model=self.model,
            served_model=last.served_model if last else None,
            prompt_tokens=total([said.prompt_tokens for said in self.said]),
            completion_tokens=total([said.completion_tokens for said in self.said]),
            cost=self.cost if self.said else (0.0 if self.attempts == 0 else None),
            seconds=None if seconds is None else round(seconds, 3),
            finish_reason=last.finish_reason if last else None,
            attempts=self.attempts,
            dropped_parameters=self.dropped,
            raw=raw,
        )
