"""Slots of the prompts `vote_verdict.*`: what a member of the panel sees is what the judge saw of the answer."""

from __future__ import annotations

from ragtester.models import rendering_judge
from ragtester.tasks import JudgeAnswer, VoteOnVerdict


def values(request: VoteOnVerdict) -> dict[str, str]:
    """Slots: language, evidence, question, answerable ("yes" or "no"), expected, keywords and answer.

    The prompts' tags are defused in everything that comes from documents, cases or systems under test.
    """
    return rendering_judge.values(JudgeAnswer(**dict(request)))
