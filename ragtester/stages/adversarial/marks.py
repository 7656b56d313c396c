"""What tells the poisoned documents of a fixture from the right ones: words of their ids and titles. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragtester.records import Fixture
from ragtester.text.stems import stems


def marks_of(fixture: Fixture, titles: Mapping[str, str]) -> frozenset[str]:
    """Stems of the poisoned documents' ids and titles (by id) that neither the question nor a right one's has."""
    language = fixture.language
    ours = [name for name in titles if name not in fixture.poison_ids]
    known = _stems((fixture.question, fixture.expected_answer, *ours, *(titles[name] for name in ours)), language)
    theirs = [name for name in fixture.poison_ids if name in titles]
    return _stems((*theirs, *(titles[name] for name in theirs)), language) - known


def _stems(texts: Iterable[str], language: str) -> frozenset[str]:
    return frozenset(stem for text in texts for stem in stems(text, language))
