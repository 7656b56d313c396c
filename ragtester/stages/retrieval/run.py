"""`ragtester audit retrieval`: items from one of three sources, audited, counted, and written down."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from ragtester.errors import UsageError
from ragtester.progress import Progress, StageResult
from ragtester.provenance import begin_manifest, end_manifest
from ragtester.records import TARGET, AuditedQuery, AuditSource, ClaimMetrics, RetrievalResult
from ragtester.settings import Settings
from ragtester.stages.retrieval.audit import Auditor
from ragtester.stages.retrieval.before import Earlier, before_after
from ragtester.stages.retrieval.claims import Claims
from ragtester.stages.retrieval.configuration import configuration
from ragtester.stages.retrieval.figures import Audited
from ragtester.stages.retrieval.files import Files
from ragtester.stages.retrieval.foreign import ForeignTrace
from ragtester.stages.retrieval.labels import GoldLabels, Labelling
from ragtester.stages.retrieval.leaks import Leaks
from ragtester.stages.retrieval.result import counts_of, ledger_of, make_result
from ragtester.stages.retrieval.sources import Source, from_answers, from_search, from_traces
from ragtester.storage import read_json, read_rows, write_json
from ragtester.tasks import TRACE_CLAIMS, Embedder, Models
from ragtester.workspace import Workspace

NAME = "audit retrieval"
NEW_OBJECTS = 50_000
"""Python looks for cycles after so many new objects. A trace has hundreds, and none is part of a cycle."""


@dataclass(frozen=True)
class Wanted:
    """What is asked of the audit. `traces` None: none were given; `before` names a run that was audited already.

    `inputs` maps files that were read for it to their hashes.
    """

    search: bool = False
    traces: tuple[ForeignTrace, ...] | None = None
    labels: GoldLabels | None = None
    before: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def source(self) -> AuditSource:
        """Where traces come from."""
        return "traces" if self.traces is not None else "search" if self.search else "answers"


@dataclass(frozen=True)
class _Services:
    """What sources and claims ask."""

    models: Models
    embedders: Callable[[str], Embedder]
    progress: Progress


async def run(
    workspace: Workspace,
    settings: Settings,
    models: Models,
    embedders: Callable[[str], Embedder],
    progress: Progress,
    wanted: Wanted,
) -> StageResult:
    """Audit a run, a search or another system's traces, and write `verdicts/<run>/retrieval/`.

    Raises UsageError for a run without answers or traces, DataError where suite and index are of different texts or no
    label fits, MissingPackageError and StorageError.
    """
    old = _before(workspace, settings, wanted)
    source = _source(workspace, settings, _Services(models, embedders, progress), wanted)
    labelling = Labelling(wanted.labels, source.documents) if wanted.labels else None
    files = Files.of(workspace, settings.execute.run)
    begun = begin_manifest(
        NAME,
        settings.execute.run,
        seed=settings.workspace.seed,
        models=dict.fromkeys(filter(None, (*_models(source), settings.audit_retrieval.claims_model))),
        inputs={**source.inputs, **wanted.inputs},
        prompts=_prompts(settings, models),
        parameters={"source": wanted.source, "before": wanted.before, "suite": source.settings.workspace.suite},
    )
    progress.start(NAME, source.planned)
    claims = Claims(settings.audit_retrieval.claims_model, models, _kept_claims(settings, files))
    leaks = Leaks(source.documents, source.executed)
    with _seldom_collected():
        audited = [one async for one in _audited(source, labelling, claims, leaks, progress)]
    progress.finish()
    audited = await _with_claims(audited, claims)
    told_of_labels = labelling.notes() if labelling else ()
    notes = [*leaks.notes(), *wanted.notes, *source.told(), *told_of_labels, *filter(None, [claims.told()])]
    result = make_result(source.settings, source.documents, wanted.source, audited, notes)
    rows = [one.row for one in audited]
    indexes = {index for index, _ in source.watch.indexes}
    told = configuration(source.settings, source.executed, wanted.source, result.embeddings, indexes)
    if old is not None:
        files_before = Files.of(workspace, wanted.before)
        earlier = Earlier(old, read_rows(files_before.queries, AuditedQuery), files_before.read_configuration())
        compared = before_after(earlier, result.access, rows, told, settings.workspace.seed)
        result = result.model_copy(update={"before": compared})
    if files.replaces_answers(wanted.source):
        progress.note(
            f"This audit replaces that of run {settings.execute.run}'s answers; --run gives it a place of its own."
        )
    files.write(rows, result, told)
    account_of = ledger_of(result)
    ended = end_manifest(begun, ledger=account_of, counts=counts_of(result), outputs=(files.queries, files.result))
    write_json(files.manifest, ended)
    return StageResult(NAME, account_of, files.folder, counts_of(result), claims.told())


def _models(source: Source) -> list[str]:
    """The embedding models; what stands for one in the rows of a target is none."""
    return [name for name in source.embeddings if name != TARGET]


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Look for cycles seldom (by default after 700 new objects: a third of the time of an audit)."""
    before = gc.get_threshold()
    gc.set_threshold(NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _source(workspace: Workspace, settings: Settings, services: _Services, wanted: Wanted) -> Source:
    if wanted.traces is not None:
        return from_traces(workspace, settings, wanted.traces)
    if wanted.search:
        return from_search(workspace, settings, services.models, services.embedders, services.progress)
    return from_answers(workspace, settings, services.embedders)


async def _audited(
    source: Source, labelling: Labelling | None, claims: Claims, leaks: Leaks, progress: Progress
) -> AsyncIterator[Audited]:
    """Every item's row; in the order of the embedding models, then of the suite."""
    auditor = Auditor(
        source.text, source.diagnoser, source.settings.audit_retrieval.curve, source.path if source.indexed else None
    )
    found: list[tuple[int, int, Audited]] = []
    order: dict[str, int] = {name: place for place, name in enumerate(source.embeddings)}
    async for item in source.items():
        source.watch.see(item)
        labelled = labelling.apply(item) if labelling else item
        one = auditor.audit(labelled)
        if leaked := leaks.of(labelled):
            one = replace(one, row=one.row.model_copy(update={"leaked": leaked}))
        claims.consider(labelled, one.row)
        found.append((order.setdefault(item.embedding, len(order)), item.at, one))
        progress.advance(failed=one.row.status == "unfinished")
    for _, _, one in sorted(found, key=lambda entry: entry[:2]):
        yield one


async def _with_claims(audited: list[Audited], claims: Claims) -> list[Audited]:
    traced = await claims.trace()
    return [
        replace(one, row=one.row.model_copy(update={"claims": traced[place]}))
        if (place := (one.row.embedding, one.row.query_id)) in traced
        else one
        for one in audited
    ]


def _before(workspace: Workspace, settings: Settings, wanted: Wanted) -> RetrievalResult | None:
    """The figures of the run to compare with. Raises UsageError where it was not audited."""
    if not wanted.before:
        return None
    if wanted.before == settings.execute.run:
        raise UsageError(f"--before {wanted.before}: the same run; name the one from before the change")
    found = read_json(Files.of(workspace, wanted.before).result, RetrievalResult)
    if found is None:
        raise UsageError(
            f"--before {wanted.before}: not audited yet; run `ragtester audit retrieval --run {wanted.before}` first"
        )
    return found


def _kept_claims(settings: Settings, files: Files) -> dict[tuple[str, str], ClaimMetrics]:
    rows = read_rows(files.queries, AuditedQuery) if settings.audit_retrieval.claims_model else []
    return {(row.embedding, row.query_id): row.claims for row in rows if row.claims}


def _prompts(settings: Settings, models: Models) -> dict[str, str]:
    return {TRACE_CLAIMS.name: models.prompt_sha256(TRACE_CLAIMS)} if settings.audit_retrieval.claims_model else {}


def read_result(workspace: Workspace, run_name: str) -> RetrievalResult | None:
    """The figures of the last retrieval audit of a run; None where there was none."""
    return read_json(Files.of(workspace, run_name).result, RetrievalResult)
