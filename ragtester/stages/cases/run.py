"""The stage `cases`: reads the corpus, then works through its documents, technique by technique."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from ragtester.errors import UsageError
from ragtester.progress import Progress, StageResult
from ragtester.records import Document, Failure, Ledger, Section
from ragtester.settings import Settings
from ragtester.stages.cases import manifests
from ragtester.stages.cases.baseline import Baseline
from ragtester.stages.cases.desk import Desk
from ragtester.stages.cases.donors import Donors
from ragtester.stages.cases.reading import TECHNIQUES, Corpus, read, read_text
from ragtester.stages.cases.spending import Metered
from ragtester.stages.cases.strategy import Strategy, cut
from ragtester.tasks import Embedder, Models
from ragtester.text.near_questions import Questions
from ragtester.workspace import Workspace

# Documents under way at once: enough to keep a server busy, few enough to hold their texts.
WINDOW = 8
WORKERS: dict[str, type[Strategy] | type[Baseline]] = {"ragtester": Strategy, "baseline": Baseline}


async def run(
    workspace: Workspace,
    settings: Settings,
    models: Models,
    embed: Callable[[str], Embedder],
    progress: Progress,
    *,
    corpus: Sequence[str] | None = None,
    technique: str | None = None,
    overwrite: bool = False,
) -> StageResult:
    """Make `settings.cases.per_document` cases a document and technique in `generated/<suite>/`.

    `corpus` names files, folders or globs in place of the setting. Rows of an earlier start are kept; `overwrite`
    makes those again that were made from other inputs. Raises UsageError (no readable document, unknown technique)
    and ChangedInputsError; what a model does wrong becomes an unfilled row.
    """
    asked = technique or settings.cases.technique
    names = TECHNIQUES if asked == "all" else (asked,)
    if any(name not in WORKERS for name in names):
        raise UsageError(f"unknown technique {asked!r}; known: {', '.join(WORKERS)}, all")

    def desk_of(name: str, documents: Corpus, donors: Donors) -> Desk:
        questions = Questions(settings.cases.near_duplicate)
        return Desk(workspace, settings, Metered(models), embed, progress, name, donors, questions, documents.copies())

    # Before anything is written: reading gives documents and cases new texts and tags.
    nothing = Corpus()
    for name in names:
        manifests.refuse_changes(desk_of(name, nothing, _donors(workspace, settings, nothing)), overwrite)
    found = await read(workspace, settings, progress, corpus, overwrite)
    donors = _donors(workspace, settings, found)
    results: list[StageResult] = []
    stopped: Failure | None = None
    for name in names:
        desk = desk_of(name, found, donors)
        desk.stopped = stopped
        results.append(await _technique(desk, found, overwrite))
        stopped = desk.stopped
    return _together(workspace, settings, names, results)


def _donors(workspace: Workspace, settings: Settings, corpus: Corpus) -> Donors:
    def read_and_cut(document: Document) -> list[Section]:
        return cut(settings, document, read_text(workspace, settings.workspace.suite, document.id))

    return Donors(corpus.documents, corpus.sketches, read_and_cut, settings.workspace.seed)


async def _technique(desk: Desk, corpus: Corpus, overwrite: bool) -> StageResult:
    """Work through the documents in order, a few of them under way at once."""
    manifests.refuse_changes(desk, overwrite)
    manifest = manifests.begin(desk, corpus)
    planned = len(corpus.documents) * desk.settings.cases.per_document
    desk.progress.start(f"cases ({desk.technique})", planned)
    tally = manifests.Tally()
    under_way: deque[Strategy | Baseline] = deque()
    try:
        for document in corpus.documents:
            await asyncio.sleep(0)  # reading and cutting take a while: here a Ctrl-C takes effect
            worker = WORKERS[desk.technique](desk, document, overwrite)
            worker.begin()
            under_way.append(worker)
            if len(under_way) >= WINDOW:
                await _finish(under_way, tally)
        while under_way:
            await _finish(under_way, tally)
    except BaseException:
        for worker in under_way:
            await worker.settle(abandon=True)
        raise
    finally:
        desk.progress.finish()
    made = tally.ok + tally.failed + tally.unfilled
    ledger = Ledger(planned=planned, ok=tally.ok, failed=tally.failed, unfilled=tally.unfilled, skipped=planned - made)
    counts = tally.counts(corpus)
    manifests.end(desk, manifest, ledger, counts)
    desk.progress.note(f"cases ({desk.technique}): {tally.in_words()}")
    stopped = f"{desk.stopped.type}: {desk.stopped.message}" if desk.stopped else ""
    return StageResult("cases", ledger, manifests.path_of(desk).parent, counts, stopped)


async def _finish(under_way: deque[Strategy | Baseline], tally: manifests.Tally) -> None:
    worker = under_way[0]
    await worker.finish()
    under_way.popleft()
    await worker.settle()
    observed = worker.observed() if isinstance(worker, Baseline) else []
    tally.take(worker.work.document, worker.work.sections, worker.rows(), observed)


def _together(
    workspace: Workspace, settings: Settings, names: Sequence[str], results: Sequence[StageResult]
) -> StageResult:
    """One result for all techniques: ledgers summed, counts by technique."""
    if len(results) == 1:
        return results[0]
    ledgers = [result.ledger for result in results]
    whole = Ledger(
        planned=sum(one.planned for one in ledgers),
        ok=sum(one.ok for one in ledgers),
        failed=sum(one.failed for one in ledgers),
        unfilled=sum(one.unfilled for one in ledgers),
        skipped=sum(one.skipped for one in ledgers),
    )
    counts = {name: result.counts for name, result in zip(names, results, strict=True)}
    counts["unreadable"] = results[0].counts["unreadable"]
    stopped = next((result.stopped for result in results if result.stopped), "")
    return StageResult("cases", whole, workspace.suite(settings.workspace.suite), counts, stopped)
