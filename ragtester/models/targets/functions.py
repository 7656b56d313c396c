"""`python:MODULE:FUNCTION`: a function of the user's that answers questions.

It is called with the question and, where it takes them, the tags of the user who asks, by name where it has parameters
`question` and `tags`. It may be async, or yield its answer in pieces. Calls run at once, up to `[providers.target]
concurrency`: of an async function in an event loop of their own, of another one each in a thread of its own. A call
that does not come back is left behind.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ragtester.errors import UsageError
from ragtester.functions import Named, is_async
from ragtester.models.targets.background import Background, in_thread
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
    background: Background = field(default_factory=Background)

    @classmethod
    def load(cls, named: Named) -> FunctionTarget:
        """The function that a setting names. Raises UsageError for one that cannot be called with a question."""
        function = named.function()
        return cls(function, arguments_of(function, named.name))

    async def ask(self, request: AskTarget) -> list[Any]:
        """What it gives, as plain data; the pieces of one that yields. Raises whatever the function raises."""
        given, named = self.arguments(request)
        if is_async(self.function):
            result = await self.background.run(lambda: _awaited(self.function(*given, **named)))
        else:
            result = await in_thread(lambda: _all(self.function(*given, **named)))
            if inspect.isawaitable(result) or isinstance(result, AsyncIterator):
                result = await self.background.run(lambda: _awaited(result))
        return [plain(one) for one in result] if isinstance(result, _Pieces) else _events(plain(result))

    async def close(self) -> None:
        """End what runs in the background."""
        self.background.close()


class _Pieces(list[Any]):
    """What a function yielded, one after another."""


async def _awaited(result: Any) -> Any:
    """What an asynchronous function gives, or all that it yields."""
    if isinstance(result, AsyncIterator):
        return _Pieces([one async for one in result])
    return await result


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
