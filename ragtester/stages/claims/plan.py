"""Which answers are split and checked, what stands already, and what was made from other inputs. Asks no model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragtester.claiming import Claims
from ragtester.errors import ChangedInputsError, DataError
from ragtester.progress import Progress
from ragtester.records import NO_RETRIEVAL, Answer, Manifest
from ragtester.settings import Settings
from ragtester.stages.claims.asking import Item
from ragtester.stages.claims.files import Files
from ragtester.stages.claims.rows import (
    AnswerLine,
    ClaimLine,
    Identity,
    answer_key,
    claim_key,
    context_hash,
    read_answers,
    read_claims,
)
from ragtester.stages.judge_inputs import Lookup, answers, run_files
from ragtester.storage import read_json
from ragtester.workspace import Workspace


@dataclass
class Plan:
    """The answers of the run in its order, with their keys, and the rows that stand.

    `open` are the answers to split, `unchecked` the numbers of the claims to check again, by answer. `again` are the
    open answers whose split failed after being paid for. `uncited` counts answers that name no source of their own.
    """

    files: Files
    claims: Claims
    lookup: Lookup
    paths: list[Path]
    refusals: tuple[str, ...]
    retry_failed: bool
    keys: dict[Identity, str] = field(default_factory=dict)
    rows: dict[Identity, AnswerLine] = field(default_factory=dict)
    parts: dict[Identity, dict[int, ClaimLine]] = field(default_factory=dict)
    open: set[Identity] = field(default_factory=set)
    again: set[Identity] = field(default_factory=set)
    unchecked: dict[Identity, set[int]] = field(default_factory=dict)
    uncited: int = 0
    notes: tuple[str, ...] = ()

    def asked(self) -> dict[str, Any]:
        """What every row depends on besides its answer."""
        return {"judge": self.claims.model, "prompts": self.claims.prompts, "refusals": self.refusals}

    def work(self) -> Iterator[Item]:
        """The answers with anything to do, in the run's order."""
        wanted = self.open | self.unchecked.keys()
        for path in self.paths if wanted else ():
            for answer in answers(path):
                if identity_of(answer) in wanted:
                    yield self.item(answer)

    def item(self, answer: Answer) -> Item:
        """An answer with its case, its chunks and its key.

        Where chunks are lost that a row was made from, the hash in the row stands for their texts.
        """
        case = self.lookup.case(answer)
        chunks, missing = self.lookup.chunks(answer)
        row = self.rows.get(identity_of(answer))
        known = row.context_sha256 if row is not None and row.paid else ""
        context = known if missing else context_hash(chunks)
        key = answer_key(answer, case, context, self.asked())
        return Item(answer, case, chunks, missing, context, key, self.refusals)


def identity_of(answer: Answer) -> Identity:
    """What a row belongs to."""
    return answer.llm, answer.embedding, answer.technique, answer.case_id


def make_plan(
    workspace: Workspace, settings: Settings, claims: Claims, progress: Progress, *, overwrite: bool = False
) -> Plan:
    """Read the run's answers and the rows that stand.

    Raises UsageError where there are no answers, ChangedInputsError where rows were made from other inputs (unless
    `overwrite`), DataError for rows that are none.
    """
    name = settings.execute.run
    paths = run_files(workspace, name, progress)
    made = read_json(workspace.answers(name) / "manifest.json", Manifest)
    suite = str(made.parameters.get("suite", settings.workspace.suite)) if made else settings.workspace.suite
    files = Files.of(workspace, name)
    plan = Plan(
        files=files,
        claims=claims,
        lookup=Lookup(workspace, suite, name),
        paths=paths,
        refusals=settings.execute.refusals,
        retry_failed=settings.audit_claims.retry_failed,
        rows=read_answers(files.answers),
        parts=read_claims(files.claims),
    )
    stale: list[AnswerLine] = []
    for path in paths:
        for answer in answers(path):
            plan.uncited += answer.outcome == "answered" and not answer.cited
            _place(plan, plan.item(answer), path, stale)
    plan.notes = tuple(_notes(plan, made))
    stale += [row for place, row in plan.rows.items() if place not in plan.keys and row.paid]
    if stale and not overwrite:
        raise ChangedInputsError(
            f"{files.answers}: the claims of {len(stale)} answer(s) were found or checked under other inputs "
            f"({_changes(plan, stale)}); audit with --overwrite, or under another run name"
        )
    plan.rows = {place: row for place, row in plan.rows.items() if plan.keys.get(place) == row.key}
    plan.parts = {place: parts for place, parts in plan.parts.items() if place in plan.rows}
    return plan


