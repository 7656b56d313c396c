"""answers/ -> verdicts/<run>/claims/: every answer split into claims, each claim checked; streamed, resumable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ragtester.claiming import Claims, claims_model
from ragtester.judgement import answer_hashes
from ragtester.progress import Progress, StageResult
from ragtester.provenance import as_made, begin_manifest, end_manifest
from ragtester.records import AnswerClaims, Claim, ClaimsResult, Failure, Manifest, RepeatsResult
from ragtester.settings import Settings
from ragtester.stages.claims.asking import Item, audit_answer, recheck, without_asking
from ragtester.stages.claims.document import claims_document
from ragtester.stages.claims.files import NAME, Files
from ragtester.stages.claims.plan import Plan, identity_of, make_plan
from ragtester.stages.claims.result import SKIPPED, Judged, claims_result
from ragtester.stages.claims.rows import AnswerLine, ClaimLine, read_answers, read_claims
from ragtester.stages.placed_rows import PlacedRow, keep_only
from ragtester.storage import append_row, iter_rows, read_json, write_json, write_text
from ragtester.tables.markdown import markdown
from ragtester.tasks import Models
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
    workspace: Workspace, settings: Settings, models: Models, progress: Progress, *, overwrite: bool = False
) -> StageResult:
    """Audit the claims of every answer of the run and write `verdicts/<run>/claims/`. Raises as `make_plan` does."""
    name = settings.execute.run
    claims = Claims(models, claims_model(settings))
    plan = make_plan(workspace, settings, claims, progress, overwrite=overwrite)
    for note in plan.notes:
        progress.note(note)
    state = _Run(plan, progress)
    manifest = _manifest(plan, settings)
    if not (plan.open or plan.unchecked):
        manifest = as_made(manifest, read_json(plan.files.manifest, Manifest))
    write_json(plan.files.manifest, manifest)
    _put_in_order(plan)
    progress.start(NAME, len(plan.open | plan.unchecked.keys()))
    async with InFlight(AT_ONCE) as under_way:
        for item in plan.work():
            if state.stopped:
                break
            await under_way.start(_audit_one(state, item))
    progress.finish()
    plan.rows, plan.parts = read_answers(plan.files.answers), read_claims(plan.files.claims)
    _put_in_order(plan)
    result = _write_result(plan, name)
    served = {claims.model: ", ".join(result.served_judges) or None}
    failures = {name: number for name, number in result.failures.items() if name not in SKIPPED}
    counts = {"claims": result.cited.sent, "unchecked": result.cited.ungraded, "failures": failures}
    outputs = plan.files.answers, plan.files.claims, plan.files.result
    ended = end_manifest(manifest, ledger=result.ledger, counts=counts, models=served, outputs=outputs)
    write_json(plan.files.manifest, ended)
    return StageResult(NAME, result.ledger, plan.files.folder, counts, state.stopped)


def read_result(workspace: Workspace, run: str) -> ClaimsResult | None:
    """What the run's last audit found; None where there was none. Raises DataError for a file that is no result."""
    return read_json(Files.of(workspace, run).result, ClaimsResult)


def read_repeats(workspace: Workspace, run: str) -> RepeatsResult | None:
    """What the run's repeats found; None where it was never repeated."""
    return read_json(Files.of(workspace, run).repeats, RepeatsResult)


def _manifest(plan: Plan, settings: Settings) -> Manifest:
    return begin_manifest(
        NAME,
        settings.execute.run,
        seed=settings.workspace.seed,
        models={plan.claims.model: None},
        inputs=answer_hashes(plan.paths),
        prompts=plan.claims.prompts,
        parameters={"suite": plan.lookup.suite, "judge": plan.claims.model, "refusals": list(plan.refusals)},
    )


async def _audit_one(state: _Run, item: Item) -> None:
    """Split an answer and check its claims, or check again what could not be checked before.

    The claims come first: an answer's row says that all of them stand.
    """
    plan, place = state.plan, identity_of(item.answer)
    if state.stopped:
        return
    if place not in plan.open:
        outcome = await recheck(plan.claims, item, _unchecked(plan, place))
        rows: tuple[list[Claim], AnswerClaims | None] | Failure = (
            outcome if isinstance(outcome, Failure) else (outcome, None)
        )
    elif (free := without_asking(item, plan.claims)) is not None:
        rows = [], free
    else:
        made = await audit_answer(plan.claims, item, " again" if place in plan.again else "")
        rows = made if isinstance(made, Failure) else (made[1], made[0])
    if isinstance(rows, Failure):
        state.stopped = state.stopped or f"{rows.type}: {rows.message}"
        return
    found, answer = rows
    for row in found:
        append_row(plan.files.claims, row)
    if answer is not None:
        append_row(plan.files.answers, answer)
    failed = bool(answer and answer.failure) or any(row.failure for row in found)
    state.progress.advance(failed=failed, cost=_cost(found, answer))


def _unchecked(plan: Plan, place: tuple[str, str, str, str]) -> list[Claim]:
    """The whole rows of an answer's claims that are to be checked again."""
    lines = [plan.parts[place][number] for number in sorted(plan.unchecked[place])]
    with plan.files.claims.open("rb") as file:
        found = []
        for line in lines:
            file.seek(line.start)
            found.append(Claim.model_validate_json(file.read(line.length)))
    return found


def _cost(found: Iterable[Claim], answer: AnswerClaims | None) -> float | None:
    calls = [answer.call if answer else None, *(call for row in found for call in (row.call, row.context_call))]
    return sum(call.cost or 0.0 for call in calls if call)


def _put_in_order(plan: Plan) -> None:
    """Keep the rows that stand, in the run's order; claims of an answer without a row go: they are made again."""
    rows: list[AnswerLine] = [plan.rows[place] for place in plan.keys if place in plan.rows]
    lines: list[ClaimLine] = [
        parts[number] for row in rows if (parts := plan.parts.get(row.identity)) for number in range(1, row.claims + 1)
    ]
    _keep(plan.files.answers, rows)
    _keep(plan.files.claims, lines)
    # Their places have changed.
    plan.rows, plan.parts = read_answers(plan.files.answers), read_claims(plan.files.claims)


def _keep(path: Path, rows: Iterable[PlacedRow]) -> None:
    if path.is_file():
        keep_only(path, rows)


def _write_result(plan: Plan, name: str) -> ClaimsResult:
    judged = Judged(
        run=name,
        judge=plan.claims.model,
        prompts=plan.claims.prompts,
        planned=len(plan.keys),
        notes=plan.notes,
    )
    answers = iter_rows(plan.files.answers, AnswerClaims)
    result = claims_result(judged, answers, iter_rows(plan.files.claims, Claim))
    write_json(plan.files.result, result)
    write_text(plan.files.told, [markdown(claims_document(result))])
    return result
