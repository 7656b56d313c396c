"""answers/ -> audits/<run>/stability/: the same answers judged again and again, streamed, resumable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragtester.judgement import answer_hashes
from ragtester.progress import Progress, StageResult
from ragtester.provenance import begin_manifest, end_manifest
from ragtester.records import Failure, Manifest, Repeat, StabilityResult
from ragtester.settings import Settings
from ragtester.stages.judge_asking import judged_once
from ragtester.stages.judge_inputs import answers
from ragtester.stages.judge_rows import Item
from ragtester.stages.placed_rows import keep_only
from ragtester.stages.stability.plan import RESULT, ROWS, Place, Plan, Repetition, item_of, make_plan
from ragtester.stages.stability.result import stability_result
from ragtester.stages.stability.rows import Line, read_lines
from ragtester.storage import append_row, read_json, write_json
from ragtester.tasks import JUDGE_ANSWER, Models
from ragtester.waiting import InFlight
from ragtester.workspace import Workspace

AT_ONCE = 64
"""Judgements in the air; how many calls a provider takes at once is the gateway's to limit."""


@dataclass
class _Run:
    plan: Plan
    models: Models
    progress: Progress
    stopped: str = ""


async def run(
    workspace: Workspace, settings: Settings, models: Models, progress: Progress, wanted: Repetition
) -> StageResult:
    """Judge the sampled answers `wanted.repeats` times and write `audits/<run>/stability/`.

    Rows that stand are kept, whatever the sample and the number of repeats were when they were made. Raises as
    `make_plan` does.
    """
    name = settings.execute.run
    plan = make_plan(workspace, settings, models.prompt_sha256(JUDGE_ANSWER), wanted)
    state = _Run(plan, models, progress)
    for note in _notes(plan):
        progress.note(note)
    manifest = _manifest(plan, name)
    write_json(plan.folder / "manifest.json", manifest)
    keep_only(plan.folder / ROWS, _in_order(plan))
    plan.lines = {place: line for place, line in plan.lines.items() if place not in plan.open}
    progress.start("stability", len(plan.open))
    await _judge_all(state)
    progress.finish()
    plan.lines = read_lines(plan.folder / ROWS)
    keep_only(plan.folder / ROWS, _in_order(plan))
    result = stability_result(plan, name)
    write_json(plan.folder / RESULT, result)
    served = {plan.judge.model: ", ".join(result.served_judges) or None}
    write_json(plan.folder / "manifest.json", end_manifest(manifest, ledger=result.ledger, models=served))
    return StageResult("stability", result.ledger, plan.folder, {}, state.stopped)


def read_result(workspace: Workspace, run: str) -> StabilityResult | None:
    """What the run's last audit found; None where there was none. Raises DataError for a file that is no result."""
    return read_json(workspace.audits(run) / "stability" / RESULT, StabilityResult)


def _notes(plan: Plan) -> list[str]:
    notes = [plan.quote()]
    if plan.judge.model.startswith("embedded:"):
        notes.append(
            f"{plan.judge.model} is deterministic: its flip rate is 0 by construction; it is measured all the same"
        )
    if plan.judge.shared_with:
        notes.append(f"the judge {plan.judge.model} is also a system under test")
    return notes


def _manifest(plan: Plan, name: str) -> Manifest:
    return begin_manifest(
        "stability",
        name,
        seed=plan.wanted.seed,
        models={plan.judge.model: None},
        inputs=answer_hashes(plan.files),
        prompts={JUDGE_ANSWER.name: plan.judge.prompt_sha256},
        parameters={
            "suite": plan.lookup.suite,
            "judge": plan.judge.model,
            "pass_mean": plan.judge.pass_mean,
            "refusals": list(plan.judge.refusals),
            "repeats": plan.wanted.repeats,
            "sample": plan.wanted.sample,
        },
    )


def _in_order(plan: Plan) -> list[Line]:
    """Rows in planned order; rows of other samples behind them."""
    ours = [plan.lines[place] for place in plan.keys if place in plan.lines]
    return ours + [line for place, line in plan.lines.items() if place not in plan.keys]


async def _judge_all(state: _Run) -> None:
    """Make the open repeats, file by file. A stop leaves the rest open for the next start."""
    async with InFlight(AT_ONCE) as under_way:
        for item, place in _work(state.plan):
            if state.stopped:
                break
            await under_way.start(_judge_one(state, item, place))


def _work(plan: Plan) -> Iterator[tuple[Item, Place]]:
    """The open repeats with what the judge is asked about, in the run's order."""
    for path in plan.files if plan.open else ():
        for answer in answers(path):
            identity = (answer.llm, answer.embedding, answer.technique, answer.case_id)
            numbers = [number for number in range(1, plan.wanted.repeats + 1) if (identity, number) in plan.open]
            if numbers:
                item = item_of(plan, answer)
                yield from ((item, (identity, number)) for number in numbers)


async def _judge_one(state: _Run, item: Item, place: Place) -> None:
    """One judgement. Its key as the purpose: no other repeat may be given its reply after a kill.

    A reply that could not be used is not taken from the journal again.
    """
    if state.stopped:
        return
    key = state.plan.keys[place]
    purpose = f"{key} again" if place in state.plan.again else key
    outcome = await judged_once(state.models, item, state.plan.judge, purpose)
    if isinstance(outcome, Failure):
        state.stopped = state.stopped or f"{outcome.type}: {outcome.message}"
        return
    row = Repeat(**{**dict(outcome), "key": key, "repeat": place[1]})
    append_row(state.plan.folder / ROWS, row)
    cost = row.call.cost if row.call else None
    state.progress.advance(failed=row.status == "ungraded", cost=cost)
