"""answers/ -> verdicts/: one verdict for exactly each answer, streamed, resumable."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragtester.errors import ChangedInputsError, DataError
from ragtester.judgement import STAGE, Judge, answer_hashes, verdict_key
from ragtester.progress import Progress, StageResult
from ragtester.provenance import as_made, begin_manifest, end_manifest
from ragtester.records import Answer, Failure, Ledger, Manifest
from ragtester.settings import Settings
from ragtester.stages.judge_asking import judged
from ragtester.stages.judge_files import Identity, Line, put_in_order, read_lines
from ragtester.stages.judge_inputs import Lookup, answers, run_files
from ragtester.stages.judge_rows import Item, without_asking
from ragtester.storage import append_row, read_json, recover_tail, write_json
from ragtester.tables.cells import counted
from ragtester.tasks import JUDGE_ANSWER, Models
from ragtester.waiting import InFlight
from ragtester.workspace import Workspace

AT_ONCE = 64
"""Answers in the air; how many calls a provider takes at once is the gateway's to limit."""
_BEFORE = {"repeats": 1}
"""What held before a parameter was written down."""


@dataclass
class _Run:
    """The state of one start of the stage."""

    workspace: Workspace
    settings: Settings
    models: Models
    progress: Progress
    judge: Judge
    lookup: Lookup
    counts: Counter[str] = field(default_factory=Counter)
    served: set[str] = field(default_factory=set)
    made: int = 0
    stopped: str = ""


async def run(
    workspace: Workspace, settings: Settings, models: Models, progress: Progress, *, overwrite: bool = False
) -> StageResult:
    """Judge every answer of the run in the settings and write `verdicts/<run>/`.

    Raises UsageError where there are no answers, ChangedInputsError where verdicts stand that were made from other
    answers or by another judge, DataError for rows that are none. `overwrite` replaces such verdicts and keeps those
    that still hold.
    """
    name = settings.execute.run
    files = run_files(workspace, name, progress)
    state = _state(workspace, settings, models, progress, files)
    target = workspace.verdicts(name)
    manifest = _manifest(state, files)
    old = read_json(target / "manifest.json", Manifest)
    if not overwrite:
        _refuse_changes(state, files, old, manifest)
    write_json(target / "manifest.json", manifest)
    planned = sum(_count_lines(path) for path in files)
    progress.start(STAGE, planned)
    for path in files:
        await _judge_file(state, path, _target(workspace, name, path))
        if state.stopped:
            break
    progress.finish()
    if blind := state.counts["flag:evidence_missing"]:
        progress.note(
            f"{counted(blind, 'answer')} judged without chunks of the context that the run's chunk files lack: delete "
            f"such files, run `ragtester execute` (or the import) again, delete {target} and judge anew"
        )
    ledger = _ledger(planned, state.counts)
    counts = _counts(state)
    served = ", ".join(sorted(state.served)) or None
    if not state.made:
        manifest = as_made(manifest, old)
    ended = end_manifest(manifest, ledger=ledger, counts=counts, models={state.judge.model: served})
    write_json(target / "manifest.json", ended)
    return StageResult(STAGE, ledger, target, counts, state.stopped)


def _state(workspace: Workspace, settings: Settings, models: Models, progress: Progress, files: list[Path]) -> _Run:
    name, model = settings.execute.run, settings.judge.model
    made = read_json(workspace.answers(name) / "manifest.json", Manifest)
    if made is None or made.ended is None:
        progress.note(
            f"run {name!r}: its execution has not ended; answers that come later are judged by the next start"
        )
    suite = str(made.parameters.get("suite", settings.workspace.suite)) if made else settings.workspace.suite
    llms = {first.llm for path in files if (first := next(answers(path), None)) is not None}
    shared = frozenset({model} & llms)
    if shared:
        progress.note(
            f"the judge {model} is also a system under test: models favour their own answers; use another judge"
        )
    judge = Judge(
        model=model,
        prompt_sha256=models.prompt_sha256(JUDGE_ANSWER),
        pass_mean=settings.judge.pass_mean,
        refusals=settings.execute.refusals,
        shared_with=shared,
        repeats=settings.judge.repeats,
    )
    if judge.repeats > 1 and model.startswith("embedded:"):
        progress.note(f"{model} gives the same reply every time: repeats = {judge.repeats} changes no verdict")
    return _Run(workspace, settings, models, progress, judge, Lookup(workspace, suite, name))


def _target(workspace: Workspace, run_name: str, path: Path) -> Path:
    """The verdict file that mirrors an answer file."""
    return workspace.verdicts(run_name) / path.parent.name / path.name


