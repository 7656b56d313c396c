"""Embedding models behind one interface: batches, the same limits and attempts as chat models, vectors checked."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

from ragtester.errors import UsageError
from ragtester.models.accounts import Services
from ragtester.models.catalogue import ModelName, prefixes
from ragtester.models.clients import RETRY_AFTER, close_client, make_embedding_client
from ragtester.models.limits import ModelTurns, ProviderGate
from ragtester.models.prices import price_of
from ragtester.models.problems import Problem, examine, mend
from ragtester.models.retry import BackOff, CallFailed, attempted
from ragtester.records import Failure
from ragtester.settings import Settings
from ragtester.tasks import STOPPING_FAILURES, Embedder, EmbeddingError
from ragtester.text.words import estimate_tokens

EMBEDDED = ("wordllama", "hashing")


def make_embedder(
    name: ModelName, settings: Settings, gate: ProviderGate, turns: ModelTurns | None, shared: Services
) -> Embedder:
    """The embedding model `name`. Raises UsageError for an embedded model that does not exist."""
    if name.provider == "embedded":
        check_embedded(name.served)
        return EmbeddedVectors(name)
    return ServedVectors(name, settings, gate, turns, shared)


def check_embedded(served: str) -> None:
    """Raise UsageError where no embedding model ships under this name."""
    if served not in EMBEDDED:
        known = ", ".join(f"embedded:{known}" for known in EMBEDDED)
        raise UsageError(f"unknown embedding model 'embedded:{served}'; known: {known}")


class EmbeddedVectors:
    """Vectors computed here: `wordllama`'s weights or seeded hashing. Texts without a word give zero vectors."""

    def __init__(self, name: ModelName) -> None:
        self.model = name.full
        self._name = name
        self._loaded = name.served == "hashing"

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed passages."""
        from ragtester.models.embedded import vectors

        if not self._loaded:
            # Imported in another thread, half-imported modules would be seen by the clients of servers.
            vectors.embed_texts(["a"])
            self._loaded = True
        # The tokenizer works without Python's lock: calls to servers go on meanwhile.
        if self._name.served == "hashing":
            dimensions = self._name.settings.dimensions or vectors.DIMENSIONS
            rows = await asyncio.to_thread(vectors.hash_texts, texts, dimensions=dimensions)
        else:
            rows = await asyncio.to_thread(vectors.embed_texts, texts)
        made: list[list[float]] = rows.tolist()
        return made

    async def embed_queries(self, texts: list[str]) -> list[list[float]]:
        """Embed questions (the same way as passages)."""
        return await self.embed_documents(texts)

    async def close(self) -> None:
        """Nothing to close."""


class ServedVectors:
    """Vectors from a server. `calls` counts requests; costs are estimated from the texts' length."""

    def __init__(
        self, name: ModelName, settings: Settings, gate: ProviderGate, turns: ModelTurns | None, shared: Services
    ) -> None:
        self.model = name.full
        self.prefixes = prefixes(name.served)
        self._name = name
        self._limits = settings.provider(name.provider)
        self._gate = gate
        self._turns = turns
        self._shared = shared
        self._client: Any = None
        self._length: int | None = None

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed passages, in batches; raises EmbeddingError."""
        return await self._embed(texts, self.prefixes[1])

    async def embed_queries(self, texts: list[str]) -> list[list[float]]:
        """Embed questions, in batches; raises EmbeddingError."""
        return await self._embed(texts, self.prefixes[0])

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        await close_client(client)

    async def _embed(self, texts: Sequence[str], prefix: str) -> list[list[float]]:
        empty = next((place for place, text in enumerate(texts) if not text.strip()), None)
        if empty is not None:
            # Servers refuse the whole batch, or embed nothing as if it were something.
            raise EmbeddingError(Failure(type="bad_request", message=f"text {empty + 1} is empty: never sent"))
        if (stopped := self._shared.stopped.get(self.model)) is not None:
            raise EmbeddingError(stopped)
        if self._name.key_missing:
            message = f"set {self._name.key_variable}: {self.model} needs a key"
            raise EmbeddingError(self._stopped(Failure(type="missing_key", message=message)))
        size, made = self._name.settings.batch_size, []
        for start in range(0, len(texts), size):
            made += await self._batch([prefix + text for text in texts[start : start + size]])
        return made

    async def _batch(self, texts: list[str]) -> list[list[float]]:
        limits, budget = self._limits, self._shared.budget
        tokens = sum(map(estimate_tokens, texts))
        cost = price_of(self.model, tokens, 0, self._name.settings) or 0.0
        async with AsyncExitStack() as held:
            if self._turns is not None:
                await held.enter_async_context(self._turns.turn(self._name.served))
            if (refused := budget.refusal(cost)) is not None:
                raise EmbeddingError(Failure(type="budget", message=refused))
            budget.calls += 1
            back_off = BackOff(limits.max_wait_seconds, self._shared.draw)
            try:
                vectors = await attempted(lambda: self._attempt(texts), limits.retries, back_off, self._shared.sleep)
            except CallFailed as failed:
                problem = failed.problem
                says = mend(problem, self._name, limits)
                raise EmbeddingError(
                    self._stopped(Failure(type=problem.type, message=says, cause=problem.cause))
                ) from None
        budget.cost += cost
        return vectors

    async def _attempt(self, texts: list[str]) -> list[list[float]]:
        from langsmith import tracing_context

        if self._client is None:
            self._client = make_embedding_client(self._name, self._limits)
        headers: dict[str, str] = {}
        token = RETRY_AFTER.set(headers)
        try:
            async with self._gate.place(), asyncio.timeout(self._limits.timeout_seconds):
                with tracing_context(enabled=False):
                    vectors = await self._client.aembed_documents(texts)
        except Exception as error:  # Clients raise classes of their own; each becomes a typed failure.
            if "No embedding data received" in str(error):
                raise CallFailed(Problem("empty", self._where("no embedding data"))) from error
            raise CallFailed(examine(error, (), headers.get("retry-after"))) from error
        finally:
            RETRY_AFTER.reset(token)
        if (fault := self._fault(vectors, len(texts))) is not None:
            raise CallFailed(Problem("unparseable" if vectors else "empty", self._where(fault)))
        return [[float(value) for value in vector] for vector in vectors]

    def _fault(self, vectors: Any, wanted: int) -> str | None:
        """What is wrong with a batch's vectors, in words; None where nothing is."""
        if not vectors:
            return "no embedding data"
        if len(vectors) != wanted:
            return f"{len(vectors)} vectors for {wanted} texts"
        self._length = self._length or len(vectors[0])
        for number, vector in enumerate(vectors, start=1):
            if len(vector) != self._length or not vector:
                return f"vector {number} has {len(vector)} dimensions, others have {self._length}"
            if not all(isinstance(value, int | float) and math.isfinite(value) for value in vector):
                return f"vector {number} holds values that are no finite numbers"
            if not any(vector):
                return f"vector {number} is all zeros: it has no direction"
        return None

    def _where(self, fault: str) -> str:
        return f"{self.model} at {self._name.base_url or 'its default address'}: {fault}"

    def _stopped(self, failure: Failure) -> Failure:
        if failure.type in STOPPING_FAILURES:
            self._shared.stop(self.model, failure)
        return failure
