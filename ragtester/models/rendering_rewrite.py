"""Slots of the prompt `rewrite_query.*`."""

from __future__ import annotations

from ragtester.prompts import defuse
from ragtester.tasks import RewriteQuery
from ragtester.text.languages import name


def values(request: RewriteQuery) -> dict[str, str]:
    """Slots: language, question."""
    return {"language": name(request.language), "question": defuse(request.question)}
