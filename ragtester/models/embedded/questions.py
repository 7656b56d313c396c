"""Writes test cases by rule: finds facts, hides one, asks for it in other words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ragtester.models.embedded import languages, salient
from ragtester.models.embedded.facts import Fact, NoCase
from ragtester.models.embedded.invented import invented_drafts
from ragtester.models.embedded.language_patterns import ARTICLES
from ragtester.models.embedded.passages import Reading, queries, read
from ragtester.models.embedded.rendering import STYLES, render
from ragtester.models.embedded.rewording import pick
from ragtester.tasks import Draft, WriteCases, WrittenCases
from ragtester.text.keywords import keyword_match
from ragtester.text.languages import base
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


def write_cases(request: WriteCases) -> WrittenCases:
    """Drafts for one request, the same for the same request. Raises NoCase with the reason when there is none."""
    code = base(request.language)
    if request.type == "rejection" and request.subtype == "invented":
        drafts = invented_drafts(request, read(request.passages, code).facts)
    elif request.subtype == "multi":
        drafts = _several(request, code)
    else:
        drafts = _single(request, code)
    fresh = _fresh(drafts, request)
    cases = tuple(draft for draft, _ in zip(fresh, range(request.count), strict=False))
    if not cases:
        raise NoCase(f"no fact that can be asked for in {len(request.passages)} passage(s), language {code}")
    if request.type == "rejection":
        cases = tuple(draft.model_copy(update={"expected_answer": request.refusal, "keywords": ()}) for draft in cases)
    return WrittenCases(cases=cases)


def _ranked(reading: Reading, request: WriteCases, code: str) -> list[Fact]:
    """The facts worth asking for, the best first; equals in an order that the seed decides."""
    groups = Counter(_key(fact, code) for fact in reading.facts)
    told = [" ".join(words(draft.question)) for draft in request.rejected]
    ranked = []
    for fact in reading.facts:
        subject = stems(fact.subject, code)
        often = max((reading.common[stem] for stem in subject), default=0)
        if groups[_key(fact, code)] > 1 or not subject or _too_plain(fact, code):
            continue
        refused = any(" ".join(words(fact.subject)) in question for question in told)
        valued = any(character.isdigit() for character in "".join(fact.keywords))
        plain = (bool(_BROAD.match(fact.found.kind)) or fact.found.kind == salient.KIND) and not valued
        tier = refused * 4 + (len(fact.statement.text) > 220) + (often > 8 and len(subject) < 2) * 2 + plain
        ranked.append((tier, pick(range(1 << 30), request.seed, fact.statement.text + fact.found.value), fact))
    return [fact for *_, fact in sorted(ranked, key=lambda item: item[:2])]


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


def _single(request: WriteCases, code: str) -> Iterator[Draft]:
    """Facts in the style asked for; then in the other styles; then mere queries for what a sentence states."""
    reading = read(request.passages, code)
    parsed = _ranked(reading, request, code)
    worn = _openings(request.avoid)
    late: list[Draft] = []
    for styles in (_styles(request, str(request.seed)), STYLES):
        for fact in parsed:
            draft = _draft(request, fact, styles, code, reading)
            if draft and worn[_opening(draft.question)] >= MOST_ALIKE:
                late.append(draft)
            elif draft:
                yield draft
    yield from late
    for fact in _ranked(queries(request.passages, code), request, code):
        if draft := _draft(request, fact, ("keyword",), code, reading):
            yield draft


def _draft(request: WriteCases, fact: Fact, styles: Sequence[str], code: str, reading: Reading) -> Draft | None:
    evidence = _evidence(fact)
    for style in styles:
        tries = (render(fact, style, code, request.seed, _fixed(reading), attempt) for attempt in range(ATTEMPTS))
        question = next((asked for asked in tries if _good(asked, style, (fact,), evidence, code)), "")
        if question:
            return Draft(
                question=question,
                expected_answer=fact.found.answer,
                keywords=fact.keywords,
                quotes=_quotes(request, fact),
                style=style,
            )
    return None


def _evidence(fact: Fact) -> str:
    return f"{fact.heads.text} {fact.statement.text}" if fact.heads else fact.statement.text


def _opening(question: str) -> str:
    """How a question is built: its first three words, or a query's last one."""
    told = words(question)
    return " ".join(told[:3] if question.endswith(("?", "？")) else told[-1:])


