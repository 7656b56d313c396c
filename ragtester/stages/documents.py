"""Stage 1: write documents into the corpus (D_gen).

Plan first: document i has a seed, a profile and a request of its own, and a key over all of it. Rows of the ledger
`documents.jsonl` with the planned key whose files are there unchanged are kept; the rest is written. Each document is
asked for, rendered in a process of its own and read back before its row stands on disk.
"""

from __future__ import annotations

import asyncio
import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtester.documents.writer import Draft, files_intact, remove_files, write_files
from ragtester.errors import ChangedInputsError, UsageError
from ragtester.progress import Progress, StageResult
from ragtester.provenance import begin_manifest, end_manifest, now, row_key, versions
from ragtester.records import GeneratedDocument, GeneratedRow, Ledger, Manifest, UngeneratedDocument
from ragtester.settings import DocumentsSettings, Settings
from ragtester.storage import append_row, read_json, read_rows, recover_tail, write_json, write_rows
from ragtester.tasks import SPENT_FAILURES, WRITE_DOCUMENT, Models, WriteDocument
from ragtester.workspace import Workspace

LEDGER = "documents.jsonl"
MANIFEST = "manifest.json"
WRITERS = ("markdown", "weasyprint", "matplotlib")
"""Packages that shape the written files, besides those that shape every stage."""
# Rendering failures that a better machine may not repeat: the kept Markdown is rendered again, nothing is paid twice.
MENDABLE = frozenset({"no_font", "timeout", "crash"})
RENDER_AT_ONCE = max(1, min(4, os.cpu_count() or 1))


@dataclass(frozen=True)
class Order:
    """One planned document."""

    ordinal: int
    request: WriteDocument
    key: str
    model: str
    prompt_sha256: str


@dataclass
class _Shift:
    """What the tasks of one start share."""

    folder: Path
    models: Models
    progress: Progress
    renderers: asyncio.Semaphore
    rows: dict[int, GeneratedRow]
    stopped: str = ""


async def run(
    workspace: Workspace, settings: Settings, models: Models, progress: Progress, *, overwrite: bool = False
) -> StageResult:
    """Write `settings.documents.count` documents into `settings.documents.folder`.

    Raises UsageError for a profile that does not exist, ChangedInputsError where documents of other settings stand
    there already, and MissingPackageError where this machine cannot make PDFs.
    """
    wanted = settings.documents
    folder = workspace.root / wanted.folder
    orders = plan(settings, models.prompt_sha256(WRITE_DOCUMENT))
    progress.start("documents", len(orders))
    if not orders:
        progress.finish()
        return StageResult("documents", Ledger(planned=0), folder)
    rows = _kept(folder, orders, _parameters(wanted), overwrite, progress)
    shift = _Shift(folder, models, progress, asyncio.Semaphore(RENDER_AT_ONCE), rows)
    started = now()
    todo = [order for order in orders if not _finished(folder, rows.get(order.ordinal))]
    progress.advance(count=len(orders) - len(todo))
    try:
        if todo:
            await _check_machine()
        await _write_all(shift, todo)
    finally:
        _close(shift, orders, settings, started)
        progress.finish()
    return _result(shift, orders)


def plan(settings: Settings, prompt_sha256: str) -> list[Order]:
    """All documents that are wanted: profiles mixed by seed, topics in turn, names for the first documents."""
    wanted = settings.documents
    if wanted.count and not wanted.profiles:
        raise UsageError("[documents] profiles is empty; name at least one layout")
    return [_order(index, settings, prompt_sha256) for index in range(wanted.count)]


def _order(index: int, settings: Settings, prompt_sha256: str) -> Order:
    wanted = settings.documents
    request = WriteDocument(
        language=wanted.language,
        length=wanted.length,
        detail=wanted.detail,
        tone=wanted.tone,
        structure=wanted.structure,
        content=wanted.content,
        formatting=wanted.formatting,
        profile=_profile(index, settings.workspace.seed, wanted.profiles),
        topic=wanted.topics[index % len(wanted.topics)] if wanted.topics else None,
        name=wanted.names[index] if index < len(wanted.names) else None,
        sections=wanted.sections,
        seed=settings.workspace.seed * 10_007 + index,
    )
    parts = {"request": request.model_dump(mode="json"), "model": wanted.model, "prompt": prompt_sha256}
    return Order(index, request, row_key(**parts), wanted.model, prompt_sha256)


def _profile(index: int, seed: int, profiles: tuple[str, ...]) -> str:
    """Every profile once in each round, in an order of its own."""
    round_, place = divmod(index, len(profiles))
    mixed = list(profiles)
    random.Random(f"profiles {seed} {round_}").shuffle(mixed)  # noqa: S311 - reproducible, not secret
    return mixed[place]


def _kept(
    folder: Path, orders: list[Order], parameters: dict[str, Any], overwrite: bool, progress: Progress
) -> dict[int, GeneratedRow]:
    """Rows that stand already, by ordinal; refuses rows that were made from something else."""
    ledger = folder / LEDGER
    notice = recover_tail(ledger)
    if notice:
        progress.note(notice)
    rows: dict[int, GeneratedRow] = {row.ordinal: row for row in read_rows(ledger, GeneratedRow)}
    keys = {order.ordinal: order.key for order in orders}
    changed = [row for row in rows.values() if row.ordinal in keys and row.key != keys[row.ordinal]]
    if changed and not overwrite:
        raise ChangedInputsError(
            f"{folder}: {len(changed)} document(s) were written from other settings ({_changes(folder, parameters)}); "
            "use --overwrite to write them again, or another [documents] folder"
        )
    if overwrite:
        for row in rows.values():
            remove_files(folder, row)
        write_rows(ledger, [])
        return {}
    return rows


