"""Metrics by claims for queries that no span or label says the gold of; what was paid for before is not paid again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragtester.provenance import row_key
from ragtester.records import AuditedQuery, ClaimMetrics, Failure
from ragtester.searching.measure import context_by_rank
from ragtester.stages.retrieval.items import Item
from ragtester.statistics.claims import claim_metrics
from ragtester.tables.cells import counted
from ragtester.tasks import PURPOSE, TRACE_CLAIMS, Models, Passage, TraceClaims
from ragtester.text.claim_cover import BY, trace_by_words

Place = tuple[str, str]
"""Embedding model and query id."""


@dataclass(frozen=True)
class Waiting:
    """What a query's claims are traced in."""

    place: Place
    request: TraceClaims


@dataclass
class Claims:
    """Traces claims by a model, or by words where `model` is empty. `kept` are metrics of an earlier audit."""

    model: str
    models: Models
    kept: Mapping[Place, ClaimMetrics] = field(default_factory=dict)
    waiting: list[Waiting] = field(default_factory=list)
    failures: dict[Place, Failure] = field(default_factory=dict)

    def consider(self, item: Item, row: AuditedQuery) -> None:
        """Keep an answerable query without gold for later, where the texts that it retrieved are known."""
        case = item.case
        if row.status != "no_gold" or case.type == "rejection" or case.evidence or not case.expected_answer.strip():
            return
        chunks = [item.look_up(name) for name in context_by_rank(item.trace)]
        passages = tuple(Passage(label=one.id, text=one.text) for one in chunks if one is not None)
        if len(passages) < len(chunks):
            return
        request = TraceClaims(
            language=case.language, question=case.question, answer=case.expected_answer, passages=passages
        )
        self.waiting.append(Waiting((item.embedding, case.id), request))

    async def trace(self) -> dict[Place, ClaimMetrics]:
        """Metrics by place. What a model does wrong stands in `failures`: words do not step in for it."""
        if not self.model:
            return {one.place: _by_words(one.request) for one in self.waiting}
        prompt = self.models.prompt_sha256(TRACE_CLAIMS)
        found = await asyncio.gather(*(self._asked(one, prompt) for one in self.waiting))
        return {one.place: made for one, made in zip(self.waiting, found, strict=True) if made is not None}

    async def _asked(self, one: Waiting, prompt: str) -> ClaimMetrics | None:
        key = row_key(model=self.model, prompt=prompt, request=one.request.model_dump(mode="json"))
        held = self.kept.get(one.place)
        if held is not None and held.key == key:
            return held
        PURPOSE.set(f"claims {one.place[0]} {one.place[1]}")
        asked = await self.models.ask(self.model, TRACE_CLAIMS, one.request)
        if asked.reply is None:
            nothing = Failure(type="empty", message="the model gave neither a reply nor a reason")
            self.failures[one.place] = asked.failure or nothing
            return None
        made = claim_metrics(asked.reply, _order(one.request), by=self.model, call=asked.call)
        return made.model_copy(update={"key": key})

    def told(self) -> str:
        """One line on what failed; empty where nothing did."""
        if not self.failures:
            return ""
        types = sorted({f"{one.type}: {one.message}" for one in self.failures.values()})
        told = counted(len(self.failures), "query", "queries")
        return f"claims of {told} could not be traced ({types[0]}); start again to go on"


def _by_words(request: TraceClaims) -> ClaimMetrics:
    traced = trace_by_words(request.answer, request.passages, request.language)
    return claim_metrics(traced, _order(request), by=BY)


def _order(request: TraceClaims) -> Sequence[str]:
    return [passage.label for passage in request.passages]
