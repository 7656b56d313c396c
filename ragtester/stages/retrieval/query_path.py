"""Where on the query path a chunk was lost: read from the trace alone, ours or another system's. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from ragtester.records import Trace
from ragtester.stages.retrieval import advice
from ragtester.stages.retrieval.advice import Standing, Steps
from ragtester.stages.retrieval.fixes import FIXES, Cause, Loss
from ragtester.stages.retrieval.trace_lists import TraceLists

Rank = Callable[[str], tuple[int, float] | None]
UNLOGGED = "The trace has no fused list: whether fusion or a later cut lost it cannot be told."


def _not_known(_: str) -> None:
    return None


def _not_kept_out(_: str) -> str:
    return ""


@dataclass(frozen=True)
class QueryPath:
    """One trace, asked about chunks that are not in its final context.

    What only our own index and settings tell is left out for another system: `kept_out` says by which filter a
    document may not be found, empty for one that may; `rank` gives the exact dense rank and score of a chunk among all
    that the query could find, `by_words` its BM25 rank (0: too far), each None where that is unknown.
    """

    trace: Trace
    steps: Steps
    kept_out: Callable[[str], str] = _not_kept_out
    rank: Rank = _not_known
    by_words: Callable[[str], int | None] = _not_known

    def loss(self, chunk_id: str) -> Loss:
        """The first step that lost a chunk."""
        told = self.kept_out(_document(chunk_id))
        if told and self.trace.filter_mode == "pre":
            return Loss("filtered", f"{chunk_id} was never searched: {told}.")
        if chunk_id in self._seen.places:
            return self._after_fusion(chunk_id)
        if chunk_id in self._seen.reranked:
            return self._cut(chunk_id, None)
        if chunk_id not in self._seen.hits:
            return self._not_found(chunk_id)
        return self._not_fused(chunk_id)

    def reached(self, chunk_id: str) -> tuple[int, int]:
        """How far a chunk came, lower is better: the last list that has it, and its rank there."""
        if chunk_id in self._seen.reranked:
            return 0, self._seen.reranked[chunk_id].rank
        if chunk_id in self._seen.places:
            return 1, self._seen.places[chunk_id]
        if chunk_id in self._seen.hits:
            return 2, min(self._seen.hits[chunk_id].values())
        exact = self.rank(chunk_id)
        return (3, exact[0]) if exact else (4, 0)

    # Not in the fused list

    def _not_found(self, chunk_id: str) -> Loss:
        exact = self.rank(chunk_id)
        if seen := self._starved(chunk_id, exact):
            return Loss("starved_by_post_filter", seen)
        depths = ", ".join(f"{arm} {len(found)}" for arm, found in self._seen.by_arm.items()) or "none"
        best = ", ".join(f"{arm} {found[0].score:g}" for arm, found in self._seen.by_arm.items()) or "none"
        seen = f"{chunk_id} is in no arm's hits ({depths}); best score {best}."
        if told := self.kept_out(_document(chunk_id)):
            # Whatever its rank is, a filter after the search would take it out.
            return Loss("not_in_candidates", f"{seen} Besides, {told}.", FIXES["filtered"][1])
        standing = self._standing(chunk_id, exact[0] if exact else None, fetched=False)
        place = f" Its true dense rank is {exact[0]} (score {exact[1]:g})." if exact else ""
        words = f" BM25 would have it at rank {standing.by_words}." if standing.by_words else ""
        # Imported contexts were retrieved by nobody knows what.
        known = self.trace.retrieved or not self.trace.context_ids
        fix = advice.beyond_k(self.steps, standing) if known else ""
        return Loss("not_in_candidates", f"{seen}{place}{words}", fix)

    def _starved(self, chunk_id: str, exact: tuple[int, float] | None) -> str:
        """What shows that documents which may not be found took the candidates' places; empty where they did not."""
        filtered, left = len(self._seen.dropped["filter"]), len(self._seen.fused) - len(self._seen.dropped["filter"])
        if self.trace.filter_mode != "post" or not filtered or left >= self.trace.k:
            return ""
        deepest = max(map(len, self._seen.by_arm.values()))
        if self.kept_out(_document(chunk_id)) or (exact is not None and exact[0] > deepest):
            return ""
        place = f" Without them {chunk_id} is number {exact[0]}." if exact else ""
        taken = f"{filtered} of {len(self._seen.fused)} candidates were of documents that may not be found"
        return f"{taken}; {left} were left for k = {self.trace.k}.{place}"

    def _not_fused(self, chunk_id: str) -> Loss:
        """What some arm found and the fused list lacks: below every floor, or the list holds less or was not logged."""
        found, below = self._seen.arms(chunk_id), self._seen.dropped["floor"].get(chunk_id, [])
        if len(below) >= len(self._seen.hits[chunk_id]):
            scores = {arm: self._seen.scores[arm, chunk_id] for arm in self._seen.hits[chunk_id]}
            seen = f"{found}; below the floor: {self._seen.reason(chunk_id, 'floor')}."
            return Loss("floor", seen, advice.below_floor(scores))
        if self.trace.fused:
            return self._fused_away(chunk_id, f"{found}; it is not in the fused list.", len(self._seen.fused) + 1)
        if chunk_id in self._seen.dropped["filter"]:
            return self._filtered_after(chunk_id, found)
        if chunk_id in self._seen.dropped["budget"]:
            return Loss("budget", f"{found}; no room: {self._seen.reason(chunk_id, 'budget')}.")
        return Loss("truncated", f"{found}; it is not in the final context (k = {self.trace.k}). {UNLOGGED}")

    # In the fused list

    def _after_fusion(self, chunk_id: str) -> Loss:
        place = self._seen.among_kept(self._seen.fused, chunk_id)
        where = self._seen.arms(chunk_id) + self._fused_rank(chunk_id)
        if chunk_id in self._seen.dropped["filter"]:
            return self._filtered_after(chunk_id, where)
        if self.trace.fused and place > self._seen.goes_on and (lost := self._lost_in_fusion(chunk_id, where, place)):
            return lost
        return self._cut(chunk_id, place)

    def _lost_in_fusion(self, chunk_id: str, where: str, place: int) -> Loss | None:
        """Where an arm had it among those that go on: its floor took it there, or the fused order put it lower.

        Of several arms that had it so the one that ranked it best is to blame.
        """
        ranks = {arm: self._seen.arm_rank(arm, chunk_id) for arm in self._seen.hits.get(chunk_id, ())}
        near = {arm: rank for arm, rank in ranks.items() if rank <= self._seen.goes_on}
        above = {arm: rank for arm, rank in near.items() if arm in self._seen.sources(chunk_id)}
        below = {arm: rank for arm, rank in near.items() if arm not in self._seen.sources(chunk_id)}
        floored = below and chunk_id in self._seen.dropped["floor"]
        if above and not (floored and min(below.values()) < min(above.values())):
            return self._fused_away(chunk_id, f"{where}, and {self._seen.goes_on} went on.", place)
        if floored:
            seen = (
                f"{where}, and {self._seen.goes_on} went on; below the floor: {self._seen.reason(chunk_id, 'floor')}."
            )
            return Loss("floor", seen, advice.below_floor({arm: self._seen.scores[arm, chunk_id] for arm in below}))
        return None

    def _fused_away(self, chunk_id: str, seen: str, place: int) -> Loss:
        # Fusion knows nothing of ranks below a floor.
        arms = self._seen.through(chunk_id) or tuple(self._seen.hits[chunk_id])
        ranks = {arm: self._seen.arm_rank(arm, chunk_id) for arm in arms}
        arm = min(ranks, key=lambda name: ranks[name])
        fix = advice.fused_away(arm, ranks[arm], place, reranks=self.steps.reranks)
        return Loss("fused_away", seen, fix)

    def _filtered_after(self, chunk_id: str, where: str) -> Loss:
        told = self.kept_out(_document(chunk_id)) or self._seen.reason(chunk_id, "filter")
        return Loss("filtered", f"{where}; taken out after the search: {told}.")

    def _cut(self, chunk_id: str, place: int | None) -> Loss:
        """Demoted, cut at K, or without room; `place` is its fused rank among those that the filter left."""
        k, reranked = self.trace.k, self._seen.reranked.get(chunk_id)
        where = self._seen.arms(chunk_id) + (self._fused_rank(chunk_id) if place else "")
        if chunk_id in self._seen.dropped["budget"]:
            return Loss("budget", f"{where}; no room: {self._seen.reason(chunk_id, 'budget')}.")
        last = reranked.rank if reranked else place
        if last is not None and last <= k and (reranked or not self._seen.reranked):
            seen = f"{where}; rank {last} is not in the final context (k = {k}), and no drop is noted."
            return Loss("budget", seen, advice.UNLOGGED_DROP)
        if reranked and (place or k + 1) <= k:
            return Loss(
                "demoted", f"{where}; the reranker put it at {reranked.rank} (score {reranked.score:g}), k = {k}."
            )
        if reranked:
            fix = advice.reranked_beyond_k(reranked.rank)
            return Loss("truncated", f"{where}; reranked {reranked.rank}; cut at k = {k}.", fix)
        assert place is not None
        if self._seen.reranked:
            # Only another system's list can leave out what stood within K.
            cause: Cause = "demoted" if place <= k else "truncated"
            fix = advice.never_reranked(place) if place > k else ""
            return Loss(cause, f"{where}; not reranked; cut at k = {k}.", fix)
        standing = self._standing(chunk_id, place, fetched=True)
        return Loss("truncated", f"{where}; cut at k = {k}.", advice.beyond_k(self.steps, standing))

    def _fused_rank(self, chunk_id: str) -> str:
        # Of a single arm the hits stand for a fused list: there its rank says it all.
        return f"; fused rank {self._seen.places[chunk_id]}" if self.trace.fused else ""

    def _standing(self, chunk_id: str, rank: int | None, *, fetched: bool) -> Standing:
        """BM25 is only asked where no arm searches by words."""
        alone = None if self.steps.by_words else self.by_words(chunk_id)
        return Standing(rank, fetched, alone)

    @cached_property
    def _seen(self) -> TraceLists:
        return TraceLists(self.trace)


def _document(chunk_id: str) -> str:
    return chunk_id.rsplit(":", 2)[0]
