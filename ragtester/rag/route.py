"""The query path after the search: floors, fusion, filter, rerank, packing; its trace, and the sections for a model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import TypeAdapter

from ragtester.access import ACCESS
from ragtester.rag.contexts import Context, Found, Merged, Query
from ragtester.rag.fusion import fuse
from ragtester.rag.gold import Gold
from ragtester.rag.packing import pack
from ragtester.rag.reranking import Reranker
from ragtester.rag.similarity import Hit, document_of
from ragtester.records import Case, Chunk, Dropped, Ranked, Retrieved, Trace
from ragtester.settings import RetrievalSettings
from ragtester.tasks import Passage

# Hundreds of hits a question: made in one call, they take a third of the time of one call a record.
_RETRIEVED = TypeAdapter(tuple[Retrieved, ...])


@dataclass(frozen=True)
class Route:
    """The retrieval side of a system under test, named in every trace. `index` is the store's key.

    `draw` and the case are what a shuffled context's order is drawn from.
    """

    index: str
    embedding: str
    k: int
    scope: Literal["document", "corpus"] = "document"
    settings: RetrievalSettings = field(default_factory=RetrievalSettings)
    reranker: Reranker | None = None
    draw: str = ""

    def merge(self, found: Found) -> Merged:
        """Floors, fusion, and the filter where it comes after the search."""
        if found.query.failure:
            return Merged(found)
        arms, below = self._above_floors(found.arms)
        fused = fuse(arms, {arm.kind: arm.weight for arm in self.settings.arms}, self.settings.rrf_constant)
        kept, filtered = self._filtered(fused, found.query)
        return Merged(found, fused, kept, (*below, *filtered))

    def wanted(self, merged: Iterable[Merged]) -> set[str]:
        """Ids of the chunks whose texts are needed: what is reranked, or goes into a context."""
        most = self.settings.reranked(self.k) if self.reranker is not None else self.k
        return {hit.id for one in merged for hit in one.kept[:most]}

    async def contexts(
        self, merged: Iterable[Merged], chunks: Sequence[Chunk], chunk: Callable[[str], Chunk]
    ) -> list[Context]:
        """The contexts of several queries to one document, in order.

        `chunks` are those of the cases' own document: they give the gold chunks. `chunk` looks up what is `wanted`.
        """
        gold = Gold(chunks)
        return list(await asyncio.gather(*(self._context(one, gold, chunk) for one in merged)))

    def nothing(self, cases: Iterable[Case], chunks: Sequence[Chunk]) -> list[Context]:
        """Contexts of cases where nothing could be retrieved."""
        gold = Gold(chunks)
        return [Context(case, self._begun(Query.plain(case), gold)) for case in cases]

    async def _context(self, merged: Merged, known: Gold, chunk: Callable[[str], Chunk]) -> Context:
        query, kept = merged.found.query, merged.kept
        begun = self._begun(query, known)
        if query.failure:
            return Context(query.case, begun, failure=query.failure)
        update: dict[str, Any] = {
            "retrieved": _listed(merged.found.arms),
            "fused": tuple(merged.fused) if len(self.settings.arms) > 1 else (),
            "dropped": merged.dropped,
            "notes": (*begun.notes, *self._seen(query, merged)),
        }
        order = [one.id for one in kept]
        if self.reranker is not None and kept:
            seen = kept[: self.settings.reranked(self.k)]
            scored = await self.reranker.score(query.text, query.case.language, [chunk(one.id) for one in seen])
            update["calls"] = (*begun.calls, *scored.calls)
            update["notes"] = (*update["notes"], *scored.notes)
            if scored.failure:
                return Context(query.case, begun.model_copy(update=update), failure=scored.failure)
            update["reranked"] = _by_score(seen, scored.scores)
            order = [one.id for one in update["reranked"]]
        packed = pack([chunk(name) for name in order[: self.k]], self.k, self.settings, f"{self.draw}\n{query.case.id}")
        update["dropped"] = (*update["dropped"], *packed.dropped)
        update["context_ids"] = tuple(one.id for one in packed.chunks)
        update["context_characters"] = sum(len(one.text) for one in packed.chunks)
        sections = tuple(Passage(label=one.id, text=one.text) for one in packed.chunks)
        return Context(query.case, begun.model_copy(update=update), sections, ranking=self._ranking(merged.found))

    def _ranking(self, found: Found) -> tuple[str, ...] | None:
        """All that was found at or above the floor of the only arm."""
        if found.deeper is None:
            return None
        floor = self.settings.arms[0].floor
        return tuple(name for name, score in found.deeper if floor is None or score >= floor)

    def _above_floors(self, arms: dict[str, list[Hit]]) -> tuple[dict[str, list[Hit]], list[Dropped]]:
        """Hits at or above their arm's floor; what was below it in one arm may still come in through another."""
        kept: dict[str, list[Hit]] = {}
        below: list[Dropped] = []
        for arm in self.settings.arms:
            hits, floor = arms.get(arm.kind, []), arm.floor
            if floor is None:
                kept[arm.kind] = hits
                continue
            kept[arm.kind] = [hit for hit in hits if hit[1] >= floor]
            below += [
                Dropped(id=name, at="floor", reason=f"{arm.kind} {score:g} < {floor:g}")
                for name, score in hits
                if score < floor
            ]
        return kept, below

    def _filtered(self, fused: list[Ranked], query: Query) -> tuple[list[Ranked], list[Dropped]]:
        """In `post` mode hits of documents that may not be found are taken out now; in `pre` mode there are none."""
        if self.settings.filter_mode == "pre" or query.eligible is None:
            return fused, []
        kept = [one for one in fused if document_of(one.id) in query.eligible]
        names = {one.id for one in kept}
        reason = "its document is not among those that this query may find"
        return kept, [Dropped(id=one.id, at="filter", reason=reason) for one in fused if one.id not in names]

    def _begun(self, query: Query, known: Gold) -> Trace:
        """What is known before any search. A question that must be refused has no gold chunk."""
        case = query.case
        gold = () if case.type == "rejection" else known.ids(case.evidence)
        return Trace(
            query=case.question,
            user_tags=case.user_tags,
            index=self.index,
            embedding=self.embedding,
            k=self.k,
            rewrite=query.rewrite,
            filters={**self.settings.filters, **({ACCESS: case.user_tags} if query.restricted else {})},
            filter_mode="" if query.eligible is None else self.settings.filter_mode,
            gold_ids=gold,
            hidden_ids=gold if query.hidden else (),
            notes=self._notes(case),
            calls=query.calls,
        )

    def _seen(self, query: Query, merged: Merged) -> tuple[str, ...]:
        """Why a query found nothing at all, where it did not."""
        if query.eligible is not None and not query.eligible:
            which = "no document passes" if self.scope == "corpus" else "its document does not pass"
            return (f"{which} the filters and the access rules for this user",)
        if merged.kept:
            return ()
        return (
            ("the filter took out all that was found",) if merged.fused else ("no arm found anything above its floor",)
        )

    def _notes(self, case: Case) -> tuple[str, ...]:
        """In a store of the whole corpus the document that a cross-document question came from is there too."""
        if self.scope == "corpus" and case.origin:
            return (f"the store also holds {case.origin.document_id}, which this question was made from",)
        return ()


def _listed(arms: dict[str, list[Hit]]) -> tuple[Retrieved, ...]:
    return _RETRIEVED.validate_python(
        [
            {"id": name, "rank": rank, "score": score, "arm": arm}
            for arm, hits in arms.items()
            for rank, (name, score) in enumerate(hits, 1)
        ]
    )


def _by_score(seen: Sequence[Ranked], scores: Sequence[float]) -> tuple[Ranked, ...]:
    """Best score first; equal ones stay in their order."""
    order = sorted(range(len(seen)), key=lambda at: -scores[at])
    return tuple(
        Ranked(id=seen[at].id, rank=rank, score=scores[at], sources=seen[at].sources)
        for rank, at in enumerate(order, start=1)
    )
