"""What a trace holds, ready to be asked about one chunk. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ragtester.records import Ranked, Retrieved, Trace
from ragtester.searching.measure import fused_list


@dataclass(frozen=True)
class TraceLists:
    """The lists of one trace, by chunk."""

    trace: Trace

    @cached_property
    def by_arm(self) -> dict[str, list[Retrieved]]:
        """Every arm's hits, best first."""
        found: dict[str, list[Retrieved]] = {}
        for one in self.trace.retrieved:
            found.setdefault(one.arm, []).append(one)
        return found

    @cached_property
    def hits(self) -> dict[str, dict[str, int]]:
        """Ranks by arm of every chunk that was found."""
        found: dict[str, dict[str, int]] = {}
        for one in self.trace.retrieved:
            found.setdefault(one.id, {})[one.arm] = one.rank
        return found

    @cached_property
    def scores(self) -> dict[tuple[str, str], float]:
        """Scores by arm and chunk."""
        return {(one.arm, one.id): one.score for one in self.trace.retrieved}

    @cached_property
    def dropped(self) -> dict[str, dict[str, list[str]]]:
        """Reasons by step and chunk, one for each time that it was dropped."""
        found: dict[str, dict[str, list[str]]] = {"floor": {}, "filter": {}, "budget": {}}
        for one in self.trace.dropped:
            found[one.at].setdefault(one.id, []).append(one.reason)
        return found

    @cached_property
    def fused(self) -> list[str]:
        """The fused list; see `fused_list`."""
        return fused_list(self.trace)

    @cached_property
    def places(self) -> dict[str, int]:
        """Ranks in the fused list."""
        return {name: rank for rank, name in enumerate(self.fused, start=1)}

    @cached_property
    def reranked(self) -> dict[str, Ranked]:
        """What the reranker gave."""
        return {one.id: one for one in self.trace.reranked}

    @property
    def goes_on(self) -> int:
        """How many of the fused list go on: what the reranker saw, or k."""
        return len(self.reranked) or self.trace.k

    def sources(self, chunk_id: str) -> tuple[str, ...]:
        """The arms that brought a chunk through their floors into the fused list."""
        return next((one.sources for one in self.trace.fused if one.id == chunk_id), ())

    def through(self, chunk_id: str) -> tuple[str, ...]:
        """The arms whose floors a chunk passed; outside the fused list, those that no floor's reason names."""
        below = {reason.partition(" ")[0] for reason in self.dropped["floor"].get(chunk_id, ())}
        return self.sources(chunk_id) or tuple(arm for arm in self.hits.get(chunk_id, ()) if arm not in below)

    def arm_rank(self, arm: str, chunk_id: str) -> int:
        """A chunk's rank in an arm among the hits that may be found; 0 where it is not there."""
        return self.among_kept([one.id for one in self.by_arm.get(arm, ())], chunk_id)

    def among_kept(self, names: list[str], chunk_id: str) -> int:
        """A chunk's rank in a list from which the filter has taken others out; 0 where it is not there."""
        if chunk_id not in names:
            return 0
        ahead = names[: names.index(chunk_id)]
        return 1 + sum(name not in self.dropped["filter"] for name in ahead)

    def arms(self, chunk_id: str) -> str:
        """A chunk and its ranks in the arms."""
        ranks = ", ".join(f"{arm} rank {rank}" for arm, rank in self.hits.get(chunk_id, {}).items())
        return f"{chunk_id}: {ranks or 'in no arm that is listed'}"

    def reason(self, chunk_id: str, step: str) -> str:
        """Why a step dropped a chunk."""
        return "; ".join(filter(None, self.dropped[step].get(chunk_id, ()))) or "no reason is noted"
