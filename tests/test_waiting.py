"""Asynchronous work runs to its end from plain code and within a running loop."""

from __future__ import annotations

import asyncio
import contextvars
import signal
import threading
from collections.abc import Callable

import pytest

from ragtester.waiting import wait_for

COLOUR = contextvars.ContextVar("COLOUR", default="none")


async def _colour() -> tuple[str, bool]:
    await asyncio.sleep(0)
    return COLOUR.get(), threading.current_thread() is threading.main_thread()


async def _fail() -> None:
    raise ValueError("as it is")


async def _within(call: Callable[[], object]) -> object:
    return call()


def test_plain_code_waits_in_its_own_thread() -> None:
    COLOUR.set("red")
    assert wait_for(_colour()) == ("red", True)


def test_within_a_loop_it_waits_in_another() -> None:
    async def outer() -> object:
        COLOUR.set("blue")
        return wait_for(_colour())

    assert asyncio.run(outer()) == ("blue", False)


def test_errors_come_through() -> None:
    with pytest.raises(ValueError, match="as it is"):
        wait_for(_fail())
    with pytest.raises(ValueError, match="as it is"):
        asyncio.run(_within(lambda: wait_for(_fail())))


def test_ctrl_c_cancels_the_work_and_waits_for_it() -> None:
    told: list[str] = []

    async def work() -> None:
        threading.Timer(0.05, signal.raise_signal, [signal.SIGINT]).start()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0.05)
            told.append("put in order")
            raise

    def interrupted() -> None:
        # As Jupyter does: Python's own handler, not that of asyncio.run.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        wait_for(work())

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(_within(interrupted))
    assert told == ["put in order"]
