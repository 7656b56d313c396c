"""Rerankers: `flashrank:MODEL`, `python:MODULE:FUNCTION`, or any language model as `provider:model`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ragtester.records import Call, Chunk, Failure


@dataclass(frozen=True)
class Scored:
    """A score a passage, in their order, higher is better; or why there are none. Calls account for what was asked."""

    scores: tuple[float, ...] = ()
    failure: Failure | None = None
    calls: tuple[Call, ...] = ()
    notes: tuple[str, ...] = ()


class Reranker(Protocol):
    """Puts the fused hits in another order."""

    name: str

    async def score(self, query: str, language: str, chunks: Sequence[Chunk]) -> Scored:
        """Score the chunks for a query; what a model does wrong comes back as a failure."""
        ...
