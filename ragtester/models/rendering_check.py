"""Slots of the prompt `check_claim.*`."""

from __future__ import annotations

from ragtester.models.rendering_passages import passages
from ragtester.prompts import defuse
from ragtester.tasks import CheckClaim
from ragtester.text.languages import name


def values(request: CheckClaim) -> dict[str, str]:
    """Slots: language, question, claim, passages."""
    return {
        "language": name(request.language),
        "question": defuse(request.question),
        "claim": defuse(request.claim),
        "passages": passages(request.passages),
    }
