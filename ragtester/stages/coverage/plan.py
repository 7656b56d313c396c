"""What an output audit has to do, and what stands already: known before the first call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from ragtester.claiming import Claims
from ragtester.errors import ChangedInputsError, DataError, UsageError
from ragtester.progress import Progress
from ragtester.records import AnswerCoverage, Case, Manifest
from ragtester.searching.suite import open_suite
from ragtester.settings import Settings
from ragtester.stages.coverage.foreign import ForeignAnswer, foreign_answers
from ragtester.stages.coverage.own import OwnAnswers
from ragtester.stages.coverage.rows import Judging, key_of, worth_another
from ragtester.stages.coverage.seen import Seen
from ragtester.storage import iter_rows, read_json, recover_tail, write_rows
from ragtester.workspace import Workspace

NAME = "audit coverage"
STAGE = "audit-coverage"
"""Name of the audit's call journal."""
Place = tuple[str, str, str, str]
"""LLM, embedding model, technique and case id: one answer."""


@dataclass(frozen=True)
class Wanted:
    """What is asked of the audit. `traces` None: the run's own answers; `inputs` are hashes of files that were read."""

    traces: tuple[ForeignAnswer, ...] | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    overwrite: bool = False

    @property
    def source(self) -> Literal["answers", "traces"]:
        """Where answers come from."""
        return "answers" if self.traces is None else "traces"


@dataclass
class Plan:
    """The answers in order, each with its row's key, and the rows that stand. `open` are the places to make."""

    folder: Path
    wanted: Wanted
    claims: Claims
    judging: Judging
    seen: Iterable[Seen]
    inputs: dict[str, str]
    notes: list[str]
    order: list[Place] = field(default_factory=list)
    keys: dict[Place, str] = field(default_factory=dict)
    rows: dict[Place, AnswerCoverage] = field(default_factory=dict)
    open: set[Place] = field(default_factory=set)
    again: set[Place] = field(default_factory=set)

    @property
    def path(self) -> Path:
        """The rows."""
        return self.folder / "answers.jsonl"

    @property
    def standing(self) -> list[AnswerCoverage]:
        """Rows that stand, in the order of the answers."""
        return [self.rows[place] for place in self.order if place in self.rows]

    def write(self) -> None:
        """Put the rows that stand into the file in order; nothing is written where it is so already."""
        standing = self.standing
        if standing or self.path.is_file():
            held = list(iter_rows(self.path, AnswerCoverage))
            if held != standing or recover_tail(self.path):
                write_rows(self.path, standing)


def place_of(row: Seen | AnswerCoverage) -> Place:
    """What an answer is found by."""
    one = row.identity if isinstance(row, Seen) else row
    return one.llm, one.embedding, one.technique, one.case_id


def make_plan(workspace: Workspace, settings: Settings, claims: Claims, progress: Progress, wanted: Wanted) -> Plan:
    """Read the answers and what stands of their rows; asks no model and changes no row.

    Raises UsageError for a run without answers, ChangedInputsError where rows stand that were made from other inputs
    (unless `wanted.overwrite`), DataError for rows that are none and answers that stand twice.
    """
    run = settings.execute.run
    judging = Judging(claims.model, claims.prompts, settings.audit_coverage.prefilter)
    if wanted.traces is None:
        own = OwnAnswers.open(workspace, settings, progress)
        seen: Iterable[Seen] = own
        inputs, notes = dict(own.inputs), own.notes
    else:
        refusals = settings.execute.refusals
        seen = list(foreign_answers(wanted.traces, run, _cases(workspace, settings), refusals))
        inputs, notes = {}, []
    inputs |= wanted.inputs
    plan = Plan(workspace.coverage_audit(run), wanted, claims, judging, seen, inputs, [*wanted.notes, *notes])
    _fill(plan)
    _settle(plan, run, retry_failed=settings.audit_coverage.retry_failed)
    return plan


def _cases(workspace: Workspace, settings: Settings) -> dict[str, Case]:
    """The cases of the workspace's suite, where it has one: traces may be of its questions."""
    name = settings.workspace.suite
    if not workspace.documents_file(name).is_file():
        return {}
    every = settings.model_copy(update={"execute": settings.execute.model_copy(update={"technique": "all"})})
    suite = open_suite(workspace, every)
    return {case.id: case for document in suite.documents for case in suite.cases(document)}


def _fill(plan: Plan) -> None:
    for one in plan.seen:
        place = place_of(one)
        if place in plan.keys:
            raise DataError(f"{plan.folder}: the answer to {one.identity.case_id!r} stands twice; delete one of them")
        plan.order.append(place)
        plan.keys[place] = key_of(one, plan.judging)
    if not plan.order:
        raise UsageError(f"{plan.folder}: no answer to audit; run `ragtester execute` first, or name another run")


def _settle(plan: Plan, run: str, *, retry_failed: bool) -> None:
    recover_tail(plan.path)
    held = {place_of(row): row for row in iter_rows(plan.path, AnswerCoverage)}
    stale = [row for place, row in held.items() if plan.keys.get(place) != row.key]
    kept = [row for row in stale if row.status != "failed"]
    if kept and not plan.wanted.overwrite:
        why = _why(kept, plan)
        raise ChangedInputsError(
            f"run {run}: {len(kept)} row(s) of its output audit were made from other inputs: {why}. "
            "Audit with --overwrite, or under another run name"
        )
    plan.rows = {place: row for place, row in held.items() if plan.keys.get(place) == row.key}
    plan.again = {place for place, row in plan.rows.items() if worth_another(row, retry_failed=retry_failed)}
    plan.open = {place for place in plan.order if place not in plan.rows} | plan.again


def _why(stale: list[AnswerCoverage], plan: Plan) -> str:
    judges = sorted({row.judge for row in stale if row.judge} - {plan.judging.model})
    if judges:
        return f"claims were checked by {', '.join(judges)}, now by {plan.judging.model}"
    if any(row.judge and row.prompt_sha256 != plan.judging.prompt_sha256 for row in stale):
        return "the prompts that split answers or check claims"
    old = read_json(plan.folder / "manifest.json", Manifest)
    if old is not None and old.parameters.get("source") != plan.wanted.source:
        return f"they were of {old.parameters.get('source')}, and are of {plan.wanted.source}"
    if old is not None and old.parameters.get("prefilter") != plan.judging.prefilter:
        return f"audit_coverage.prefilter is now {str(plan.judging.prefilter).lower()}"
    if old is not None and any(plan.inputs.get(name) != digest for name, digest in old.inputs.items()):
        return "the answers, the traces or the claims audit"
    return "the answers, what they saw, or their claims"


def without_again(plan: Plan) -> Plan:
    """The plan without the rows that are made again."""
    return replace(plan, rows={place: row for place, row in plan.rows.items() if place not in plan.again})
