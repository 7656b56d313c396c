"""Reciprocal rank fusion of several arms (Cormack, Clarke and Büttcher, SIGIR 2009): Σ weight / (constant + rank)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pydantic import TypeAdapter

from ragtester.rag.similarity import Hit
from ragtester.records import Ranked

# Significant digits; those beyond are noise of the terms, and must not rank two hits differently.
DIGITS = 12
# A whole list is made in one call: a third of the time of one call a record.
_RANKED = TypeAdapter(list[Ranked])


def fuse(arms: Mapping[str, Sequence[Hit]], weights: Mapping[str, float], constant: int) -> list[Ranked]:
    """One list of all arms' hits, best first; ties go to the smaller id. Scores of arms are not looked at."""
    parts: dict[str, list[float]] = {}
    sources: dict[str, list[str]] = {}
    for arm, hits in arms.items():
        for rank, (name, _) in enumerate(hits, start=1):
            parts.setdefault(name, []).append(weights.get(arm, 1.0) / (constant + rank))
            sources.setdefault(name, []).append(arm)
    # An exact sum does not depend on the order of the arms.
    scores = {name: float(f"{math.fsum(terms):.{DIGITS}g}") for name, terms in parts.items()}
    order = sorted(scores, key=lambda name: (-scores[name], name))
    return _RANKED.validate_python(
        [
            {"id": name, "rank": rank, "score": scores[name], "sources": sources[name]}
            for rank, name in enumerate(order, start=1)
        ]
    )
