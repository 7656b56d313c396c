"""Slots of the prompts `answer_question.*`: with sections, their contradictions, or closed book; JSON or plain text."""

from __future__ import annotations

from ragtester.prompts import defuse
from ragtester.tasks import AnswerQuestion, Passage
from ragtester.text.languages import name


def values(request: AnswerQuestion) -> dict[str, str]:
    """Slots: language, question, sections (each in its tag with its label), refusals (quoted), refusal (the first)."""
    return {
        "language": name(request.language),
        "question": defuse(request.question),
        "sections": "\n\n".join(section(part) for part in request.sections) or "(no section)",
        "refusals": " or ".join(f'"{phrase}"' for phrase in request.refusals),
        "refusal": request.refusals[0],
    }


def section(part: Passage) -> str:
    """One section with the label that a reply may cite; the text stands letter for letter, its tags defused."""
    return f'<section id="{defuse(part.label).replace(chr(34), "")}">\n{defuse(part.text)}\n</section>'