def _manifest(state: _Run, files: list[Path]) -> Manifest:
    return begin_manifest(
        STAGE,
        state.settings.execute.run,
        seed=state.settings.workspace.seed,
        models={state.judge.model: None},
        inputs=answer_hashes(files),
        prompts={JUDGE_ANSWER.name: state.judge.prompt_sha256},
        parameters={
            "suite": state.lookup.suite,
            "judge": state.judge.model,
            "pass_mean": state.judge.pass_mean,
            "repeats": state.judge.repeats,
            "refusals": list(state.judge.refusals),
            "shares_model_with": sorted(state.judge.shared_with),
        },
    )


def _refuse_changes(state: _Run, files: list[Path], before: Manifest | None, after: Manifest) -> None:
    """Stop where rows stand that this start would not make: another judge, prompt or rule, or other answers."""
    stale = 0
    for path in files:
        target = _target(state.workspace, state.settings.execute.run, path)
        notice = recover_tail(target)
        if notice:
            state.progress.note(notice)
        there = read_lines(target)
        if there:
            stale += sum(
                _is_stale(state, answer, there.get((answer.technique, answer.case_id))) for answer in answers(path)
            )
    if not stale:
        return
    changed = [
        f"{key}: {before.parameters.get(key, _BEFORE.get(key))!r} is now {value!r}"
        for key, value in after.parameters.items()
        if before is not None and before.parameters.get(key, _BEFORE.get(key)) != value
    ]
    if before is not None and before.prompts != after.prompts:
        changed.append("the judge's prompt")
    what = "; ".join(changed) or "the answers or their cases"
    raise ChangedInputsError(
        f"{state.workspace.verdicts(state.settings.execute.run)}: {stale} verdict(s) were made from other inputs "
        f"({what}); judge with --overwrite, or under another run name"
    )


def _is_stale(state: _Run, answer: Answer, line: Line | None) -> bool:
    """A graded row with another key. Rows without a grade are simply made again."""
    return line is not None and line.kind == "ok" and line.key != _key(state, answer)


def _key(state: _Run, answer: Answer) -> str:
    return verdict_key(answer, state.lookup.case(answer), state.judge)


async def _judge_file(state: _Run, source: Path, target: Path) -> None:
    """Judge what is missing of one file, then put the file in order. A stop leaves it resumable."""
    there = read_lines(target)
    plan: list[Identity] = []
    seen: set[Identity] = set()
    async with InFlight(AT_ONCE) as under_way:
        for answer in answers(source):
            identity = (answer.technique, answer.case_id)
            if identity in seen:
                raise DataError(f"{source}: the answer to {answer.case_id!r} stands twice; delete one of the rows")
            seen.add(identity)
            plan.append(identity)
            key = _key(state, answer)
            line = there.get(identity)
            if line and line.key == key and not line.is_worth_another(state.settings.judge.retry_failed):
                _account(state, line)
                continue
            if state.stopped:
                break
            chunks, missing = state.lookup.chunks(answer)
            item = Item(answer, state.lookup.case(answer), chunks, missing, key)
            await under_way.start(_judge_one(state, item, target))
    if not state.stopped:
        put_in_order(target, plan)


async def _judge_one(state: _Run, item: Item, target: Path) -> None:
    verdict = without_asking(item, state.judge)
    if verdict is None:
        if state.stopped:
            return
        outcome = await judged(state.models, item, state.judge)
        if isinstance(outcome, Failure):
            state.stopped = state.stopped or f"{outcome.type}: {outcome.message}"
            return
        verdict = outcome
    append_row(target, verdict)
    state.made += 1
    _account(state, Line.of(verdict), verdict.call.cost if verdict.call else None)


def _account(state: _Run, line: Line, cost: float | None = None) -> None:
    state.counts[line.kind] += 1
    state.counts.update(f"flag:{flag}" for flag in line.flags)
    if line.served_judge:
        state.served.add(line.served_judge)
    state.progress.advance(failed=line.kind == "failed", cost=cost)


def _ledger(planned: int, counts: Counter[str]) -> Ledger:
    ok, failed = counts["ok"], counts["failed"]
    # Answers that had failed themselves are skipped, and so are rows that a stopped model or
    # a limit left open: the next start makes them.
    return Ledger(planned=planned, ok=ok, failed=failed, skipped=planned - ok - failed)


def _counts(state: _Run) -> dict[str, Any]:
    flags = {name.removeprefix("flag:"): n for name, n in sorted(state.counts.items()) if name.startswith("flag:")}
    return {"flags": flags, "shares_model_with": sorted(state.judge.shared_with)}


def _count_lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(line.endswith(b"\n") for line in file)
