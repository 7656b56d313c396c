"""Slots of the prompt `trace_claims.*`."""

from __future__ import annotations

from ragtester.models.rendering_passages import passages
from ragtester.prompts import defuse
from ragtester.tasks import TraceClaims
from ragtester.text.languages import name


def values(request: TraceClaims) -> dict[str, str]:
    """Slots: language, question, answer, passages."""
    return {
        "language": name(request.language),
        "question": defuse(request.question),
        "answer": defuse(request.answer),
        "passages": passages(request.passages),
    }
