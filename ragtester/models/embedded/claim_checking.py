"""Checks a claim against passages by rule: what covers it supports it, what says otherwise of the same contradicts it.

Each sentence of the claim is held against every sentence of every passage, against its clauses, and against two
sentences that follow each other; the nearest decides. See docs/claims-engine.md for what it can and cannot do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragtester.models.embedded.claim_conflicts import conflict
from ragtester.models.embedded.claim_matching import Match, closeness, match, speaks
from ragtester.models.embedded.claim_reading import Part, Reading, Sentence, read_text
from ragtester.models.embedded.judging_premise import quote
from ragtester.records import ClaimVerdict
from ragtester.tasks import CheckClaim, ClaimChecked
from ragtester.text.languages import base

COVER = 0.8
"""Share of a claim that a sentence must hold to support it, what the passage said before included."""
OWN = 0.5
"""Share that the sentence must hold by itself."""


@dataclass(frozen=True)
class Finding:
    """What one sentence of a passage says of one sentence of the claim; the one with the most `weight` decides."""

    verdict: ClaimVerdict
    why: str
    label: str
    weight: float


@dataclass(frozen=True)
class Place:
    """Where a claim is looked for: a passage's label, the stems and codes that stand before, the language's code."""

    label: str
    before: frozenset[str]
    codes: frozenset[str]
    code: str


def check_claim(request: CheckClaim) -> ClaimChecked:
    """The verdict on one claim by its passages alone, deterministic and the same in every order of the passages.

    A claim of several sentences is supported where each of them is, and contradicted where one is. Where one passage
    supports and another contradicts a sentence, it is supported and the reason names both.
    """
    code = base(request.language)
    passages = [(one.label, read_text(one.text, code)) for one in request.passages]
    results = [_check(one, passages, code) for one in read_text(request.claim, code).sentences]
    if not results:
        return ClaimChecked(reason="by rule: the claim says nothing of the matter", verdict="unsupported")
    against = [found for found in results if found.verdict == "contradicted"]
    silent = [found for found in results if found.verdict == "unsupported"]
    decisive = (against or silent or results)[0]
    rest = [decisive] if against or silent else results
    return ClaimChecked(
        reason=f"by rule: {decisive.why}",
        verdict=decisive.verdict,
        passages=tuple(dict.fromkeys(found.label for found in rest if found.label)),
    )


def _check(claim: Sentence, passages: Sequence[tuple[str, Reading]], code: str) -> Finding:
    whole = _decide(claim.whole, passages, code)
    if whole.verdict != "supported" or len(claim.clauses) < 2:
        return whole
    parts = [_decide(clause, passages, code) for clause in claim.clauses]
    return next((one for one in parts if one.verdict == "contradicted"), whole)


def _decide(claim: Part, passages: Sequence[tuple[str, Reading]], code: str) -> Finding:
    found = sorted(
        (one for label, reading in passages for one in _findings(claim, label, reading, code)),
        key=lambda one: (-one.weight, one.verdict != "supported", one.label, one.why),
    )
    if not found:
        return Finding("unsupported", "no passage says so", "", 0)
    first = found[0]
    other = next((one for one in found if {one.verdict, first.verdict} == {"supported", "contradicted"}), None)
    if first.verdict == "supported" and other is not None and other.label != first.label:
        return Finding("supported", f"{first.why}; but in {other.label}: {other.why}", first.label, first.weight)
    return first


def _findings(claim: Part, label: str, reading: Reading, code: str) -> Iterator[Finding]:
    before, codes = frozenset[str](), frozenset[str]()
    last: Sentence | None = None
    for sentence in reading.sentences:
        place = Place(label, before, codes, code)
        found = list(_of_sentence(claim, sentence, place))
        yield from found
        if not found and last is not None:
            yield from _of_two(claim, last, sentence, place)
        before, codes, last = before | sentence.whole.stems, codes | sentence.whole.read.codes, sentence


def _of_sentence(claim: Part, sentence: Sentence, place: Place) -> Iterator[Finding]:
    code = place.code
    best = max(sentence.clauses, key=lambda one: closeness(claim, one, code))
    whole = match(claim, sentence.whole, code, place.before)
    if speaks(claim, best, code, place.before) and (why := conflict(claim, best, sentence.whole, code, place.before)):
        yield Finding("contradicted", f"{why}: {quote(best.text)}", place.label, closeness(claim, best, code) + 0.01)
        return
    if not _covers(claim, whole, sentence.whole.read.codes | place.codes) or claim.denied != best.denied:
        return
    if _drops(claim, best):
        why = f"it holds only under a condition: {quote(best.text)}"
        yield Finding("unsupported", why, place.label, closeness(claim, best, code))
        return
    yield Finding("supported", f"{quote(sentence.whole.text)} says so", place.label, whole.own + 0.02)


def _of_two(claim: Part, first: Sentence, second: Sentence, place: Place) -> Iterator[Finding]:
    """Two sentences that say together what neither says alone."""
    code = place.code
    pair = first.whole.join(second.whole)
    both = match(claim, pair, code, place.before)
    alone = max(match(claim, one.whole, code, frozenset()).own for one in (first, second))
    parts = [max(one.clauses, key=lambda part: closeness(claim, part, code)) for one in (first, second)]
    if not _covers(claim, both, claim.read.codes) or both.own <= alone:
        return
    if (said := claim.read.codes - pair.read.codes - place.codes) and (instead := pair.read.codes - claim.read.codes):
        why = f"{min(instead)!r}, not {min(said)!r}: {quote(pair.text)}"
        yield Finding("contradicted", why, place.label, both.own - 0.05)
        return
    if said:
        return
    if claim.denied != any(one.denied for one in parts):
        return
    if any(_drops(claim, one) for one in parts):
        yield Finding(
            "unsupported", f"it holds only under a condition: {quote(pair.text)}", place.label, both.own - 0.05
        )
        return
    yield Finding("supported", f"{quote(pair.text)} says so", place.label, both.own - 0.05)


def _covers(claim: Part, found: Match, codes: frozenset[str]) -> bool:
    return found.cover >= COVER and found.own >= OWN and found.whole and claim.read.codes <= codes


def _drops(claim: Part, there: Part) -> bool:
    """Whether the clause has a condition or a limit of which the claim says nothing."""
    if there.conditional and not claim.conditional and not there.conditions <= frozenset(claim.read.stems):
        return True
    return there.limits and not claim.read.quantities
