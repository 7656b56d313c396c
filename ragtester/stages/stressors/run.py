"""generated/ -> adversarial/<suite>/: fixtures made from the cases of any suite, measured, resumable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from ragtester.fixtures import write_fixture
from ragtester.progress import Progress, StageResult
from ragtester.provenance import begin_manifest, end_manifest
from ragtester.rag import chunking
from ragtester.records import Failure, Ledger, Manifest, Stressor
from ragtester.searching.suite import Suite, open_suite
from ragtester.settings import Settings
from ragtester.stages.stressors.asking import Attempts, CallFailedError, Writer
from ragtester.stages.stressors.bench import Bench
from ragtester.stages.stressors.cutting import make_chunk_boundary
from ragtester.stages.stressors.distracting import make_distractor_heavy
from ragtester.stages.stressors.excerpts import excerpt
from ragtester.stages.stressors.made import SUFFIX, Made, Maker, Source, Unusable, passage_limit
from ragtester.stages.stressors.passages import Passages
from ragtester.stages.stressors.plan import ASKED, MANIFEST, ROWS, Item, Plan, Wanted, make_plan
from ragtester.stages.stressors.poison import make_adjacent, make_near_duplicate, make_stale
from ragtester.stages.stressors.rows import Rows, clear, in_order, standing
from ragtester.stages.stressors.slips import make_typos
from ragtester.storage import append_row, write_json
from ragtester.tasks import STOPPING_FAILURES, Embedder, EmbeddingError, Models
from ragtester.waiting import InFlight
from ragtester.workspace import Workspace

NAME = "adversarial fixtures"
AT_ONCE = 16
"""Fixtures in the making; how many calls a provider takes at once is the gateway's to limit."""
BY_RULE: dict[str, Callable[[Maker, Source], Awaitable[Made]]] = {
    "stale": make_stale,
    "near_duplicate": make_near_duplicate,
    "adjacent": make_adjacent,
    "chunk_boundary": make_chunk_boundary,
    "distractor_heavy": make_distractor_heavy,
    "typos": make_typos,
}


class Generated(StageResult):
    """As every stage's result; a case that a kind could make nothing of is accounted for and is no failure."""

    @property
    def exit_code(self) -> int:
        """0 done; 3 where a model's call failed or a limit stopped the work."""
        return 3 if self.ledger.failed or self.stopped else 0


@dataclass
class _Work:
    plan: Plan
    suite: Suite
    settings: Settings
    writer: Writer
    maker: Maker
    rows: Rows
    progress: Progress
    again: bool = False
    stopped: str = ""
    served: dict[str, str | None] = field(default_factory=dict)


async def generate(
    workspace: Workspace,
    settings: Settings,
    models: Models,
    embedders: Callable[[str], Embedder],
    progress: Progress,
    wanted: Wanted,
) -> Generated:
    """Make the fixtures that are asked for and are not there, and write the account of all of them.

    Raises UsageError for an unknown kind and where no case has evidence, ChangedInputsError where fixtures stand that
    were made from other inputs, DataError for a suite with faults.
    """
    suite = open_suite(workspace, settings)
    plan = make_plan(workspace, settings, suite, models, wanted)
    rows = standing(plan, progress, wanted)
    chunking.load(settings.execute.index)
    texts = {one.id: (one.language, suite.text(one)) for one in suite.documents}
    own = settings.adversarial
    maker = Maker(
        Bench(settings, embedders),
        settings.execute.k,
        settings.workspace.seed,
        own.document_characters,
        Passages(texts, passage_limit(settings)),
    )
    work = _Work(
        plan, suite, settings, Writer(models, own.model, own.attempts), maker, rows, progress, wanted.retry_failed
    )
    manifest = _begin(work)
    write_json(plan.folder / MANIFEST, manifest)
    progress.start(NAME, len(plan.items))
    progress.advance(count=len(rows.kept))
    in_order(plan, rows)
    async with InFlight(AT_ONCE) as under_way:
        for item in plan.items:
            if item.id not in rows.kept and not work.stopped:
                await under_way.start(_one(work, item))
    progress.finish()
    in_order(plan, rows)
    return _end(work, manifest)


async def _one(work: _Work, item: Item) -> None:
    """Make one fixture and its row: the folder first, so that a row never tells of one that is not there."""
    if work.stopped:
        return
    clear(work.plan.folder, item)
    row = await _made(work, item)
    if row is None:
        return
    append_row(work.plan.folder / ROWS, row)
    work.rows.kept[item.id] = row
    work.progress.advance(failed=row.status == "failed", cost=sum(call.cost or 0.0 for call in row.calls))


