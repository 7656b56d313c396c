"""The stage: plan, check what is there, run the cells, keep the account."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ragtester.errors import RagtesterError, UsageError
from ragtester.models.targets.opening import PROVIDER, target_identity, watched
from ragtester.progress import Progress, StageResult
from ragtester.provenance import as_made, end_manifest
from ragtester.rag.rerankers import make_reranker, retrieval_prompts
from ragtester.records import Answer, Case, Document, Ledger, Manifest, Trace
from ragtester.searching.from_target import FromTarget
from ragtester.searching.library import Library
from ragtester.searching.queries import Preparation
from ragtester.searching.reach import Reach
from ragtester.searching.sources import FromStores, Nothing, Retrieval
from ragtester.searching.stores import Stores
from ragtester.searching.suite import Suite, open_suite
from ragtester.searching.tagged import other_tags
from ragtester.settings import Settings
from ragtester.stages.execute import plan
from ragtester.stages.execute.answers import AnswerFile
from ragtester.stages.execute.cell import Cell, Halt, Services, run_cell
from ragtester.stages.execute.changes import refuse, replaced, same_kind
from ragtester.stages.execute.manifest import STAGE, begun, inputs
from ragtester.stages.execute.plan import AnswerRows, Keys, TargetInputs
from ragtester.stages.execute.work import Work
from ragtester.storage import read_json, write_json
from ragtester.tasks import ANSWER_CLOSED_BOOK, ANSWER_CONFLICTS, ANSWER_QUESTION, ASK_TARGET, Embedder, Models, Task
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
    halt: Halt = field(default_factory=Halt)
    beside: dict[str, Any] = field(default_factory=dict)
    """Counts of the manifest that are no account of rows."""

    def __post_init__(self) -> None:
        self.keys, self.task = self._keys()
        self.queries = Preparation(self.settings, self.suite.documents, self.models)
        self.retrieval = self._retrieval()
        self.work = Work(self.settings, self.suite, self.keys, self.retrieval.stands, self._recall)
        self.folder = self.workspace.answers(self.settings.execute.run)
        self.begun = time.monotonic()

    def _keys(self) -> tuple[Keys, Task[Any, Any]]:
        """What makes the keys of the rows, and what is asked."""
        settings, root = self.settings, self.workspace.root
        reach = Reach(settings, self.suite.documents)
        if settings.target.name:
            inputs = TargetInputs(target_identity(settings, root), watched(settings.target, root))
            return Keys(settings, "", reach, target=inputs), ASK_TARGET
        task: Task[Any, Any] = ANSWER_CONFLICTS if settings.execute.surface_conflicts else ANSWER_QUESTION
        task = ANSWER_CLOSED_BOOK if settings.execute.is_control else task
        prompts = retrieval_prompts(settings, self.models, root)
        return Keys(settings, self.models.prompt_sha256(task), reach, prompts), task

    def _recall(self, case: Case, trace: Trace) -> None:
        """Take up the trace of a row that stands."""
        self.queries.recall(case, trace)
        self.retrieval.stand(trace)

    # What is there

    def prepare(self, overwrite: bool) -> None:
        """Check the suite, read what stands, refuse changed inputs, and write the manifest."""
        work = self.work
        self.retrieval.check(work.matrix)
        self._note_models()
        plan.recover(self.folder, self.progress)
        plan.note_strangers(self.folder, work.pairs, self.progress)
        old = read_json(self.folder / "manifest.json", Manifest)
        same_kind(old, target=self.keys.target is not None)
        stale = work.survey()
        if not work.planned:
            raise UsageError(f"{self.workspace.suite(self.suite.name)}: no case to execute; make cases first")
        self._note_tags()
        self.retrieval.surveyed(asks=bool(work.open))
        self._replace(stale, old, overwrite)
        self.manifest = self._begun(lambda folder, document: work.others.belongs(folder, document, old))
        if not work.open:
            self.manifest = as_made(self.manifest, old)
        write_json(self.folder / "manifest.json", self.manifest)
        self._note_work(old)
        self.progress.start(f"{STAGE} (closed book)" if self.settings.execute.is_control else STAGE, work.planned)
        self.progress.advance(count=work.tally.rows - work.tally.failed + work.unfilled)
        self.progress.advance(count=work.tally.failed, failed=True)

    def _note_models(self) -> None:
        embedded = sorted({llm for llm, _ in self.work.pairs if llm.startswith("embedded:")})
        if embedded and self.settings.execute.is_control:
            names = ", ".join(embedded)
            self.progress.note(
                f"{names}: the embedded engine has no memory; a closed-book control means nothing for it"
            )

    def _note_tags(self) -> None:
        note = other_tags(self.suite, self.settings.access)
        if note and not self.settings.execute.is_control:
            self.progress.note(note)

    def _replace(self, rows: list[AnswerRows], old: Manifest | None, overwrite: bool) -> None:
        """Take stale rows out of their files, or refuse to."""
        stale = [one for file in rows for one in file.stale]
        if stale and not overwrite:
            refuse(stale, old, self._begun(lambda *_: True))
        if stale:
            self.progress.note(replaced(self.settings.execute.run, stale))
        for file in rows:
            plan.clear_stale(file)

    def _begun(self, belongs: Callable[[str, str], bool]) -> Manifest:
        return begun(self.settings, self.keys, self.task, inputs(self.suite, belongs))

    def _note_work(self, old: Manifest | None) -> None:
        """Tell what stands beside the work, and where there is nothing to choose from; the manifest keeps both."""
        work, execute = self.work, self.settings.execute
        if work.others.answers:
            self.progress.note(work.others.in_words(execute.run))
            self.beside["other_techniques"] = work.others.counts(len(work.pairs), old)
        opened, documents = {name for name, _ in work.open}, len(work.questioned)
        whole = self.retrieval.whole(work.questioned, lambda one: one.id in opened)
        if whole is not None:
            self.beside["whole_documents"] = {"documents": documents, "whole": whole}
        if whole:
            self.progress.note(
                f"{whole} of {documents} documents have at most {execute.k} chunks (execute.k): every question gets "
                "the whole document there, and embedding models cannot differ on them; lower execute.k or "
                "execute.index.chunk_size"
            )

    # What is to be made

    async def make(self) -> None:
        """Run all cells, a few at once."""
        retrieval, windows = self.retrieval, self._windows()
        search = retrieval.contexts, retrieval.nothing, retrieval.reveal
        services = Services(self.models, *search, windows, self.halt, self.task)
        room = asyncio.Semaphore(OPEN_CELLS)
        cells = [pair for pair in self._order() if self.work.is_open(*pair)]
        if cells:
            retrieval.load()
        async with asyncio.TaskGroup() as group:
            for document, embedding in cells:
                await room.acquire()
                if self.halt.reason:
                    return
                group.create_task(self._run_cell(document, embedding, services, room))

    def _order(self) -> Iterable[tuple[Document, str]]:
        """Document by document where each has its own stores; store by store where all share one."""
        pairs = [(document, embedding) for embedding in self.work.matrix for document in self.suite.documents]
        if self.settings.execute.index.scope == "corpus":
            return pairs
        place = {document.id: number for number, document in enumerate(self.suite.documents)}
        return sorted(pairs, key=lambda pair: place[pair[0].id])

    async def _run_cell(self, document: Document, embedding: str, services: Services, room: asyncio.Semaphore) -> None:
        files: dict[str, AnswerFile] = {}

        def emit(row: Answer) -> None:
            files[row.llm].append(row)
            if row.trace:
                self.retrieval.stand(row.trace)
            self.work.tally.add(row)
            self.progress.advance(failed=row.outcome == "failed", cost=row.call.cost if row.call else None)

        try:
            cases = tuple(self.suite.cases(document))
            wanted = []
            for llm, planned in self.work.open[document.id, embedding].items():
                rows = self.work.read(document, llm, embedding, planned)
                files[llm] = AnswerFile.open(rows)
                wanted.append((self.keys.system(llm, embedding), rows.missing))
            await self.retrieval.begin(document)
            cell = Cell(document, embedding, cases, tuple(wanted))
            asking = cell.asking
            if asking.cases:
                await run_cell(cell, services, emit)
                await self.retrieval.settle(asking)
            for file in files.values():
                file.finish()
        finally:
            for file in files.values():
                file.close()
            room.release()

    def _retrieval(self) -> Retrieval:
        if self.keys.target is not None:
            return FromTarget(self.settings, self.suite)
        if self.settings.execute.is_control:
            return Nothing()
        library = Library(self.suite, self.settings, self.progress)
        stores = Stores(library, self.embedders, self._cases_to_ask, self.queries)
        return FromStores(
            self.settings.execute, library, stores, make_reranker(self.settings, self.models, self.workspace.root)
        )

    def _cases_to_ask(self, document: Document, embedding: str) -> list[Case]:
        return self.suite.cases(document) if self.work.is_open(document, embedding) else []

    def _windows(self) -> dict[str, asyncio.Semaphore]:
        """Twice as many waiting calls as a provider takes at once, so that it never waits for us."""
        llms = dict.fromkeys(llm for llms in self.work.matrix.values() for llm in llms)
        providers = {llm: PROVIDER if self.keys.target else llm.partition(":")[0] for llm in llms}
        return {llm: asyncio.Semaphore(2 * self.settings.provider(providers[llm]).concurrency) for llm in llms}

    # The account

    def close(self) -> StageResult:
        """Write the final manifest and sum up."""
        work, tally = self.work, self.work.tally
        ledger = Ledger(
            planned=work.planned,
            ok=tally.rows - tally.failed,
            failed=tally.failed,
            skipped=work.planned - work.unfilled - tally.rows,
            unfilled=work.unfilled,
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
        tally = self.work.tally
        return {
            "documents": len(self.suite.documents),
            "systems": {name: dict(sorted(tally.systems[name].items())) for name in sorted(tally.systems)},
            "outcomes": dict(sorted(tally.outcomes.items())),
            "failures": dict(sorted(tally.failures.items())),
            "tokens": dict(sorted(tally.tokens.items())),
            "cost": round(tally.cost, 6),
            **self.beside,
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
