"""Reads passages: every fact that they state, from sentences, lists and tables, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from ragtester.models.embedded import english, languages
from ragtester.models.embedded.answer_words import keywords_of
from ragtester.models.embedded.english_parts import resolved
from ragtester.models.embedded.english_subject import Clause, parse
from ragtester.models.embedded.entries import entry_facts
from ragtester.models.embedded.facts import Fact, Found, proper_names, stem_counts
from ragtester.models.embedded.salient import salient
from ragtester.models.embedded.statements import Statement, statements
from ragtester.models.embedded.tables import table_facts
from ragtester.tasks import Passage
from ragtester.text.keywords import keyword_match

# Sentences further apart than this many characters do not follow each other.
NEXT = 3


@dataclass(frozen=True)
class Reading:
    """What was read of the passages: their facts, words that keep their capital, and how often each stem occurs."""

    facts: tuple[Fact, ...]
    names: frozenset[str]
    common: Counter[str]


@lru_cache(maxsize=8)
def read(passages: tuple[Passage, ...], code: str) -> Reading:
    """Every fact that a pattern finds in the passages, in order."""
    common = stem_counts([passage.text for passage in passages], code)
    names = proper_names(" ".join(passage.text for passage in passages))
    found = (
        _fact(number, *stated, code, common, passage.text)
        for number, passage in enumerate(passages)
        for stated in _stated(passage.text, code)
    )
    return Reading(tuple(fact for fact in found if fact), names, common)


@lru_cache(maxsize=8)
def queries(passages: tuple[Passage, ...], code: str) -> Reading:
    """What can be looked for in the passages' sentences, whether a pattern takes them apart or not."""
    reading = read(passages, code)
    facts = []
    for number, passage in enumerate(passages):
        for statement in statements(passage.text, code):
            found = salient(statement.text, code, reading.common)
            fact = _fact(number, found, statement, None, code, reading.common, passage.text) if found else None
            facts += [fact] if fact else []
    return replace(reading, facts=tuple(facts))


def _fact(
    number: int,
    found: Found,
    statement: Statement,
    heads: Statement | None,
    code: str,
    common: Counter[str],
    text: str,
) -> Fact | None:
    asked = " ".join(found.slots.values())
    keywords = tuple(word for word in keywords_of(found.value, asked, common, code) if word in found.answer)
    # A value that a line break parts is not found in its quote again.
    _, missing = keyword_match(keywords, text[statement.start : statement.end], code)
    return Fact(found, statement, number, keywords, heads) if keywords and not missing else None


@lru_cache(maxsize=64)
def _stated(text: str, code: str) -> tuple[tuple[Found, Statement, Statement | None], ...]:
    """Cached by passage: the same section is asked about alone and with others."""
    return tuple(_states(text, code, proper_names(text)))


def _states(text: str, code: str, names: frozenset[str]) -> Iterator[tuple[Found, Statement, Statement | None]]:
    yield from table_facts(text, code)
    for found, statement in entry_facts(text, code):
        yield found, statement, None
    before: Statement | None = None
    clause: Clause | None = None
    for statement in statements(text, code):
        told = statement
        if code == "en":
            if before is not None and statement.start - before.end <= NEXT and (whole := resolved(told.text, clause)):
                told = replace(statement, text=whole, start=before.start)
            before, clause = statement, parse(told.text, names)
        for found in english.find(told.text, names) if code == "en" else languages.find(told.text, code, names):
            yield found, told, None