async def _made(work: _Work, item: Item) -> Stressor | None:
    """The row; None where the model was stopped, and the fixture stays open."""
    seen = Attempts()
    try:
        source = _source(work, item)
        if item.kind in ASKED:
            # A reply that could not be used is not taken from the journal again.
            purpose = f"{item.key} again" if work.again else item.key
            made = await work.writer.make(work.maker, source, ASKED[item.kind], purpose, seen)
        else:
            made = await BY_RULE[item.kind](work.maker, source)
    except Unusable as unusable:
        row = _row(item, seen, unusable.status, unusable.failure, work)
        return row.model_copy(update={"ranks": unusable.ranks})
    except (CallFailedError, EmbeddingError) as error:
        if error.failure.type in STOPPING_FAILURES:
            work.stopped = work.stopped or f"{error.failure.type}: {error.failure.message}"
            return None
        return _row(item, seen, "failed", error.failure, work)
    folder = write_fixture(
        work.plan.folder, made.fixture, {f"{name}{SUFFIX}": text for name, text in made.documents.items()}
    )
    row = _row(item, seen, "ok", None, work)
    return row.model_copy(update={"ranks": made.ranks, "fixture": folder.name})


def _source(work: _Work, item: Item) -> Source:
    text = work.suite.text(item.document)
    evidence = tuple((span.start, span.end) for span in item.case.evidence if span.end > span.start)
    gold = excerpt(text, evidence, work.maker.limit, item.case.language)
    if gold is None:
        raise Unusable("no_text", "the evidence cannot be given back as a file")
    return Source(item.case, item.kind, text, evidence, gold)


def _row(item: Item, seen: Attempts, status: Any, failure: Failure | None, work: _Work) -> Stressor:
    asked = item.kind in ASKED
    for call in seen.calls:
        work.served[call.model] = call.served_model or work.served.get(call.model)
    return Stressor(
        status=status,
        id=item.id,
        key=item.key,
        kind=item.kind,
        case_id=item.case.id,
        document_id=item.document.id,
        language=item.case.language,
        attempts=len(seen.calls),
        rejected=tuple(seen.rejected),
        model=work.writer.model if asked else "",
        calls=tuple(seen.calls),
        failure=failure,
    )


def _begin(work: _Work) -> Manifest:
    plan, settings = work.plan, work.settings
    asked = any(kind in ASKED for kind in plan.kinds)
    return begin_manifest(
        NAME,
        work.suite.name,
        seed=settings.workspace.seed,
        models={work.writer.model: None} if asked else {},
        inputs={one.id: one.text_sha256 for one in work.suite.documents},
        prompts=plan.prompts,
        parameters=plan.parameters,
    )


def _end(work: _Work, manifest: Manifest) -> Generated:
    """Account for everything that was asked for; what a stop left open counts as skipped."""
    rows = [work.rows.kept[item.id] for item in work.plan.items if item.id in work.rows.kept]
    states = Counter(row.status for row in rows)
    left = len(work.plan.items) - len(rows)
    ledger = Ledger(
        planned=len(work.plan.items),
        ok=states["ok"],
        failed=states["failed"],
        skipped=states["skipped"] + left,
        unfilled=states["unfilled"],
    )
    counts = {"kinds": by_kind(work.plan, rows), "left_open": left, "cost": _cost(rows)}
    models = {name: work.served.get(name) for name in manifest.models}
    write_json(work.plan.folder / MANIFEST, end_manifest(manifest, ledger=ledger, counts=counts, models=models))
    return Generated(NAME, ledger, work.plan.folder, counts, work.stopped)


def by_kind(plan: Plan, rows: list[Stressor]) -> dict[str, dict[str, Any]]:
    """The ledger of each kind, with the reasons for what is missing."""
    found: dict[str, dict[str, Any]] = {}
    for kind in plan.kinds:
        mine = [row for row in rows if row.kind == kind]
        states = Counter(row.status for row in mine)
        planned = sum(item.kind == kind for item in plan.items)
        found[kind] = {
            "planned": planned,
            "ok": states["ok"],
            "failed": states["failed"],
            "skipped": states["skipped"] + planned - len(mine),
            "unfilled": states["unfilled"],
            "reasons": dict(sorted(Counter(row.failure.type for row in mine if row.failure).items())),
        }
    return found


def _cost(rows: list[Stressor]) -> float:
    """US dollars of all calls whose price is known."""
    return round(sum(call.cost or 0.0 for row in rows for call in row.calls), 6)
