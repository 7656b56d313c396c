"""Reciprocal rank fusion of several arms (Cormack, Clarke and Büttcher, SIGIR 2009): Σ weight / (constant + rank)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragtester.rag.similarity import Hit
from ragtester.records import Ranked

# Two sums of the same terms in another order must not rank differently.
DIGITS = 9


def fuse(arms: Mapping[str, Sequence[Hit]], weights: Mapping[str, float], constant: int) -> list[Ranked]:
    """One list of all arms' hits, best first; ties go to the smaller id. Scores of arms are not looked at."""
    scores: dict[str, float] = {}
    sources: dict[str, list[str]] = {}
    for arm, hits in arms.items():
        for rank, (name, _) in enumerate(hits, start=1):
            scores[name] = scores.get(name, 0.0) + weights.get(arm, 1.0) / (constant + rank)
            sources.setdefault(name, []).append(arm)
    rounded = {name: round(score, DIGITS) for name, score in scores.items()}
    order = sorted(rounded, key=lambda name: (-rounded[name], name))
    return [
        Ranked(id=name, rank=rank, score=rounded[name], sources=tuple(sources[name]))
        for rank, name in enumerate(order, start=1)
    ]
