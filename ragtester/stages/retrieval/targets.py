"""Runs of a target: its index is not here to be looked at, and its chunks are what it returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ragtester.records import EVIDENCE_CHUNK, TARGET, Chunk, Manifest
from ragtester.stages.retrieval.by_ranks import ByRanks
from ragtester.stages.retrieval.items import Item

ADVICE = (
    "Look whether the application's index holds the passage, and how deep its search looks: K, another arm, a reranker."
)
BY_TARGET = ByRanks(frozenset({TARGET}), ADVICE)


def is_target(executed: Manifest | None) -> bool:
    """Whether a run was executed with a system that is not ours."""
    return executed is not None and TARGET in executed.parameters


@dataclass
class OwnChunks:
    """The chunks of a document as one query needs them.

    Evidence that no returned text held stands as a chunk of its own. It is gold for its own query, and nothing for
    others, whose evidence it may touch: no target could ever return it.
    """

    _all: Sequence[Chunk] = ()
    _returned: list[Chunk] = field(default_factory=list)

    def of(self, item: Item) -> Item:
        """The item without the evidence of other queries."""
        if self._all is not item.chunks:
            self._all = item.chunks
            self._returned = [one for one in item.chunks if one.chunker != EVIDENCE_CHUNK]
        gold = set(item.trace.gold_ids)
        own = [one for one in item.chunks if one.chunker == EVIDENCE_CHUNK and one.id in gold]
        return replace(item, chunks=[*self._returned, *own] if own else self._returned)
