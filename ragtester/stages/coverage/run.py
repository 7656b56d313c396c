"""`ragtester audit coverage`: answers of a run or of another agent's traces, audited row by row, resumable."""

from __future__ import annotations

from dataclasses import dataclass

from ragtester.claiming import Claims, coverage_model
from ragtester.progress import Progress, StageResult
from ragtester.provenance import as_made, begin_manifest, end_manifest
from ragtester.records import CoverageResult, Failure, Manifest
from ragtester.settings import Settings
from ragtester.stages.coverage.document import coverage_document
from ragtester.stages.coverage.files import RESULT
from ragtester.stages.coverage.looking import look
from ragtester.stages.coverage.plan import NAME, Plan, Wanted, make_plan, place_of, without_again
from ragtester.stages.coverage.result import make_result
from ragtester.stages.coverage.rows import row_of
from ragtester.stages.coverage.seen import Seen
from ragtester.storage import append_row, read_json, write_json, write_text
from ragtester.tables.markdown import markdown
from ragtester.tasks import PURPOSE, STOPPING_FAILURES, Models
from ragtester.waiting import InFlight
from ragtester.workspace import Workspace

AT_ONCE = 32
"""Answers in the air; how many calls a provider takes at once is the gateway's to limit."""


@dataclass
class _Run:
    plan: Plan
    progress: Progress
    stopped: str = ""


async def run(
    workspace: Workspace, settings: Settings, models: Models, progress: Progress, wanted: Wanted
) -> StageResult:
    """Audit every answer and write `verdicts/<run>/coverage/`. Rows that stand are kept.

    Raises as `make_plan` does, and StorageError.
    """
    claims = Claims(models, coverage_model(settings))
    plan = make_plan(workspace, settings, claims, progress, wanted)
    for note in plan.notes:
        progress.note(note)
    manifest = _manifest(plan, settings)
    if not plan.open:
        manifest = as_made(manifest, read_json(plan.folder / "manifest.json", Manifest))
    write_json(plan.folder / "manifest.json", manifest)
    plan = without_again(plan)
    plan.write()
    state = _Run(plan, progress)
    progress.start(NAME, len(plan.open))
    async with InFlight(AT_ONCE) as under_way:
        for seen in plan.seen if plan.open else ():
            if state.stopped:
                break
            if place_of(seen) in plan.open:
                await under_way.start(_audit(state, seen))
    progress.finish()
    plan.write()
    name, source = settings.execute.run, wanted.source
    standing, seed = plan.standing, settings.workspace.seed
    result = make_result(name, source, standing, len(plan.order), plan.judging, seed, plan.notes)
    write_json(plan.folder / RESULT, result)
    write_text(plan.folder / "result.md", [markdown(coverage_document(result, full=True))])
    served = {plan.judging.model: ", ".join(result.served_judges) or None} if result.judge else {}
    counts = _counts(result)
    outputs = plan.path, plan.folder / RESULT
    ended = end_manifest(manifest, ledger=result.ledger, counts=counts, models=served, outputs=outputs)
    write_json(plan.folder / "manifest.json", ended)
    return StageResult(NAME, result.ledger, plan.folder, counts, state.stopped)


async def _audit(state: _Run, seen: Seen) -> None:
    """One row. Its key as the purpose: a reply that was paid for before a kill goes to no other answer."""
    plan, looked = state.plan, None
    if state.stopped:
        return
    place = place_of(seen)
    key = plan.keys[place]
    if seen.measurable and seen.readable:
        PURPOSE.set(f"{key} again" if place in plan.again else key)
        looked = await look(seen, plan.claims, prefilter=plan.judging.prefilter)
        if looked.failure is not None and looked.failure.type in STOPPING_FAILURES:
            state.stopped = state.stopped or _stop(looked.failure)
            return
    row = row_of(seen, key, plan.judging, looked)
    append_row(plan.path, row)
    plan.rows[place] = row
    state.progress.advance(failed=row.status == "failed", cost=row.call.cost if row.call else None)


def _stop(failure: Failure) -> str:
    return f"{failure.type}: {failure.message}; the same command goes on from here"


def _manifest(plan: Plan, settings: Settings) -> Manifest:
    return begin_manifest(
        NAME,
        settings.execute.run,
        seed=settings.workspace.seed,
        models={plan.judging.model: None},
        inputs=plan.inputs,
        prompts=plan.judging.prompts,
        parameters={
            "source": plan.wanted.source,
            "suite": settings.workspace.suite,
            "judge": plan.judging.model,
            "prefilter": plan.judging.prefilter,
        },
    )


def _counts(result: CoverageResult) -> dict[str, int]:
    ledger = result.ledger
    return {
        "planned": ledger.planned,
        "measured": ledger.ok - result.abstained - result.no_results,
        "abstained": result.abstained,
        "no_results": result.no_results,
        "failed": ledger.failed,
        "open": ledger.skipped,
        "checked": result.checked,
        "left_unchecked": result.left_unchecked,
    }
