"""Running asynchronous work to its end: from plain code, from a notebook, and many pieces at a time."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from ragtester.records import Failure

T = TypeVar("T")
POLL = 0.2


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """What `work` gives, like `asyncio.run`; within a running loop (Jupyter has one) it runs in a thread of its own.

    Ctrl-C cancels the work there too, waits until it has put its files in order, and is raised.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    return _in_thread(work)


def _in_thread(work: Coroutine[Any, Any, T]) -> T:
    begun = Event()
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def noted() -> T:
        task = asyncio.current_task()
        assert task is not None
        running.append((asyncio.get_running_loop(), task))
        begun.set()
        return await work

    with ThreadPoolExecutor(1, thread_name_prefix="ragtester") as pool:
        future = pool.submit(contextvars.copy_context().run, asyncio.run, noted())
        try:
            while not wait([future], timeout=POLL).done:
                pass  # a lock without a time limit would not hear Ctrl-C on every system
            return future.result()
        except KeyboardInterrupt:
            begun.wait()
            loop, task = running[0]
            with suppress(RuntimeError):  # the work ended meanwhile, and its loop with it
                loop.call_soon_threadsafe(task.cancel)
            raise


async def all_or_stop(work: Iterable[Coroutine[Any, Any, T | Failure]]) -> list[T] | Failure:
    """What all pieces gave, in order; the first Failure instead where one gave that. All have ended by then.

    Raises the first error, in order.
    """
    from ragtester.records import Failure

    found: list[T] = []
    for outcome in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome
        if isinstance(outcome, Failure):
            return outcome
        found.append(outcome)
    return found


class InFlight:
    """Pieces of work that run at the same time, `most` at once.

    `async with` waits for all of them at its end. An error of one, or in the block, is raised and cancels the rest.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a piece; comes back when there is room for the next one."""
        self._tasks.add(asyncio.create_task(work))
        if len(self._tasks) >= self._most:
            await self._some()

    async def __aenter__(self) -> InFlight:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            while self._tasks and kind is None:
                await self._some()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _some(self) -> None:
        """Wait for at least one; an error of any is raised here."""
        done, left = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
        self._tasks = left
