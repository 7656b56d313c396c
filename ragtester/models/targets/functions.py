"""`python:MODULE:FUNCTION`: a function of the user's that answers questions.

It is called with the question and, where it takes them, the tags of the user who asks, by name where it has parameters
`question` and `tags`. It may be async. One that is not runs in a thread of its own for each call, as many at once as
`[providers.target] concurrency` allows; a call that does not come back is left behind with its thread.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ragtester.errors import UsageError
from ragtester.functions import Named, is_async
from ragtester.models.targets.plain import plain
from ragtester.tasks import AskTarget

PREFIX = "python:"
FORM = "python:MODULE:FUNCTION"
SETTING = "target.name"
Arguments = Callable[[AskTarget], tuple[tuple[Any, ...], dict[str, Any]]]


@dataclass(frozen=True)
class FunctionTarget:
    """Calls the function for every question."""

    function: Callable[..., Any]
    arguments: Arguments

    @classmethod
    def load(cls, named: Named) -> FunctionTarget:
        """The function that a setting names. Raises UsageError for one that cannot be called with a question."""
        function = named.function()
        return cls(function, arguments_of(function, named.name))

    async def ask(self, request: AskTarget) -> list[Any]:
        """What it gives, as plain data; the pieces of one that yields. Raises whatever the function raises."""
        given, named = self.arguments(request)
        if is_async(self.function):
            result = await self.function(*given, **named)
        else:
            result = await in_thread(lambda: _all(self.function(*given, **named)))
        if inspect.isawaitable(result):
            result = await result
        if isinstance(result, AsyncIterator):
            result = _Pieces([one async for one in result])
        return [plain(one) for one in result] if isinstance(result, _Pieces) else _events(plain(result))

    async def close(self) -> None:
        """There is nothing to close."""


class _Pieces(list[Any]):
    """What a function yielded, one after another."""


def _all(result: Any) -> Any:
    """What a generator yields is taken in the thread that made it."""
    return _Pieces(result) if isinstance(result, Iterator) else result


def _events(value: Any) -> list[Any]:
    return [] if value is None else [value]


def arguments_of(function: Callable[..., Any], name: str) -> Arguments:
    """How to call it. Raises UsageError where it takes no question, or more than question and tags."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # built-in functions may tell no signature
        return lambda request: ((request.question,), {})
    parameters = signature.parameters
    anything = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    named = [one.name for one in parameters.values() if one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD)]
    places = [one for one in parameters.values() if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    by_name = "question" in named or (anything and not places)
    tags = "tags" in named or anything
    second = not by_name and not tags and len(places) > 1 and places[1].default is inspect.Parameter.empty

    def arguments(request: AskTarget) -> tuple[tuple[Any, ...], dict[str, Any]]:
        given = () if by_name else (request.question, list(request.tags)) if second else (request.question,)
        question = {"question": request.question} if by_name else {}
        return given, {**question, **({"tags": list(request.tags)} if tags else {})}

    try:
        given, words = arguments(AskTarget(language="", question=""))
        signature.bind(*given, **words)
    except TypeError as error:
        raise UsageError(f"{SETTING}: {name}: it is called with (question, tags) or (question): {error}") from error
    return arguments


async def in_thread(work: Callable[[], Any]) -> Any:
    """Do `work` in a thread of its own and wait for it; who stops waiting leaves it behind.

    The threads of a pool would be waited for at the end of the program, for ever where one hangs.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(result)
        else:
            done.set_exception(error)

    def tell(result: Any, error: BaseException | None) -> None:
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:  # the loop is closed: nobody waits any more
            return

    def run() -> None:
        try:
            result = work()
        except StopIteration:
            tell(None, RuntimeError("StopIteration"))  # it cannot be handed to a future
        except BaseException as error:  # noqa: BLE001 - whatever it raises is the answer's failure
            tell(None, error if isinstance(error, Exception) else RuntimeError(type(error).__name__))
        else:
            tell(result, None)

    threading.Thread(target=run, name="ragtester-target", daemon=True).start()
    return await done