def _changes(folder: Path, parameters: dict[str, Any]) -> str:
    """Names of the settings that differ from the manifest's."""
    manifest = read_json(folder / MANIFEST, Manifest)
    before = manifest.parameters if manifest else {}
    names = [name for name in parameters if name != "count" and before.get(name) != parameters[name]]
    return ", ".join(names) or "seed or prompt"


def _finished(folder: Path, row: GeneratedRow | None) -> bool:
    """Whether nothing is left to do for a row: whole, or failed in a way that was paid for."""
    if isinstance(row, GeneratedDocument):
        return files_intact(folder, row)
    if isinstance(row, UngeneratedDocument):
        return row.failure.type in SPENT_FAILURES or row.failure.type == "read_back"
    return False


async def _check_machine() -> None:
    """Find out that PDFs cannot be made here before anything is paid for."""
    from ragtester.documents.render import render_pdf

    await asyncio.to_thread(render_pdf, "# Ready")


async def _write_all(shift: _Shift, todo: list[Order]) -> None:
    try:
        async with asyncio.TaskGroup() as group:
            for order in todo:
                group.create_task(_write_one(shift, order))
    except BaseExceptionGroup as group_error:
        # One line for the user instead of a tree: the first error stopped the others.
        raise group_error.exceptions[0] from group_error


async def _write_one(shift: _Shift, order: Order) -> None:
    draft = _draft_on_disk(shift, order)
    if draft is None:
        asked = await shift.models.ask(order.model, WRITE_DOCUMENT, order.request)
        if asked.failure is not None and asked.failure.type == "budget":
            shift.stopped = asked.failure.message
            return
        draft = Draft(
            order.ordinal, order.key, order.request, order.prompt_sha256, asked.call, asked.reply, asked.failure
        )
    async with shift.renderers:
        row = await asyncio.to_thread(write_files, shift.folder, draft)
    shift.rows[order.ordinal] = row
    append_row(shift.folder / LEDGER, row)
    cost = draft.call.cost if draft.call else None
    if isinstance(row, UngeneratedDocument):
        shift.progress.note(f"document {order.ordinal + 1}: {row.failure.message}")
    else:
        for note in row.notes:
            shift.progress.note(f"{row.file}: {note}")
    shift.progress.advance(failed=row.status == "failed", cost=cost)


def _draft_on_disk(shift: _Shift, order: Order) -> Draft | None:
    """The reply of an earlier start whose rendering failed for a reason that may be gone now."""
    row = shift.rows.get(order.ordinal)
    if not isinstance(row, UngeneratedDocument) or row.failure.type not in MENDABLE or not row.markdown:
        return None
    return Draft.from_markdown(shift.folder, row, order.request)


def _close(shift: _Shift, orders: list[Order], settings: Settings, started: str) -> None:
    """Rows in planned order, and the manifest that says what the folder holds."""
    if not shift.rows and not shift.folder.is_dir():
        return
    rows = [shift.rows[ordinal] for ordinal in sorted(shift.rows)]
    write_rows(shift.folder / LEDGER, rows)
    wanted = settings.documents
    ok = [row for row in rows if isinstance(row, GeneratedDocument)]
    served = sorted({row.call.served_model for row in ok if row.call and row.call.served_model})
    manifest = begin_manifest(
        "documents",
        Path(wanted.folder).name,
        seed=settings.workspace.seed,
        models=dict.fromkeys(sorted({wanted.model, *served})),  # a served name may float where the asked one does not
        prompts={WRITE_DOCUMENT.name: orders[0].prompt_sha256},
        parameters=_parameters(wanted),
        started=started,
    )
    ended = end_manifest(
        manifest,
        ledger=_ledger(shift, orders),
        counts={"documents": [_entry(row) for row in ok], "failed": [_entry(row) for row in rows if row not in ok]},
        models={wanted.model: ", ".join(served) or None},
    )
    write_json(shift.folder / MANIFEST, ended.model_copy(update={"versions": versions(*WRITERS)}))


def _entry(row: GeneratedRow) -> dict[str, Any]:
    return row.model_dump(mode="json", exclude={"call", "status"})


def _parameters(wanted: DocumentsSettings) -> dict[str, Any]:
    return wanted.model_dump(mode="json", exclude={"folder"})


def _ledger(shift: _Shift, orders: list[Order]) -> Ledger:
    rows = [shift.rows.get(order.ordinal) for order in orders]
    ok = sum(1 for row in rows if isinstance(row, GeneratedDocument))
    failed = sum(1 for row in rows if isinstance(row, UngeneratedDocument))
    return Ledger(planned=len(orders), ok=ok, failed=failed, skipped=len(orders) - ok - failed)


def _result(shift: _Shift, orders: list[Order]) -> StageResult:
    reasons: dict[str, int] = {}
    for order in orders:
        row = shift.rows.get(order.ordinal)
        if isinstance(row, UngeneratedDocument):
            reasons[row.failure.type] = reasons.get(row.failure.type, 0) + 1
    pages = sum(row.pages for row in shift.rows.values() if isinstance(row, GeneratedDocument))
    counts = {"pages": pages, "failures": dict(sorted(reasons.items()))}
    return StageResult("documents", _ledger(shift, orders), shift.folder, counts, stopped=shift.stopped)
