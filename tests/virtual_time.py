"""An event loop whose clock moves only when nothing else is to be done: a busy machine changes no order of events."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Clock(selectors.SelectSelector):
    """Waits for nothing, and notes how long it would have waited."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "everything waits, and for nothing that has a time"
        self.now += max(0.0, timeout)
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _Clock()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


def run(work: Coroutine[Any, Any, T]) -> T:
    """Like `asyncio.run`, in no time; for work that talks to nobody."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(work)
