"""What to try first where it depends on how far a chunk stood and on what the settings already do. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import floor

from ragtester.records import Trace
from ragtester.settings import RetrievalSettings

# Up to so many times K a rank is within reach of a reranker, which by default sees 5 × k.
NEAR = 5
UNLOGGED_DROP = "See what left it out of the context: a budget, or a step that the trace does not log."
"""For a chunk within K that is not in the context, where no drop is noted."""


@dataclass(frozen=True)
class Steps:
    """What queries go through. `depths` says how many hits each arm fetches; `reranks`, that something reranks."""

    k: int
    depths: Mapping[str, int] = field(default_factory=dict)
    reranks: bool = False

    @classmethod
    def of(cls, settings: RetrievalSettings, k: int) -> Steps:
        """Those of our settings."""
        return cls(k, {arm.kind: settings.depth(arm, k) for arm in settings.arms}, bool(settings.rerank))

    @classmethod
    def told_by(cls, trace: Trace, arms: frozenset[str] = frozenset()) -> Steps:
        """What a trace of another system shows; `arms` are those that its other traces name."""
        depths = dict.fromkeys(sorted(arms), 0)
        for one in trace.retrieved:
            depths[one.arm] = depths.get(one.arm, 0) + 1
        return cls(trace.k, depths, bool(trace.reranked))

    @property
    def by_words(self) -> bool:
        """Whether an arm searches by words: bm25, or some other one beside the first."""
        return "bm25" in self.depths or len(self.depths) > 1

    @property
    def by_meaning(self) -> bool:
        """Whether an arm asks an embedding model."""
        return set(self.depths) != {"bm25"}


@dataclass(frozen=True)
class Standing:
    """How far a chunk stood that did not come within K.

    `rank` is its place in the list that is cut at K, or its true dense rank where no arm found it; None where neither
    is known. `fetched` says that an arm found it. `by_words` is the rank that BM25 would give it, 0 where that is
    beyond `NEAR` times K, None where it was not looked at.
    """

    rank: int | None
    fetched: bool
    by_words: int | None = None


def beyond_k(steps: Steps, at: Standing) -> str:
    """For a chunk that stands beyond K, whether or not fetch_k was large enough to show it."""
    if not steps.by_meaning:
        return "Add a dense arm: bm25 finds only what shares words with the question."
    if at.by_words and not steps.by_words and at.by_words <= steps.k:
        return f"Add a bm25 arm: it finds the chunk at rank {at.by_words}."
    if at.rank is None:
        return _unknown(steps, at)
    if at.rank <= NEAR * steps.k:
        return _near(steps, at, at.rank)
    return _far(steps, at, at.rank)


def _unknown(steps: Steps, at: Standing) -> str:
    other = "try another embedding model" if steps.by_words or at.by_words == 0 else "add a bm25 arm"
    return f"Raise fetch_k, or {other}." if steps.reranks else f"Add a reranker with a larger fetch_k, or {other}."


def _near(steps: Steps, at: Standing, rank: int) -> str:
    fetch = "" if at.fetched else f" with fetch_k of at least {rank}"
    if steps.reranks:
        return f"Raise fetch_k and rerank_k to at least {rank}."
    if rank <= steps.k:
        return f"Raise fetch_k to at least {rank}: it is less than k."
    if at.fetched or not steps.by_words:
        return f"Raise k to at least {rank}, or add a reranker{fetch}."
    # Fusion mixes the arms' ranks: no k is sure to reach this one.
    return f"Add a reranker{fetch}, or raise k."


def _far(steps: Steps, at: Standing, rank: int) -> str:
    why = f"rank {rank} is too far for k = {steps.k}"
    if steps.by_words or at.by_words == 0:
        return f"Try another embedding model or chunker: {why}."
    if at.by_words:
        return f"Add a bm25 arm and a reranker: bm25 finds the chunk at rank {at.by_words}, and {why}."
    return f"Try another embedding model or chunker, or add a bm25 arm: {why}."


def reranked_beyond_k(rank: int) -> str:
    """For a chunk that stood beyond K before the rerank and after it."""
    return f"Raise k to at least {rank}, or try another reranker."


def never_reranked(place: int) -> str:
    """For a chunk that stood too low to be seen by the reranker."""
    return f"Raise rerank_k to at least {place}."


def fused_away(arm: str, rank: int, place: int, *, reranks: bool) -> str:
    """For a chunk that one arm had high enough and the fused list did not."""
    reach = "rerank_k" if reranks else "k"
    return f"Raise the weight of the {arm} arm, which had it at rank {rank}, or {reach} to at least {place}."


def below_floor(arms: Mapping[str, float]) -> str:
    """For a chunk with these scores, by arm, each below its arm's floor."""
    # Rounded down, so that the chunk passes.
    scores = " or ".join(f"that of the {arm} arm to {floor(100 * score) / 100:g}" for arm, score in arms.items())
    return f"Lower the floor ({scores} at most), or leave it out." if arms else "Lower the floor, or leave it out."


def null_query(steps: Steps) -> str:
    """For a question that an embedding model knows no word of."""
    if steps.by_words:
        return "Rewrite the question or take another embedding model: this one knows no word of it."
    return "Add a bm25 arm: the embedding model knows no word of this question."
