"""Searching the suite under one point, row by row, and how long that took."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from time import perf_counter

from ragtester.progress import Progress
from ragtester.records import Call, PointTimes
from ragtester.searching.coverage import Coverage
from ragtester.searching.measure import measure
from ragtester.searching.search import Search, Searched
from ragtester.searching.suite import Suite
from ragtester.searching.times import median_each
from ragtester.stages.experiment.points import Point
from ragtester.stages.experiment.rows import PointRows, make_row
from ragtester.storage import RowWriter
from ragtester.tasks import STOPPING_FAILURES, Embedder, Models

DIGITS = 9
QUESTIONS = 64
"""Questions that are embedded for the time it takes, where none had to be."""


@dataclass
class TimedEmbedder:
    """An embedding model that notes how long its questions took, batch by batch."""

    inner: Embedder
    model: str = ""
    batches: list[tuple[int, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.model = self.inner.model

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed passages."""
        return await self.inner.embed_documents(texts)

    async def embed_queries(self, texts: list[str]) -> list[list[float]]:
        """Embed questions."""
        began = perf_counter()
        vectors = await self.inner.embed_queries(texts)
        self.batches.append((len(texts), perf_counter() - began))
        return vectors


@dataclass
class Services:
    """What a search needs besides its settings."""

    suite: Suite
    models: Models
    embedders: Callable[[str], Embedder]
    progress: Progress


@dataclass
class PointRun:
    """What came of searching one point: rows stand in its file, times are here.

    `stopped` says why cases are left open: a limit was reached, or a model takes no more requests.
    """

    times: PointTimes
    stopped: str = ""
    calls: list[Call] = field(default_factory=list)


async def build(services: Services, point: Point, cases: Collection[str]) -> list[Call]:
    """Make the stores of a point with a few cases (one a document): while a store is written, queries take longer.

    What fails is met again by the search itself, which accounts for it. Gives the requests sent to language models.
    """
    search = _search(services, point, services.embedders, cases)
    return [
        call
        async for found in search.run(point.embedding)
        for context in found.contexts
        for call in context.trace.calls
        if call.sent
    ]


def _search(services: Services, point: Point, embedders: Callable[[str], Embedder], cases: Collection[str]) -> Search:
    return Search(
        services.suite, point.settings, embedders, services.models, services.progress, lambda case: case.id in cases
    )


async def search_point(services: Services, point: Point, rows: PointRows) -> PointRun:
    """Make the missing rows of a point and append them as they come. Raises UsageError and StorageError."""
    missing = set(rows.missing)
    timed: list[TimedEmbedder] = []

    def embedder(name: str) -> Embedder:
        timed.append(TimedEmbedder(services.embedders(name)))
        return timed[-1]

    search = _search(services, point, embedder, missing)
    run = PointRun(PointTimes(name=point.name, embedding=point.embedding))
    writer, questions = RowWriter(rows.path), list[str]()
    try:
        async for found in search.run(point.embedding):
            _write(services, point, rows, found, writer, run)
            questions += [context.trace.rewrite or context.trace.query for context in found.contexts]
    finally:
        writer.close()
    times = search.stores.times
    asked = [batch for one in timed for batch in one.batches] or await _asked_again(services, point, questions)
    update = {
        "query": _rounded(times.query()),
        "embed": _rounded(median_each(asked)),
        "batches": len(times.searched),
    }
    run.times = run.times.model_copy(update=update)
    return run


async def _asked_again(services: Services, point: Point, questions: list[str]) -> list[tuple[int, float]]:
    """The time of a few questions whose vectors the stores remember: only where asking costs nothing."""
    if not point.embedding.startswith("embedded:") or not questions:
        return []
    timed = TimedEmbedder(services.embedders(point.embedding))
    await timed.embed_queries(questions[:QUESTIONS])
    return timed.batches


def _write(
    services: Services, point: Point, rows: PointRows, found: Searched, writer: RowWriter, run: PointRun
) -> None:
    coverage = Coverage(found.chunks, services.suite.text(found.document))
    path = point.settings.execute.retrieval
    for context in found.contexts:
        failure = found.failure or context.failure
        sent = [call for call in context.trace.calls if call.sent]
        run.calls += sent
        if failure is not None and failure.type in STOPPING_FAILURES:
            run.stopped = run.stopped or f"{failure.type}: {failure.message}"
            continue
        measured = measure(context.case, context.trace, coverage, path=path)
        key = rows.keys[context.case.id]
        writer.append(make_row(point, key, context, measured, failure))
        cost = sum(call.cost or 0.0 for call in sent)
        services.progress.advance(failed=failure is not None, cost=cost or None)


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, DIGITS)
