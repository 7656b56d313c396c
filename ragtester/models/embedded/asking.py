"""What makes a question fit to be asked: which facts come first, and which wordings are refused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ragtester.models.embedded import salient
from ragtester.models.embedded.facts import Fact
from ragtester.models.embedded.language_patterns import ARTICLES
from ragtester.models.embedded.passages import Reading
from ragtester.models.embedded.rendering import STYLES
from ragtester.models.embedded.rewording import pick
from ragtester.tasks import WriteCases
from ragtester.text.keywords import keyword_match
from ragtester.text.overlap import lexical_overlap
from ragtester.text.stems import stems
from ragtester.text.words import words

HIGHEST_OVERLAP = 0.8
_ARTICLE = re.compile(r"^(?:the|an?|each|every|all)\s+", re.I)
COPIED = 8
# Templates and subjects that are tried for one fact and style.
ATTEMPTS = 4
# Questions that open alike in one document; further ones come last.
MOST_ALIKE = 2
_POINTING = re.compile(
    r"\b(?:the (?:text|passage|document|section|figure|table|excerpt|paragraph|author|article|chapter|page)s?"
    r"|above|below|this|these|those|following|aforementioned|previous)\b",
    re.I,
)
# Kinds whose question names nothing but its subject: the subject must be no everyday word.
_BROAD = re.compile(
    r"treated|happened|usable|present|absent|advice|composed|requires|allows|obtain|rule|forbidden|allowed|ability|verb:|default|where|purpose|necessary|reverse|charge|belongs|limited"
)


def ranked(reading: Reading, request: WriteCases, code: str) -> list[Fact]:
    """The facts worth asking for, the best first; equals in an order that the seed decides."""
    groups = Counter(_key(fact, code) for fact in reading.facts)
    told = [" ".join(words(draft.question)) for draft in request.rejected]
    found = []
    for fact in reading.facts:
        if groups[_key(fact, code)] > 1 or not stems(fact.subject, code) or _too_plain(fact, code):
            continue
        refused = any(" ".join(words(fact.subject)) in question for question in told)
        # A table has many cells: in two requests of three its sentences come first.
        cell = fact.found.kind == "cell" and pick((0, 1, 1), request.seed, "cells")
        tier = refused * 4 + cell + _tier(fact, reading.common, code)
        found.append((tier, pick(range(1 << 30), request.seed, fact.statement.text + fact.found.value), fact))
    return [fact for *_, fact in sorted(found, key=lambda item: item[:2])]


def _tier(fact: Fact, common: Counter[str], code: str) -> int:
    """0 for the best facts: short sentences on a subject that is not everywhere, with a value that is a figure."""
    subject = stems(fact.subject, code)
    often = max((common[stem] for stem in subject), default=0) > 8 and len(subject) < 2
    query = fact.found.kind == salient.KIND
    valued = any(character.isdigit() for character in "".join(fact.keywords))
    verbless = query and code == "en" and not salient.has_verb(fact.statement.text)
    plain = (bool(_BROAD.match(fact.found.kind)) or query) and not valued
    return (len(fact.statement.text) > 220) + often * 2 + plain + verbless * 3


def _key(fact: Fact, code: str) -> tuple[str, ...]:
    side = (fact.found.slots.get("A", ""), fact.found.slots.get("P", "")) if fact.found.kind != salient.KIND else ()
    return (fact.found.kind, *side, *sorted(set(stems(fact.subject, code))))


def _too_plain(fact: Fact, code: str) -> bool:
    """Whether the question would fit too many sentences: `What does the system need?`"""
    if not _BROAD.match(fact.found.kind):
        return False
    subject = fact.found.slots.get("S", "")
    bare = ARTICLES.get(code, _ARTICLE).sub("", subject)
    named = bool(
        re.search(
            r"[A-Z\d/._“\"]", bare if code == "en" else bare[1:] + ("A" if bare.isascii() and code == "ru" else "")
        )
    )
    parts = set(stems(bare, code))
    # One long German or Dutch word is a compound: it says as much as two.
    compound = code in ("de", "nl") and any(len(part) > 7 for part in parts)
    return len(parts) < 2 and not named and not compound


def evidence(fact: Fact) -> str:
    """The text that a fact was made from."""
    return f"{fact.heads.text} {fact.statement.text}" if fact.heads else fact.statement.text


def opening(question: str) -> str:
    """How a question is built: its first three words, or a query's last one."""
    told = words(question)
    return " ".join(told[:3] if question.endswith(("?", "？")) else told[-1:])


def openings(questions: Sequence[str]) -> Counter[str]:
    """How often each way of building a question occurs."""
    return Counter(opening(question) for question in questions)


def quotes(request: WriteCases, fact: Fact) -> tuple[str, ...]:
    """The fact's evidence, letter for letter."""
    text = request.passages[fact.passage].text
    places = (fact.heads, fact.statement) if fact.heads else (fact.statement,)
    return tuple(text[place.start : place.end] for place in places)


def fixed(reading: Reading) -> frozenset[str]:
    """Words that are names and stay as they are."""
    return frozenset(name.lower() for name in reading.names)


def styles(request: WriteCases, key: str) -> tuple[str, ...]:
    """The style asked for; without one all, in an order that the seed decides."""
    if request.style:
        return (request.style,)
    first = pick((0, 1, 2), request.seed, f"style{key}")
    return STYLES[first:] + STYLES[:first]


def good(question: str, style: str, facts: Sequence[Fact], told: str, code: str) -> bool:
    """Whether a question may be asked: whole, standing alone, in other words, and without its answer."""
    if not question or "{" in question or (style != "keyword" and not question.endswith(("?", "？"))):
        return False
    if _POINTING.search(question) or not 8 <= len(question) <= 260 * len(facts):
        return False
    if _copied(words(question), words(told), COPIED * (2 if code in ("ja", "zh") else 1)):
        return False
    leaked = any(not keyword_match((word,), question, code)[1] for fact in facts for word in fact.keywords)
    return not leaked and lexical_overlap(question, told, code) <= HIGHEST_OVERLAP


def _copied(question: list[str], evidence: list[str], run: int) -> bool:
    """Whether `run` words in a row of the question stand in the evidence."""
    runs = {tuple(evidence[at : at + run]) for at in range(len(evidence) - run + 1)}
    return any(tuple(question[at : at + run]) in runs for at in range(len(question) - run + 1))
