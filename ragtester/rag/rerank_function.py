"""Rerank by a Python function of the user's: `python:MODULE:FUNCTION`.

It is called as `function(query, passages)` with a text and a list of texts, and gives a score a passage, higher is
better. It may be async. One that is not runs in a thread, one call at a time, so that it need not be thread-safe.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragtester.errors import UsageError
from ragtester.functions import Named, is_async, one_line
from ragtester.rag.reranking import Scored, checked, failed
from ragtester.records import Chunk

PREFIX = "python:"
SETTING = "execute.retrieval.rerank"
FORM = "python:MODULE:FUNCTION"


@dataclass(frozen=True)
class FunctionReranker:
    """Calls the function for every query."""

    name: str
    function: Callable[..., Any]
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def score(self, query: str, language: str, chunks: Sequence[Chunk]) -> Scored:  # noqa: ARG002
        """Its scores; an exception, a wrong number of them and what is no number are a failure that names it."""
        try:
            result = await self._call(query, [chunk.text for chunk in chunks])
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it raises costs this query only
            return failed(self.name, f"raised {one_line(error)}")
        return checked(self.name, result, len(chunks))

    async def _call(self, query: str, passages: list[str]) -> Any:
        if is_async(self.function):
            return await self.function(query, passages)
        async with self._turn:
            result = await asyncio.to_thread(self._in_thread, query, passages)
            return await result if inspect.isawaitable(result) else result

    def _in_thread(self, query: str, passages: list[str]) -> Any:
        try:
            return self.function(query, passages)
        except StopIteration as error:
            # It cannot be handed to a future: whoever awaits it would wait for ever.
            raise RuntimeError("StopIteration") from error


def load_function(name: str, root: Path) -> Callable[..., Any]:
    """The function of `python:MODULE:FUNCTION`; MODULE.py is looked for in the workspace `root` first.

    Raises UsageError for a name of another form, a module that is not there or cannot be imported, and for what is
    no function of two arguments.
    """
    function = _named(name, root).function()
    try:
        inspect.signature(function).bind("query", ["passage"])
    except TypeError as error:
        raise UsageError(f"{SETTING}: {name}: it is called with (query, passages): {error}") from error
    except ValueError:  # built-in functions may tell no signature
        pass
    return function


def function_sha256(name: str, root: Path) -> str:
    """Hash of the module's own file: scores depend on it. Empty where it is not in the workspace."""
    return _named(name, root).sha256()


def _named(name: str, root: Path) -> Named:
    return Named(name, PREFIX, SETTING, FORM, root)
