"""Slots of the prompts `stress_question.<kind>.*`."""

from __future__ import annotations

from ragtester.models.rendering_passages import NONE, passages
from ragtester.prompts import defuse
from ragtester.tasks import RejectedDraft, StressQuestion
from ragtester.text.languages import name


def values(request: StressQuestion) -> dict[str, str]:
    """Slots: language, question, answer, passages, rejected; for a wrong premise true and wrong, the two values."""
    found = {
        "language": name(request.language),
        "question": defuse(request.question),
        "answer": defuse(request.expected_answer),
        "passages": passages(request.evidence),
        "rejected": "\n".join(map(_draft, request.rejected)) or NONE,
    }
    if request.kind == "wrong_premise":
        found |= {"true": defuse(request.true_value), "wrong": defuse(request.wrong_value)}
    return found


def _draft(draft: RejectedDraft) -> str:
    reasons = "; ".join(defuse(reason) for reason in draft.reasons)
    return f"- {defuse(' '.join(draft.question.split()))}\n  {reasons}"
