"""The stage: plan, check what is there, run the cells, keep the account."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ragtester.errors import RagtesterError, UsageError
from ragtester.progress import Progress, StageResult
from ragtester.provenance import end_manifest
from ragtester.records import Answer, Case, Document, Ledger, Manifest
from ragtester.settings import Settings
from ragtester.stages.execute import plan
from ragtester.stages.execute.answers import AnswerFile
from ragtester.stages.execute.cell import Cell, Halt, Services, run_cell
from ragtester.stages.execute.library import Library, Stores
from ragtester.stages.execute.manifest import STAGE, begun
from ragtester.stages.execute.plan import AnswerRows, Keys, Tally
from ragtester.stages.execute.retrieval import FromStores, Nothing, Retrieval
from ragtester.stages.execute.suite import Suite, open_suite
from ragtester.storage import read_json, write_json
from ragtester.tasks import ANSWER_CLOSED_BOOK, ANSWER_QUESTION, Embedder, Models
from ragtester.workspace import Workspace

# Cells that are open at once: while one waits for its last replies, the next ones keep the servers busy.
OPEN_CELLS = 4


async def run(
    workspace: Workspace,
    settings: Settings,
    models: Models,
    embedders: Callable[[str], Embedder],
    progress: Progress,
    *,
    overwrite: bool = False,
) -> StageResult:
    """Put every case of the suite to every system of the matrix; one answer row each.

    Rows that are there under the planned key are kept, the rest is made. Raises UsageError, DataError (every fault of
    the suite's files), ChangedInputsError (unless `overwrite`) and StorageError; what a model, an embedding model or a
    server does wrong becomes rows. With `settings.control()` the LLMs are asked without retrieval.
    """
    index = settings.execute.index
    if index.chunk_overlap >= index.chunk_size:
        raise UsageError(
            f"execute.index: chunk_overlap {index.chunk_overlap} must be below {index.chunk_size} (chunk_size)"
        )
    job = _Job(workspace, settings, models, embedders, progress, open_suite(workspace, settings))
    job.prepare(overwrite)
    try:
        await job.make()
    except BaseExceptionGroup as group:
        raise _first(group) from group
    finally:
        await job.retrieval.close()
        progress.finish()
    return job.close()


@dataclass
class _Job:
    """One call of the stage."""

    workspace: Workspace
    settings: Settings
    models: Models
    embedders: Callable[[str], Embedder]
    progress: Progress
    suite: Suite
    tally: Tally = field(default_factory=Tally)
    halt: Halt = field(default_factory=Halt)
    planned: int = 0
    unfilled: int = 0
    open: dict[tuple[str, str], dict[str, dict[str, str]]] = field(default_factory=dict)
    """Cells (document, embedding model) with anything to do: the row keys of each of their LLMs, by case."""

    def __post_init__(self) -> None:
        self.matrix = plan.matrix(self.settings)
        self.task = ANSWER_CLOSED_BOOK if self.settings.execute.is_control else ANSWER_QUESTION
        self.keys = Keys(self.settings, self.models.prompt_sha256(self.task))
        self.corpus = plan.corpus_identity(self.suite.documents, self.settings)
        self.retrieval = self._retrieval()
        self.folder = self.workspace.answers(self.settings.execute.run)
        self.begun = time.monotonic()
        self.manifest = begun(self.settings, self.suite, self.keys, self.task)

    # What is there

    def prepare(self, overwrite: bool) -> None:
        """Check the suite, read what stands, refuse changed inputs, and write the manifest."""
        self.retrieval.check(self.matrix)
        embedded = sorted({llm for llms in self.matrix.values() for llm in llms if llm.startswith("embedded:")})
        if embedded and self.settings.execute.is_control:
            names = ", ".join(embedded)
            self.progress.note(
                f"{names}: the embedded engine has no memory; a closed-book control means nothing for it"
            )
        plan.recover(self.folder, self.progress)
        plan.note_strangers(self.folder, self._pairs(), self.progress)
        stale: list[AnswerRows] = []
        systems = sum(len(llms) for llms in self.matrix.values())
        for document, cases, unfilled in self.suite.check():
            self.planned += (len(cases) + unfilled) * systems
            self.unfilled += unfilled * systems
            stale += [rows for rows in self._standing(document, cases) if rows.stale]
        if stale and not overwrite:
            told = [line for rows in stale for line in rows.stale]
            plan.refuse_changes(told, read_json(self.folder / "manifest.json", Manifest), self.manifest)
        for rows in stale:
            plan.clear_stale(rows)
        if not self.planned:
            raise UsageError(f"{self.workspace.suite(self.suite.name)}: no case to execute; make cases first")
        write_json(self.folder / "manifest.json", self.manifest)
        self.progress.start(f"{STAGE} (closed book)" if self.settings.execute.is_control else STAGE, self.planned)
        self.progress.advance(count=self.tally.rows - self.tally.failed + self.unfilled)
        self.progress.advance(count=self.tally.failed, failed=True)

    def _standing(self, document: Document, cases: list[Case]) -> Iterator[AnswerRows]:
        for embedding, llms in self.matrix.items():
            planned = {llm: self.keys.of(document, cases, llm, embedding, self.corpus) for llm in llms}
            for llm, keys in planned.items():
                rows = self._read(document, llm, embedding, keys)
                for row in rows.kept.values():
                    self.tally.add(row)
                if not (rows.clean and list(keys) == rows.order and (self.retrieval.stands(document) or not keys)):
                    self.open[document.id, embedding] = planned
                yield rows

    def _read(self, document: Document, llm: str, embedding: str, keys: dict[str, str]) -> AnswerRows:
        path = self.workspace.answers_file(self.settings.execute.run, llm, embedding, document.id)
        return plan.read_answers(path, keys, self.settings.execute.retry_failed)

    # What is to be made

    async def make(self) -> None:
        """Run all cells, a few at once."""
        retrieval, windows = self.retrieval, self._windows()
        services = Services(self.models, retrieval.hits, retrieval.chunks, windows, self.halt, self.task)
        room = asyncio.Semaphore(OPEN_CELLS)
        cells = [pair for pair in self._order() if self._is_open(*pair)]
        if cells:
            retrieval.load()
        async with asyncio.TaskGroup() as group:
            for document, embedding in cells:
                await room.acquire()
                if self.halt.reason:
                    return
                group.create_task(self._run_cell(document, embedding, services, room))

    def _is_open(self, document: Document, embedding: str) -> bool:
        return (document.id, embedding) in self.open

    def _pairs(self) -> Iterator[tuple[str, str]]:
        return ((llm, embedding) for embedding, llms in self.matrix.items() for llm in llms)

    def _order(self) -> Iterable[tuple[Document, str]]:
        """Document by document where each has its own stores; store by store where all share one."""
        pairs = [(document, embedding) for embedding in self.matrix for document in self.suite.documents]
        if self.settings.execute.index.scope == "corpus":
            return pairs
        place = {document.id: number for number, document in enumerate(self.suite.documents)}
        return sorted(pairs, key=lambda pair: place[pair[0].id])

    async def _run_cell(self, document: Document, embedding: str, services: Services, room: asyncio.Semaphore) -> None:
        files: dict[str, AnswerFile] = {}

        def emit(row: Answer) -> None:
            files[row.llm].append(row)
            self.tally.add(row)
            self.progress.advance(failed=row.outcome == "failed", cost=row.call.cost if row.call else None)

        try:
            cases = tuple(self.suite.cases(document))
            wanted = []
            for llm, keys in self.open[document.id, embedding].items():
                rows = self._read(document, llm, embedding, keys)
                files[llm] = AnswerFile.open(rows, tuple(keys))
                missing = {name: key for name, key in keys.items() if name not in rows.kept}
                wanted.append((self.keys.system(llm, embedding), missing))
            await self.retrieval.begin(document)
            cell = Cell(document, self.retrieval.retriever(document, embedding), cases, tuple(wanted))
            if cell.asked:
                await run_cell(cell, services, emit)
                await self.retrieval.settle(cell)
            for file in files.values():
                file.finish()
        finally:
            for file in files.values():
                file.close()
            room.release()

    def _retrieval(self) -> Retrieval:
        if self.settings.execute.is_control:
            return Nothing()
        library = Library(self.suite, self.settings, self.progress)
        return FromStores(self.settings.execute, library, Stores(library, self.embedders, self._cases_to_ask))

    def _cases_to_ask(self, document: Document, embedding: str) -> list[Case]:
        return self.suite.cases(document) if self._is_open(document, embedding) else []

    def _windows(self) -> dict[str, asyncio.Semaphore]:
        """Twice as many waiting calls as a provider takes at once, so that it never waits for us."""
        llms = dict.fromkeys(llm for llms in self.matrix.values() for llm in llms)
        return {llm: asyncio.Semaphore(2 * self.settings.provider(llm.partition(":")[0]).concurrency) for llm in llms}

    # The account

    def close(self) -> StageResult:
        """Write the final manifest and sum up."""
        tally = self.tally
        ledger = Ledger(
            planned=self.planned,
            ok=tally.rows - tally.failed,
            failed=tally.failed,
            skipped=self.planned - self.unfilled - tally.rows,
            unfilled=self.unfilled,
        )
        counts = self._counts()
        served = {name: ", ".join(sorted(tally.served[name])) for name in sorted(tally.served)}
        models = {name: served.get(name) for name in self.manifest.models}
        seconds = round(time.monotonic() - self.begun, 1)
        ended = end_manifest(self.manifest, ledger=ledger, counts={**counts, "seconds": seconds}, models=models)
        write_json(self.folder / "manifest.json", ended)
        stopped = f"{self.halt.reason}; the same command goes on from here" if self.halt.reason else ""
        return StageResult(STAGE, ledger, self.folder, counts, stopped)

    def _counts(self) -> dict[str, Any]:
        tally = self.tally
        return {
            "documents": len(self.suite.documents),
            "systems": {name: dict(sorted(tally.systems[name].items())) for name in sorted(tally.systems)},
            "outcomes": dict(sorted(tally.outcomes.items())),
            "failures": dict(sorted(tally.failures.items())),
            "tokens": dict(sorted(tally.tokens.items())),
            "cost": round(tally.cost, 6),
        }


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error to show: an expected one where there is one, else the first; stopping by hand goes before all."""
    flat: list[BaseException] = []
    for error in group.exceptions:
        flat.append(_first(error) if isinstance(error, BaseExceptionGroup) else error)
    for kind in (KeyboardInterrupt, asyncio.CancelledError, RagtesterError):
        for error in flat:
            if isinstance(error, kind):
                return error
    return flat[0]