def _notes(plan: Plan, made: Manifest | None) -> Iterator[str]:
    """What a reader must know before any figure."""
    if made is None or made.ended is None:
        yield "the run's execution has not ended; answers that come later are audited by the next start"
    firsts = [first for path in plan.paths if (first := next(answers(path), None)) is not None]
    if plan.claims.model in {first.llm for first in firsts}:
        yield f"the judge {plan.claims.model} is also a system under test: models favour their own answers"
    if plan.uncited:
        yield (
            f"{plan.uncited} of {len(plan.keys)} answers name no source: which chunks their claims rely on is the "
            "judge's choice"
        )
    if any(first.embedding == NO_RETRIEVAL for first in firsts):
        yield "answers without retrieval have no chunk to rest on: none of their claims can be supported"


def _place(plan: Plan, item: Item, path: Path, stale: list[AnswerLine]) -> None:
    """Note an answer's key, and what is to be done about it."""
    place = identity_of(item.answer)
    if place in plan.keys:
        raise DataError(f"{path}: the answer to {item.answer.case_id!r} stands twice; delete one of the rows")
    plan.keys[place] = item.key
    row = plan.rows.get(place)
    if row is None or not _holds(item.key, row, plan.parts.get(place, {})):
        plan.open.add(place)
        if row is not None and row.key == item.key:
            del plan.rows[place]  # some of its claims were taken away by hand
        elif row is not None and row.paid:
            stale.append(row)
    elif row.is_worth_another(plan.retry_failed):
        plan.open.add(place)
        if not row.is_worth_another(retry_failed=False):
            plan.again.add(place)
    elif not item.missing:
        lines = plan.parts.get(place, {}).values()
        numbers = {line.claim_id for line in lines if _is_open(line, row, plan)}
        if numbers:
            plan.unchecked[place] = numbers


def _is_open(line: ClaimLine, row: AnswerLine, plan: Plan) -> bool:
    return line.claim_id <= row.claims and line.is_worth_another(plan.retry_failed)


def _holds(key: str, row: AnswerLine, parts: dict[int, ClaimLine]) -> bool:
    """Whether a row is of this key and all its claims stand with it, each as it was found."""
    if row.key != key or any(number not in parts for number in range(1, row.claims + 1)):
        return False
    lines = (parts[number] for number in range(1, row.claims + 1))
    return all(
        line.key == claim_key(key, line.claim_id, line.claim, line.chunk_ids, line.unknown_ids) for line in lines
    )


def _changes(plan: Plan, stale: list[AnswerLine]) -> str:
    """What is otherwise than when the rows were made."""
    told = []
    judges = sorted({row.judge for row in stale} - {plan.claims.model})
    if judges:
        told.append(f"judge: {', '.join(judges)} is now {plan.claims.model}")
    made = read_json(plan.files.manifest, Manifest)
    before = made.prompts if made else {}
    told += [f"the prompt {name}" for name, digest in plan.claims.prompts.items() if before.get(name, digest) != digest]
    gone = sum(row.identity not in plan.keys for row in stale)
    if gone:
        told.append(f"{gone} answer(s) left the run")
    return "; ".join(told) or "the answers, their cases, their chunks or refusals"
