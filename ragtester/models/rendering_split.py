"""Slots of the prompt `split_answer.*`."""

from __future__ import annotations

from ragtester.models.rendering_passages import NONE, bare, passages
from ragtester.prompts import defuse
from ragtester.tasks import SplitAnswer
from ragtester.text.languages import name


def values(request: SplitAnswer) -> dict[str, str]:
    """Slots: language, question, answer, passages, cited (ids that the answer names as its sources, one a line)."""
    return {
        "language": name(request.language),
        "question": defuse(request.question),
        "answer": defuse(request.answer),
        "passages": passages(request.passages),
        "cited": "\n".join(" ".join(bare(one).split()) for one in request.cited) or NONE,
    }
