"""What recall and MRR say together about where to look. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from ragtester.records import Direction, GenerationChange, MetricComparison

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
_MANY = 100_000
_SAID: dict[Direction, str] = {
    "rose": "rose",
    "fell": "fell",
    "unclear": "did not change beyond chance",
    "same": "is the same for every query",
}


def reading(metrics: Mapping[str, MetricComparison], same_gold: bool, generation: GenerationChange | None) -> str:
    """One or two sentences. A change is named only where interval and test agree that it is none of chance's.

    Where the chunks that count are others on the two sides, the share of the evidence takes the place of recall: only
    that has the same denominator.
    """
    name = "evidence" if not same_gold and "evidence" in metrics else "recall"
    found, rank = metrics.get(name), metrics.get("reciprocal_rank")
    if found is None or rank is None:
        return "Nothing can be said: no query was measured on both sides."
    subject = "The evidence found" if name == "evidence" else "Recall"
    return " ".join(part for part in (_search(subject, found, rank), _answers(found, rank, generation)) if part)


def _search(subject: str, found: MetricComparison, rank: MetricComparison) -> str:
    pair = found.direction, rank.direction
    if pair in _MEANS:
        return f"{subject} {_SAID[pair[0]]} and MRR {_SAID[pair[1]]}: {_MEANS[pair]}."
    if pair == ("same", "same"):
        return f"{subject} and MRR are the same for every query."
    return (
        f"Cannot tell: neither {subject[:1].lower()}{subject[1:]} nor MRR changed beyond chance{_needs(found, rank)}."
    )


def more_text(count: int, noun: str) -> str:
    """`about 520 more cases`: two figures are all that such a number is worth."""
    if count > _MANY:
        return f"more than {_MANY:,} more {noun}"
    digits = max(0, len(str(count)) - 2)
    return f"about {round(count, -digits):,} more {noun}"


def _needs(*metrics: MetricComparison) -> str:
    known = [one.more for one in metrics if one.more]
    return f"; {more_text(min(known), 'cases')} would tell, if the difference stays what it is" if known else ""


def _answers(found: MetricComparison, rank: MetricComparison, generation: GenerationChange | None) -> str:
    """What answers say beside the search; nothing where none were made."""
    if generation is None:
        return ""
    if generation.direction == "fell":
        return "Fewer answers fail."
    if generation.direction == "rose":
        fine = "fell" not in (found.direction, rank.direction)
        return "Both are fine and more answers fail: look at generation or packing." if fine else "More answers fail."
    if generation.direction == "same":
        return "Not one answer changed its verdict."
    more = f"; {more_text(generation.more, 'answers')} would tell" if generation.more else ""
    return f"Whether more or fewer answers fail cannot be told{more}."
