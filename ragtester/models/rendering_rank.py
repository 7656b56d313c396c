"""Slots of the prompt `rank_passages.*`."""

from __future__ import annotations

from ragtester.models.rendering_passages import label, passages
from ragtester.prompts import defuse
from ragtester.tasks import RankPassages
from ragtester.text.languages import name


def values(request: RankPassages) -> dict[str, str]:
    """Slots: language, question, passages, labels (after the hostile texts, so that the list is ours), count."""
    return {
        "language": name(request.language),
        "question": defuse(request.question),
        "passages": passages(request.passages),
        "labels": ", ".join(map(label, request.passages)),
        "count": str(len(request.passages)),
    }
