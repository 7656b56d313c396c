"""What an audit would still ask and cost, before anything is asked or written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ragtester.claiming import Claims, check_request, claims_model, split_request
from ragtester.models.prices import price_of
from ragtester.models.rendering import Renderer
from ragtester.progress import SilentProgress
from ragtester.records import Chunk, Record
from ragtester.settings import Settings
from ragtester.stages.claims.asking import Item, without_asking
from ragtester.stages.claims.plan import Plan, identity_of, make_plan
from ragtester.tables import Cell, Document, Paragraph, Section, Table
from ragtester.tables.cells import counted
from ragtester.tasks import CHECK_CLAIM, SPLIT_ANSWER, Models, Task
from ragtester.text.claim_cover import claims_of
from ragtester.text.words import estimate_tokens
from ragtester.workspace import Workspace

REPLY = 60
"""Usual tokens of a reason with its verdict, and of a claim with its labels."""


@dataclass
class _Sum:
    calls: int = 0
    prompt: int = 0
    reply: int = 0

    def add(self, prompt: int, reply: int) -> None:
        self.calls, self.prompt, self.reply = self.calls + 1, self.prompt + prompt, self.reply + reply


def estimate(workspace: Workspace, settings: Settings, models: Models, repeats: int) -> Document:
    """Calls, tokens and US dollars of the audit of the run as it stands. Asks no model and writes no row.

    How many claims an answer makes is not known before it is split: its clauses are counted instead. Each is checked
    twice, once where the context is a single chunk. Raises as `make_plan` does, but for changed inputs.
    """
    renderer = Renderer(workspace.prompts if workspace.prompts.is_dir() else None)
    claims = Claims(models, claims_model(settings))
    plan = make_plan(workspace, settings, claims, SilentProgress(), overwrite=True)
    split, check, answers = _Sum(), _Sum(), 0
    for item in plan.work():
        found = list(_open_claims(plan, item))
        if identity_of(item.answer) in plan.open:
            if without_asking(item, claims) is not None:
                continue
            answers += 1
            request = split_request(item.answer, item.case, item.chunks)
            split.add(_tokens(renderer, SPLIT_ANSWER, request), REPLY * len(found))
        for claim in found:
            for chunks in _contexts(item):
                check.add(_tokens(renderer, CHECK_CLAIM, check_request(claim, item.case, chunks)), REPLY)
    rows = tuple(
        _row(name, own, settings, claims.model) for name, own in (("split answers", split), ("check claims", check))
    )
    text = (
        f"{answers} of {len(plan.keys)} answers would be split by {claims.model}; how many claims they make is a guess "
        "by their clauses, each checked by its cited chunks and by the whole context. One try each: retries come on "
        "top; n/a: no price is known."
    )
    said = [Paragraph(text)]
    if repeats > 1:
        again = f"{repeats - 1} more times {counted(len(plan.keys), 'answer')}"
        said.append(
            Paragraph(f"Of the run alone: repeats that are not there yet execute, judge and audit it again, {again}.")
        )
    table = Table("claims-estimate", "Calls to come", ("task", "calls", "tokens in", "tokens out", "US$"), rows)
    title = f"Claims audit of run {settings.execute.run}"
    return Document(title, (Section("estimate", "Estimate", (*said, table)),))


def _open_claims(plan: Plan, item: Item) -> Iterator[str]:
    """The claims to check: those that stand unchecked, or clauses of an answer that is to be split."""
    place = identity_of(item.answer)
    if place in plan.open:
        yield from claims_of(item.answer.answer, item.case.language)
    else:
        yield from (plan.parts[place][number].claim for number in sorted(plan.unchecked[place]))


def _contexts(item: Item) -> Iterator[Sequence[Chunk]]:
    """What a claim is checked against: about the cited chunks, and all of them."""
    if item.chunks:
        cited = tuple(chunk for chunk in item.chunks if chunk.id in item.answer.cited) or item.chunks[:1]
        yield cited
        if len(cited) < len(item.chunks):
            yield item.chunks


def _tokens(renderer: Renderer, task: Task[Any, Any], request: Record) -> int:
    return sum(estimate_tokens(text) for text in renderer.render(task, request))


def _row(name: str, own: _Sum, settings: Settings, model: str) -> tuple[Cell, ...]:
    cost = price_of(model, own.prompt, own.reply, settings.model(model))
    return name, own.calls, own.prompt, own.reply, cost