def _openings(questions: Sequence[str]) -> Counter[str]:
    return Counter(_opening(question) for question in questions)


def _several(request: WriteCases, code: str) -> Iterator[Draft]:
    """Questions that need a fact of each of two passages."""
    reading = read(request.passages, code)
    ranked = _ranked(reading, request, code)
    for first in ranked:
        partners = [fact for fact in ranked if fact.passage != first.passage and fact.subject != first.subject]
        partners.sort(key=lambda fact: fact.found.kind != first.found.kind)
        for second in partners[:3]:
            if draft := _pair(request, code, _fixed(reading), (first, second)):
                yield draft
                break


def _pair(request: WriteCases, code: str, fixed: frozenset[str], facts: tuple[Fact, Fact]) -> Draft | None:
    evidence = " ".join(_evidence(fact) for fact in facts)
    for style in _styles(request, evidence):
        facts = (min(facts, key=_place), max(facts, key=_place))
        asked = [render(fact, "keyword" if style == "keyword" else "wh", code, request.seed, fixed) for fact in facts]
        if not all(asked):
            continue
        question = languages.joined(asked[0], asked[1], style, code, request.seed)
        if _good(question, style, facts, evidence, code):
            return Draft(
                question=question,
                expected_answer=" ".join(fact.found.answer for fact in facts),
                keywords=tuple(dict.fromkeys(word for fact in facts for word in fact.keywords[:2])),
                quotes=tuple(dict.fromkeys(quote for fact in facts for quote in _quotes(request, fact))),
                style=style,
            )
    return None


def _place(fact: Fact) -> tuple[int, int]:
    return fact.passage, fact.statement.start


def _quotes(request: WriteCases, fact: Fact) -> tuple[str, ...]:
    text = request.passages[fact.passage].text
    places = (fact.heads, fact.statement) if fact.heads else (fact.statement,)
    return tuple(text[place.start : place.end] for place in places)


def _fixed(reading: Reading) -> frozenset[str]:
    return frozenset(name.lower() for name in reading.names)


def _styles(request: WriteCases, key: str) -> tuple[str, ...]:
    if request.style:
        return (request.style,)
    first = pick((0, 1, 2), request.seed, f"style{key}")
    return STYLES[first:] + STYLES[:first]


def _good(question: str, style: str, facts: Sequence[Fact], evidence: str, code: str) -> bool:
    """Whether a question may be asked: whole, standing alone, in other words, and without its answer."""
    if not question or "{" in question or (style != "keyword" and not question.endswith(("?", "？"))):
        return False
    if _POINTING.search(question) or not 8 <= len(question) <= 260 * len(facts):
        return False
    if _copied(words(question), words(evidence), COPIED * (2 if code in ("ja", "zh") else 1)):
        return False
    leaked = any(not keyword_match((word,), question, code)[1] for fact in facts for word in fact.keywords)
    return not leaked and lexical_overlap(question, evidence, code) <= HIGHEST_OVERLAP


def _copied(question: list[str], evidence: list[str], run: int) -> bool:
    """Whether `run` words in a row of the question stand in the evidence."""
    runs = {tuple(evidence[at : at + run]) for at in range(len(evidence) - run + 1)}
    return any(tuple(question[at : at + run]) in runs for at in range(len(question) - run + 1))


def _fresh(drafts: Iterator[Draft], request: WriteCases) -> Iterator[Draft]:
    """Drafts whose question has not been asked or rejected before."""
    seen = {_plain(question) for question in (*request.avoid, *(draft.question for draft in request.rejected))}
    for draft in drafts:
        plain = _plain(draft.question)
        if plain not in seen:
            seen.add(plain)
            yield draft


def _plain(question: str) -> str:
    return " ".join(words(question))
