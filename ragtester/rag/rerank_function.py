"""Rerank by a Python function of the user's: `python:MODULE:FUNCTION`.

It is called as `function(query, passages)` with a text and a list of texts, and gives a score a passage, higher is
better. It may be async. One that is not runs in a thread, one call at a time, so that it need not be thread-safe.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from ragtester.errors import UsageError
from ragtester.provenance import sha256_file
from ragtester.rag.reranking import Scored, checked, failed, one_line
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


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives something to await: an async function, or an object whose call is one."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def load_function(name: str, root: Path) -> Callable[..., Any]:
    """The function of `python:MODULE:FUNCTION`; MODULE.py is looked for in the workspace `root` first.

    Raises UsageError for a name of another form, a module that is not there or cannot be imported, and for what is
    no function of two arguments.
    """
    module_name, function_name = _parts(name)
    module = _import(module_name, name, root)
    function: Callable[..., Any] | None = getattr(module, function_name, None)
    if not callable(function):
        what = "is no function" if hasattr(module, function_name) else "is not in it"
        raise UsageError(f"{SETTING}: {name}: {function_name} {what} ({getattr(module, '__file__', module_name)})")
    try:
        inspect.signature(function).bind("query", ["passage"])
    except TypeError as error:
        raise UsageError(f"{SETTING}: {name}: it is called with (query, passages): {error}") from error
    except ValueError:  # built-in functions may tell no signature
        pass
    return function


def function_sha256(name: str, root: Path) -> str:
    """Hash of the module's own file: scores depend on it. Empty where it is not in the workspace."""
    file = _file(_parts(name)[0], root)
    return sha256_file(file) if file is not None else ""


def _parts(name: str) -> tuple[str, str]:
    module, _, function = name.removeprefix(PREFIX).partition(":")
    if not function.isidentifier() or not all(part.isidentifier() for part in module.split(".")):
        raise UsageError(f"{SETTING}: {name!r} is not of the form {FORM}, as in python:my_rerank:score")
    return module, function


def _file(module: str, root: Path) -> Path | None:
    place = root.joinpath(*module.split("."))
    for file in (place.with_suffix(".py"), place / "__init__.py"):
        if file.is_file():
            return file.resolve()
    return None


def _import(module: str, name: str, root: Path) -> ModuleType:
    try:
        with _first_on_path(root):
            file = _file(module, root)
            return _load(module, file) if file and "." not in module else importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise UsageError(f"{SETTING}: {name} cannot be imported: {one_line(error)}") from error
        raise UsageError(f"{SETTING}: no module {module}: put {module}.py into {root}, or install it") from error
    except (Exception, SystemExit) as error:
        raise UsageError(f"{SETTING}: {name} cannot be imported: {one_line(error)}") from error


def _load(module: str, file: Path) -> ModuleType:
    """Import a file of the workspace under a name of its own: two workspaces, or an edited file, never get mixed up."""
    own = f"{module}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(own, file)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[own] = made  # dataclasses look their module up there
    try:
        spec.loader.exec_module(made)
    except BaseException:
        del sys.modules[own]
        raise
    return made


@contextmanager
def _first_on_path(root: Path) -> Iterator[None]:
    importlib.invalidate_caches()
    before = list(sys.path)
    sys.path.insert(0, str(root.resolve()))
    try:
        yield
    finally:
        sys.path[:] = before
