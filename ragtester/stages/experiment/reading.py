"""What a comparison says: of the search, of the answers, and what was changed. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ragtester.records import GenerationChange, MetricComparison
from ragtester.searching.reading import more_text, reading, rested_on


def told(
    metrics: Sequence[MetricComparison], same_gold: bool, generation: GenerationChange | None, changes: str
) -> str:
    """A few sentences; `changes` are the settings that were changed."""
    parts = [reading(metrics, same_gold=same_gold), _answers(metrics, same_gold, generation), f"Changed: {changes}."]
    return " ".join(part for part in parts if part)


def _answers(metrics: Sequence[MetricComparison], same_gold: bool, generation: GenerationChange | None) -> str:
    """What answers say beside the search; nothing where none were made."""
    if generation is None:
        return ""
    if generation.direction == "fell":
        return "Fewer answers fail."
    if generation.direction == "rose":
        pair = rested_on({one.metric: one for one in metrics}, same_gold=same_gold)
        fine = all(one is not None and one.direction != "fell" for one in pair)
        return "Both are fine and more answers fail: look at generation or packing." if fine else "More answers fail."
    if generation.direction == "same":
        return "Not one answer changed its verdict."
    more = f"; {more_text(generation.more, 'answers')} would tell" if generation.more else ""
    return f"Whether more or fewer answers fail cannot be told{more}."
