"""Rerank by a language model: it is asked for an order of all passages at once (listwise), best first.

The order of the prompt is the fused one. Language models prefer what stands first or last in a long prompt ("Lost in
the middle", Liu et al. 2024), so a part of the order that they reply is the order that they were given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragtester.rag.reranking import Scored
from ragtester.records import Chunk, Failure
from ragtester.tasks import PURPOSE, RANK_PASSAGES, Models, Passage, RankPassages


@dataclass(frozen=True)
class ModelReranker:
    """Asks `name` (`provider:model`); the score of a passage is 1 / its position in the reply."""

    name: str
    models: Models

    async def score(self, query: str, language: str, chunks: Sequence[Chunk]) -> Scored:
        """Passages that the reply leaves out keep their order behind the others, and a note says how many they are."""
        labels = [str(number) for number in range(1, len(chunks) + 1)]
        passages = tuple(Passage(label=label, text=chunk.text) for label, chunk in zip(labels, chunks, strict=True))
        PURPOSE.set("rerank")
        request = RankPassages(language=language, question=query, passages=passages)
        asked = await self.models.ask(self.name, RANK_PASSAGES, request)
        if asked.reply is None:
            failure = asked.failure or Failure(type="empty", message="the model gave neither a reply nor a reason")
            failure = failure.model_copy(update={"message": f"rerank: {failure.message}"})
            return Scored(failure=failure, calls=(asked.call,))
        named = list(asked.reply.order)
        missing = [label for label in labels if label not in named]
        position = {label: place for place, label in enumerate([*named, *missing], start=1)}
        note = f"rerank: the model left out {len(missing)} of {len(labels)} passages; they keep their order behind"
        scores = tuple(1.0 / position[label] for label in labels)
        return Scored(scores, calls=(asked.call,), notes=(note,) if missing else ())
