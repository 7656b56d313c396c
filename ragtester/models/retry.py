"""Whether to try a failed call again, and after how long."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from ragtester.models.problems import Problem
from ragtester.tasks import TRANSIENT_FAILURES

FIRST_WAIT_SECONDS = 0.5
T = TypeVar("T")


class CallFailed(Exception):  # noqa: N818 - carries a Problem through tenacity
    """An attempt failed."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message)


def may_retry(error: BaseException) -> bool:
    """Only what may clear by itself is tried again."""
    return isinstance(error, CallFailed) and error.problem.type in TRANSIENT_FAILURES


class BackOff:
    """How long to wait: what the server asked for, or exponential back-off with full jitter, both capped."""

    def __init__(self, most_seconds: float, draw: Any) -> None:
        self.most = most_seconds
        self.draw = draw

    def seconds(self, problem: Problem, attempt: int) -> float:
        """Seconds to wait after the attempt with this number (from 1)."""
        if problem.retry_after is not None:
            return min(problem.retry_after, self.most)
        ceiling = min(self.most, FIRST_WAIT_SECONDS * 2 ** min(attempt, 30))
        return float(ceiling * (0.5 + 0.5 * self.draw()))


async def attempted(
    attempt: Callable[[], Awaitable[T]], retries: int, back_off: BackOff, sleep: Callable[[float], Awaitable[Any]]
) -> T:
    """Run `attempt` until it succeeds, at most `retries` times more; raises the last CallFailed.

    The first attempt runs without the machinery of retrying, which costs more than the rest of a call.
    """
    try:
        return await attempt()
    except CallFailed as failed:
        if retries == 0 or not may_retry(failed):
            raise
        problem = failed.problem
    await sleep(back_off.seconds(problem, 1))
    retrying = AsyncRetrying(
        stop=stop_after_attempt(retries),
        wait=lambda state: back_off.seconds(_problem(state), state.attempt_number + 1),
        retry=retry_if_exception(may_retry),
        sleep=sleep,
        reraise=True,
    )

    async def again() -> T:
        return await attempt()

    return await retrying(again)


def _problem(state: RetryCallState) -> Problem:
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, CallFailed)
    return error.problem
