"""A cell: one document × one embedding model, with all the LLMs that are asked from it.

An async function from records and services to rows. It knows no files and nothing of who runs it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from ragtester.rag.answering import System, TargetSystem
from ragtester.rag.contexts import Context
from ragtester.records import Answer, Case, Document, Failure
from ragtester.searching.stores import Asking
from ragtester.tasks import (
    PURPOSE,
    STOPPING_FAILURES,
    Asked,
    EmbeddingError,
    Models,
    QuestionAnswered,
    Task,
)

BUDGET = "budget"


@dataclass(frozen=True)
class Cell:
    """What is to be made: for each system its cases, with the key of each row."""

    document: Document
    embedding: str
    cases: tuple[Case, ...]
    wanted: tuple[tuple[System | TargetSystem, dict[str, str]], ...]

    @property
    def asking(self) -> Asking:
        """The cases that at least one system has to answer, in the suite's order."""
        wanted = {name for _, keys in self.wanted for name in keys}
        return Asking(self.document, self.embedding, tuple(case for case in self.cases if case.id in wanted))


@dataclass
class Halt:
    """Shared by all cells of a run: why the run stops, and which models have stopped."""

    reason: str = ""
    models: dict[str, Failure] = field(default_factory=dict)


@dataclass(frozen=True)
class Services:
    """What a cell needs from outside.

    `contexts` retrieves for each case, `nothing` gives the contexts of cases for which nothing could be retrieved;
    `reveal` takes out of a reply what it tells of the search;
    `windows` bound how many calls of one LLM wait at once; `task` is what the LLMs are asked.
    """

    models: Models
    contexts: Callable[[Asking], Awaitable[list[Context]]]
    nothing: Callable[[Asking], Awaitable[list[Context]]]
    reveal: Callable[[Context, Asked[Any]], Awaitable[tuple[Context, Asked[QuestionAnswered]]]]
    windows: dict[str, asyncio.Semaphore]
    halt: Halt
    task: Task[Any, Any]


async def run_cell(cell: Cell, services: Services, emit: Callable[[Answer], None]) -> None:
    """Make every wanted row of the cell and hand it to `emit` the moment it exists.

    Exactly one row a wanted (case, system), failures included, unless the run halts: then rows stay unmade.
    """
    try:
        found = await services.contexts(cell.asking)
    except EmbeddingError as error:
        await _without_vectors(cell, services, error.failure, emit)
        return
    contexts = {context.case.id: context for context in found}
    async with asyncio.TaskGroup() as lanes:
        for system, keys in cell.wanted:
            wanted = [(key, contexts[name]) for name, key in keys.items()]
            lanes.create_task(_lane(system, wanted, services, emit))


async def _without_vectors(cell: Cell, services: Services, failure: Failure, emit: Callable[[Answer], None]) -> None:
    if failure.type == BUDGET:
        services.halt.reason = services.halt.reason or failure.message
        return
    name = cell.embedding
    message = failure.message if name in failure.message else f"embedding model {name}: {failure.message}"
    failure = failure.model_copy(update={"message": message})
    contexts = {context.case.id: context for context in await services.nothing(cell.asking)}
    for system, keys in cell.wanted:
        for case_id, key in keys.items():
            emit(system.failed(key, contexts[case_id], failure))


async def _lane(
    system: System | TargetSystem, wanted: list[tuple[str, Context]], services: Services, emit: Callable[[Answer], None]
) -> None:
    """All calls of one LLM, in order, as many at once as its window allows."""
    window = services.windows[system.llm]
    async with asyncio.TaskGroup() as calls:
        for key, context in wanted:
            await window.acquire()
            if context.failure and context.failure.type == BUDGET:
                services.halt.reason = services.halt.reason or context.failure.message
            stopped = context.failure or services.halt.models.get(system.llm)
            if services.halt.reason or stopped:
                window.release()
                if services.halt.reason:
                    return
            if stopped:
                emit(system.failed(key, context, stopped))
            else:
                calls.create_task(_ask(system, key, context, services, emit))


async def _ask(
    system: System | TargetSystem, key: str, context: Context, services: Services, emit: Callable[[Answer], None]
) -> None:
    PURPOSE.set(key)
    try:
        asked = await services.models.ask(system.llm, services.task, system.request(context))
    finally:
        services.windows[system.llm].release()
    if asked.failure and asked.failure.type == BUDGET:
        services.halt.reason = services.halt.reason or asked.failure.message
        return
    if asked.failure and asked.failure.type in STOPPING_FAILURES:
        services.halt.models.setdefault(system.llm, asked.failure)
    context, answered = await services.reveal(context, asked)
    emit(system.row(key, context, answered))
