"""What the directions of recall and MRR say together about where to look: one rule for all that compare. Pure."""

from __future__ import annotations

from ragtester.records import Direction

_LOST = "look at chunking, the embedding model or the index"
_RANKING = "look at the ranking: rerank, fusion and its weights"
_BURIED = "more evidence is found and it is buried: look at the ranking (rerank, fusion weights)"
_MEANS: dict[tuple[Direction, Direction], str] = {
    ("fell", "fell"): f"{_LOST}; ranks follow recall",
    ("fell", "rose"): f"{_LOST}; what is still found stands earlier",
    ("fell", "unclear"): _LOST,
    ("fell", "same"): _LOST,
    ("rose", "fell"): _BURIED,
    ("rose", "rose"): "more evidence is found, and earlier",
    ("rose", "unclear"): "more evidence is found",
    ("rose", "same"): "more evidence is found",
    ("unclear", "fell"): _RANKING,
    ("same", "fell"): _RANKING,
    ("unclear", "rose"): "the ranking is better",
    ("same", "rose"): "the ranking is better",
}
"""By the directions of recall and MRR."""
_SAID: dict[Direction, str] = {
    "rose": "rose",
    "fell": "fell",
    "unclear": "did not change beyond chance",
    "same": "is the same for every query",
}


def pair_reading(found: Direction, rank: Direction, subject: str = "Recall", more: str = "") -> str:
    """A sentence on what is found and on MRR. `subject` stands for recall; `more` ends what cannot be told."""
    if (found, rank) in _MEANS:
        return f"{subject} {_SAID[found]} and MRR {_SAID[rank]}: {_MEANS[found, rank]}."
    if (found, rank) == ("same", "same"):
        return f"{subject} and MRR are the same for every query."
    return f"Cannot tell: neither {subject[:1].lower()}{subject[1:]} nor MRR changed beyond chance{more}."
