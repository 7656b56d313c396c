"""Writes test cases by rule: finds facts, hides one, asks for it in other words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragtester.models.embedded.asking import (
    ATTEMPTS,
    MOST_ALIKE,
    evidence,
    fixed,
    good,
    opening,
    openings,
    quotes,
    ranked,
    styles,
)
from ragtester.models.embedded.facts import Fact, NoCase
from ragtester.models.embedded.invented import invented_drafts
from ragtester.models.embedded.pairs import several
from ragtester.models.embedded.passages import Reading, queries, read
from ragtester.models.embedded.rendering import STYLES, render
from ragtester.tasks import Draft, WriteCases, WrittenCases
from ragtester.text.languages import base
from ragtester.text.words import words


def write_cases(request: WriteCases) -> WrittenCases:
    """Drafts for one request, the same for the same request. Raises NoCase with the reason when there is none."""
    code = base(request.language)
    if request.type == "rejection" and request.subtype == "invented":
        drafts = invented_drafts(request, read(request.passages, code).facts)
    elif request.subtype == "multi":
        drafts = several(request, code)
    else:
        drafts = _single(request, code)
    fresh = _fresh(drafts, request)
    cases = tuple(draft for draft, _ in zip(fresh, range(request.count), strict=False))
    if not cases:
        raise NoCase(f"no fact that can be asked for in {len(request.passages)} passage(s), language {code}")
    if request.type == "rejection":
        cases = tuple(draft.model_copy(update={"expected_answer": request.refusal, "keywords": ()}) for draft in cases)
    return WrittenCases(cases=cases)


def _single(request: WriteCases, code: str) -> Iterator[Draft]:
    """Facts in the style asked for; then in the other styles; then mere queries for what a sentence states."""
    reading = read(request.passages, code)
    parsed = ranked(reading, request, code)
    worn = openings(request.avoid)
    late: list[Draft] = []
    for chosen in (styles(request, str(request.seed)), STYLES):
        for fact in parsed:
            draft = _draft(request, fact, chosen, code, reading)
            if draft is None:
                continue
            marks = (opening(draft.question), fact.found.kind)
            if any(worn[mark] >= MOST_ALIKE for mark in marks):
                late.append(draft)
            else:
                worn.update(marks)
                yield draft
    yield from late
    for fact in ranked(queries(request.passages, code), request, code):
        if draft := _draft(request, fact, ("keyword",), code, reading):
            yield draft


def _draft(request: WriteCases, fact: Fact, chosen: Sequence[str], code: str, reading: Reading) -> Draft | None:
    told = evidence(fact)
    for style in chosen:
        tries = (render(fact, style, code, request.seed, fixed(reading), attempt) for attempt in range(ATTEMPTS))
        question = next((asked for asked in tries if good(asked, style, (fact,), told, code)), "")
        if question:
            return Draft(
                question=question,
                expected_answer=fact.found.answer,
                keywords=fact.keywords,
                quotes=quotes(request, fact),
                style=style,
            )
    return None


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
