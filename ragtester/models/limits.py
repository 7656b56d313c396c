"""How hard a provider may be pressed: concurrency, rate, whose turn it is on a server that holds one model, budget."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiolimiter import AsyncLimiter

from ragtester.settings import ProviderSettings

# Loading another model takes seconds; a row is written and the next question retrieved in less than this.
LINGER_SECONDS = 0.1


class ProviderGate:
    """Concurrency and requests a minute of one provider. A call that waits for its back-off holds no place."""

    def __init__(self, settings: ProviderSettings) -> None:
        self._places = asyncio.Semaphore(settings.concurrency)
        rate = settings.requests_per_minute
        # A bucket of one second's share: a fuller one would let a minute's requests out at once.
        self._rate = AsyncLimiter(max(1.0, rate / 60.0), max(1.0, 60.0 / rate)) if rate else None

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold one place; waits for the rate as well."""
        async with self._places:
            if self._rate is not None:
                await self._rate.acquire()
            yield


class ModelTurns:
    """A server that holds one model in memory: calls of one model pass, others wait until none of that model is left.

    So models are not loaded and unloaded from call to call. Within a model, first come, first served.
    """

    def __init__(self) -> None:
        self._current: str | None = None
        self._running = 0
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def turn(self, model: str) -> AsyncIterator[None]:
        """Wait until `model` has its turn, and hold it."""
        await self._enter(model)
        try:
            yield
        finally:
            self._running -= 1
            if self._running == 0:
                # Callers of this model that are between two calls get the chance to come back first.
                if self._timer is not None:
                    self._timer.cancel()
                self._timer = asyncio.get_running_loop().call_later(LINGER_SECONDS, self._switch)

    async def _enter(self, model: str) -> None:
        if self._current in (None, model):
            self._current = model
            self._running += 1
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(model, deque()).append(future)
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self._running -= 1
                if self._running == 0:
                    self._switch()
            raise

    def _switch(self) -> None:
        if self._running:
            return
        self._current = None
        while self._waiting and self._current is None:
            model = next(iter(self._waiting))
            woken = [future for future in self._waiting.pop(model) if not future.done()]
            for future in woken:
                future.set_result(None)
            if woken:
                self._current, self._running = model, len(woken)


@dataclass
class Budget:
    """What may still be spent. `reserved` is the estimate for calls that are on their way."""

    max_cost: float | None = None
    max_calls: int | None = None
    calls: int = 0
    cost: float = 0.0
    reserved: float = 0.0

    def refusal(self, estimate: float) -> str | None:
        """Why the next call may not be made, or None."""
        if self.max_calls is not None and self.calls >= self.max_calls:
            return "the limit on calls (--max-calls) is reached"
        if self.max_cost is not None and self.cost + self.reserved + estimate > self.max_cost:
            return f"the limit on cost (--max-cost) is reached: this stage spent {self.cost:.4g} USD"
        return None
