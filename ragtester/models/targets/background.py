"""Where foreign code runs, so that it can neither block our event loop nor keep the program from ending."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


class DaemonThreads(ThreadPoolExecutor):
    """A thread of its own for every call. Those of a pool would be waited for at the end, for ever where one hangs."""

    def __init__(self) -> None:
        super().__init__(max_workers=1)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Begin a call; whatever it raises comes back as an Exception."""
        future: Future[Any] = Future()

        def run() -> None:
            try:
                result = fn(*args, **kwargs)
            except StopIteration:
                future.set_exception(RuntimeError("StopIteration"))  # it cannot be handed to an asyncio future
            except BaseException as error:  # noqa: BLE001 - whatever it raises is the answer's failure
                future.set_exception(error if isinstance(error, Exception) else RuntimeError(type(error).__name__))
            else:
                future.set_result(result)

        threading.Thread(target=run, name="ragtester-target", daemon=True).start()
        return future


async def in_thread(work: Callable[[], Any]) -> Any:
    """Do `work` in a thread of its own and wait for it; who stops waiting leaves it behind."""
    return await asyncio.get_running_loop().run_in_executor(DaemonThreads(), work)


class Background:
    """An event loop in a thread of its own, for asynchronous code that may block it, or begin threads that hang."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    async def run(self, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Run a coroutine there and wait for it; who stops waiting cancels it."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._loop.set_default_executor(DaemonThreads())
            threading.Thread(target=self._serve, args=(self._loop,), name="ragtester-target-loop", daemon=True).start()
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(), self._loop))

    def close(self) -> None:
        """Stop the loop; what still blocks it is left behind."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._stop, self._loop)
            self._loop = None

    @staticmethod
    def _serve(loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.run_forever()
        finally:
            loop.close()

    @staticmethod
    def _stop(loop: asyncio.AbstractEventLoop) -> None:
        for task in asyncio.all_tasks(loop):
            task.cancel()
        # One more turn, in which the cancelled tasks end.
        loop.call_soon(loop.stop)
