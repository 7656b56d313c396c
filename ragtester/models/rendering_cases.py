"""Slots of the prompt `write_cases.*`."""

from __future__ import annotations

from ragtester.models.rendering_passages import NONE, passages
from ragtester.prompts import defuse
from ragtester.tasks import WriteCases
from ragtester.text.languages import name


def values(request: WriteCases) -> dict[str, str]:
    """Slots: language, type, subtype, style, count, title, passages, refusal, avoid, rejected."""
    # Reasons quote the passages and earlier replies: hostile text like these.
    rejected = [
        f"- {defuse(draft.question) or '(no usable reply)'}\n  refused: {defuse('; '.join(draft.reasons))}"
        for draft in request.rejected
    ]
    return {
        "language": name(request.language),
        "type": request.type,
        "subtype": request.subtype or NONE,
        "style": request.style or "(no style named)",
        "count": str(request.count),
        "title": defuse(request.title) or "(untitled)",
        "passages": passages(request.passages),
        "refusal": request.refusal,
        "avoid": "\n".join(f"- {defuse(question)}" for question in request.avoid) or NONE,
        "rejected": "\n".join(rejected) or NONE,
    }
