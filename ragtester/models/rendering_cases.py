"""Slots of the prompt `write_cases.*`."""

from __future__ import annotations

from ragtester.prompts import defuse
from ragtester.tasks import WriteCases
from ragtester.text.languages import name

NONE = "(none)"


def values(request: WriteCases) -> dict[str, str]:
    """Slots: language, type, subtype, style, count, title, passages, refusal, avoid, rejected."""
    passages = [
        f'<passage id="{defuse(part.label).replace(chr(34), "")}">\n{defuse(part.text)}\n</passage>'
        for part in request.passages
    ]
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
        "passages": "\n\n".join(passages) or NONE,
        "refusal": request.refusal,
        "avoid": "\n".join(f"- {defuse(question)}" for question in request.avoid) or NONE,
        "rejected": "\n".join(rejected) or NONE,
    }
