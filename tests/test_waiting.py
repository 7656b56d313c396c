"""Asynchronous work runs to its end from plain code and within a running loop."""

from __future__ import annotations

import asyncio
import contextvars
import signal
import threading
from collections.abc import Callable

import pytest

from ragtester.waiting import InFlight, wait_for

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


def test_pieces_run_together_but_never_more_than_allowed() -> None:
    running, most, done = 0, 0, []

    async def piece(number: int) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001 * (number % 3))
        running -= 1
        done.append(number)

    async def all_of_them() -> None:
        async with InFlight(4) as under_way:
            for number in range(20):
                await under_way.start(piece(number))

    asyncio.run(all_of_them())
    assert sorted(done) == list(range(20))
    assert most == 4


@pytest.mark.parametrize("place", ["a piece", "two pieces", "the block"])
def test_an_error_is_raised_and_cancels_the_rest(place: str) -> None:
    ended: list[str] = []

    async def long() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def failing() -> None:
        async with InFlight(10) as under_way:
            await under_way.start(long())
            for _ in range({"a piece": 1, "two pieces": 2, "the block": 0}[place]):
                await under_way.start(_fail())
            if place == "the block":
                await asyncio.sleep(0)
                raise ValueError("as it is")

    with pytest.raises(ValueError, match="as it is"):
        asyncio.run(failing())
    assert ended == ["cancelled"]
