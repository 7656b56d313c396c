"""What a comparison says about where to look. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from ragtester.records import GenerationChange, MetricComparison
from ragtester.searching.reading import pair_reading

_MANY = 100_000


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
    search = pair_reading(found.direction, rank.direction, subject, _needs(found, rank))
    return " ".join(part for part in (search, _answers(found, rank, generation)) if part)


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
