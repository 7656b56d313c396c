"""Slots of the prompts `judge_answer.*` and `vote_verdict.*`: a member of the panel sees what the judge saw."""

from __future__ import annotations

from ragtester.models.rendering_passages import passages
from ragtester.prompts import defuse
from ragtester.tasks import AnswerSeen
from ragtester.text.languages import name

# Also in the closed-book control, where nothing is ever retrieved.
NONE = "(none retrieved: judge by the expected answer alone)"


def values(request: AnswerSeen) -> dict[str, str]:
    """Slots: language, evidence, question, answerable ("yes" or "no"), expected, keywords and answer.

    The prompts' tags are defused in everything that comes from documents, cases or systems under test.
    """
    return {
        "language": name(request.language),
        "evidence": passages(request.evidence) if request.evidence else NONE,
        "question": defuse(request.question),
        "answerable": "yes" if request.answerable else "no",
        "expected": defuse(request.expected_answer),
        "keywords": defuse("; ".join(request.keywords)) or "(none)",
        "answer": defuse(request.answer),
    }
