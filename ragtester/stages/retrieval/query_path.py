"""Where on the query path a chunk was lost that is in the index: read from the trace alone. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from ragtester.records import Retrieved, Trace
from ragtester.stages.retrieval.fixes import Loss

Rank = Callable[[str], tuple[int, float] | None]


@dataclass(frozen=True)
class QueryPath:
    """One trace, asked about chunks that are not in its final context.

    `kept_out` says by which filter a document may not be found, empty for one that may. `rank` gives the exact dense
    rank and score of a chunk among all that the query could find, None where that is unknown.
    """

    trace: Trace
    kept_out: Callable[[str], str]
    rank: Rank

    def loss(self, chunk_id: str) -> Loss:
        """The first step that lost a chunk."""
        document_id = chunk_id.rsplit(":", 2)[0]
        told = self.kept_out(document_id)
        if told and self.trace.filter_mode == "pre":
            return Loss("filtered", f"{chunk_id} was never searched: {told}.")
        if chunk_id not in self._hits:
            return self._not_found(chunk_id)
        if chunk_id not in self._places:
            return Loss("floor", f"{self._arms(chunk_id)}; below the floor: {self._reason(chunk_id, 'floor')}.")
        return self._after_fusion(chunk_id)

    def _not_found(self, chunk_id: str) -> Loss:
        exact = self.rank(chunk_id)
        if seen := self._starved(chunk_id, exact):
            return Loss("starved_by_post_filter", seen)
        depths = ", ".join(f"{arm} {len(found)}" for arm, found in self._by_arm.items()) or "none"
        best = ", ".join(f"{arm} {found[0].score:g}" for arm, found in self._by_arm.items()) or "none"
        place = f" Its true dense rank is {exact[0]} (score {exact[1]:g})." if exact else ""
        return Loss("not_in_candidates", f"{chunk_id} is in no arm's hits ({depths}); best score {best}.{place}")

    def _starved(self, chunk_id: str, exact: tuple[int, float] | None) -> str:
        """What shows that documents which may not be found took the candidates' places; empty where they did not."""
        filtered, left = len(self._dropped["filter"]), len(self._fused) - len(self._dropped["filter"])
        if self.trace.filter_mode != "post" or not filtered or left >= self.trace.k:
            return ""
        deepest = max(map(len, self._by_arm.values()))
        if self.kept_out(_document(chunk_id)) or (exact is not None and exact[0] > deepest):
            return ""
        place = f" Without them {chunk_id} is number {exact[0]}." if exact else ""
        taken = f"{filtered} of {len(self._fused)} candidates were of documents that may not be found"
        return f"{taken}; {left} were left for k = {self.trace.k}.{place}"

    def _after_fusion(self, chunk_id: str) -> Loss:
        trace = self.trace
        goes_on = len(trace.reranked) if trace.reranked else trace.k
        place, arm_rank = self._place_among_kept(chunk_id), min(self._hits[chunk_id].values())
        where = f"{self._arms(chunk_id)}; fused rank {self._places[chunk_id]}"
        if trace.fused and place > goes_on and arm_rank <= goes_on:
            return Loss("fused_away", f"{where}, and {goes_on} went on.")
        if chunk_id in self._dropped["filter"]:
            told = self.kept_out(_document(chunk_id)) or self._reason(chunk_id, "filter")
            return Loss("filtered", f"{where}; taken out after the search: {told}.")
        if chunk_id in self._dropped["budget"]:
            return Loss("budget", f"{where}; no room: {self._reason(chunk_id, 'budget')}.")
        reranked = next((one for one in trace.reranked if one.id == chunk_id), None)
        if reranked and place <= trace.k:
            return Loss(
                "demoted", f"{where}; the reranker put it at {reranked.rank} (score {reranked.score:g}), k = {trace.k}."
            )
        last = f"; reranked {reranked.rank}" if reranked else "; not reranked" if trace.reranked else ""
        return Loss("truncated", f"{where}{last}; cut at k = {trace.k}.")

    # What the trace holds

    @cached_property
    def _by_arm(self) -> dict[str, list[Retrieved]]:
        found: dict[str, list[Retrieved]] = {}
        for one in self.trace.retrieved:
            found.setdefault(one.arm, []).append(one)
        return found

    @cached_property
    def _hits(self) -> dict[str, dict[str, int]]:
        """Ranks by arm of every chunk that was found."""
        found: dict[str, dict[str, int]] = {}
        for one in self.trace.retrieved:
            found.setdefault(one.id, {})[one.arm] = one.rank
        return found

    @cached_property
    def _dropped(self) -> dict[str, dict[str, str]]:
        """Reasons by step and chunk."""
        found: dict[str, dict[str, str]] = {"floor": {}, "filter": {}, "budget": {}}
        for one in self.trace.dropped:
            found[one.at][one.id] = "; ".join(filter(None, (found[one.at].get(one.id), one.reason)))
        return found

    @cached_property
    def _fused(self) -> list[str]:
        """The fused list; that of a single arm is its hits above the floor."""
        below = self._dropped["floor"]
        return [one.id for one in self.trace.fused] or [one.id for one in self.trace.retrieved if one.id not in below]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: rank for rank, name in enumerate(self._fused, start=1)}

    def _place_among_kept(self, chunk_id: str) -> int:
        """Its fused rank once the filter has taken others out."""
        ahead = self._fused[: self._places[chunk_id] - 1]
        return 1 + sum(name not in self._dropped["filter"] for name in ahead)

    def _arms(self, chunk_id: str) -> str:
        ranks = ", ".join(f"{arm} rank {rank}" for arm, rank in self._hits[chunk_id].items())
        return f"{chunk_id}: {ranks}"

    def _reason(self, chunk_id: str, step: str) -> str:
        return self._dropped[step].get(chunk_id) or "no reason is noted"


def _document(chunk_id: str) -> str:
    return chunk_id.rsplit(":", 2)[0]
