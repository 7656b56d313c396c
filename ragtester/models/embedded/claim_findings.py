"""What the sentences of one passage say of one sentence of a claim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragtester.models.embedded.claim_conflicts import conflict, other_value
from ragtester.models.embedded.claim_matching import QUANTITY, Claim, Match, closeness, match, nearest, speaks
from ragtester.models.embedded.claim_parts import Part
from ragtester.models.embedded.claim_places import misplaced
from ragtester.models.embedded.claim_reading import Sentence
from ragtester.models.embedded.claim_values import missing
from ragtester.models.embedded.judging_premise import quote
from ragtester.records import ClaimVerdict

COVER = 0.8
"""Share of a claim that a sentence must hold to support it, what the passage said before included."""
FRAGMENT = 0.6
"""The same of a bare value or phrase, whose question says the rest."""
OWN = 0.5
"""Share that the sentence must hold by itself."""
VERBATIM = 2.0
"""Weight of a sentence that the passage has word for word."""
TWO = 0.05
"""By so much two sentences together weigh less than one that says the same."""


@dataclass(frozen=True)
class Finding:
    """What one sentence of a passage says of one sentence of the claim; the one with the most `weight` decides."""

    verdict: ClaimVerdict
    why: str
    label: str
    weight: float


@dataclass(frozen=True)
class Place:
    """Where in a passage a claim is looked for: its label, and the stems and identifiers that stand before."""

    label: str
    before: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()

    def after(self, sentence: Sentence) -> Place:
        """The place behind a sentence."""
        whole = sentence.whole
        return Place(self.label, self.before | whole.stems, self.codes | whole.read.codes)


def findings(claim: Claim, label: str) -> Iterator[Finding]:
    """Everything that a passage says of a sentence or clause of a claim."""
    place = Place(label)
    last: Sentence | None = None
    for sentence in claim.passage.sentences:
        touched = claim.touches(sentence.whole)
        found = list(_of_sentence(claim, sentence, place)) if touched or not claim.about else []
        yield from found
        if not found and last is not None and _may_add(claim, last, sentence):
            yield from _of_two(claim, last, sentence, place)
        place, last = place.after(sentence), sentence


def _of_sentence(claim: Claim, sentence: Sentence, place: Place) -> Iterator[Finding]:
    whole, part = sentence.whole, claim.part
    # A cell of a table with its label and its head is a clause that stands nowhere in the row's own order.
    held = (
        one
        for one in (whole, *sentence.clauses)
        if part.plain
        and (part.plain in one.plain or part.plain in one.unbracketed)
        and part.read.codes <= one.read.codes
    )
    if any(part.denied == one.denied for one in held) and not _drops(claim, whole):
        yield Finding("supported", f"{quote(whole.text)} says so", place.label, VERBATIM)
        return
    best = nearest(claim, (*sentence.clauses, whole))
    why = conflict(claim, best, whole, place.before) if speaks(claim, best, place.before) else ""
    why = why or misplaced(claim, sentence, place.before) or _other_in_clause(claim, sentence, place)
    if why:
        yield Finding("contradicted", f"{why}: {quote(best.text)}", place.label, closeness(claim, best) + 0.01)
        return
    found = match(claim, whole, place.before)
    coded = part.read.codes <= whole.read.codes | place.codes
    if not (_covers(claim, found) and coded and _kinds_held(claim, whole.stems | place.before)):
        return
    if part.denied != best.denied:
        return
    if _drops(claim, best):
        why = f"it holds only under a condition: {quote(best.text)}"
        yield Finding("unsupported", why, place.label, closeness(claim, best))
        return
    yield Finding("supported", f"{quote(whole.text)} says so", place.label, found.own + 0.02)


def _other_in_clause(claim: Claim, sentence: Sentence, place: Place) -> str:
    """Another value in any clause that speaks of the claim, where the sentence has none of the claim's."""
    if not missing(claim.part.read.quantities, sentence.whole.read.quantities):
        return ""
    spoken = (one for one in sentence.clauses if one.read.quantities and speaks(claim, one, place.before))
    return next((why for one in spoken if (why := other_value(claim, one))), "")


def _kinds_held(claim: Claim, held: frozenset[str]) -> bool:
    """Whether a text has the weekdays, months, colours and the like of the claim."""
    return all(claim.credit(one, held) for said in claim.part.groups.values() for one in said)


def _may_add(claim: Claim, first: Sentence, second: Sentence) -> bool:
    """Whether each of two sentences has something of the claim that the other has not: cheap, and never too strict.

    Two rows of a table are about two things.
    """
    if first.row and second.row:
        return False
    one, two = claim.touches(first.whole), claim.touches(second.whole)
    if not (one or first.whole.read.quantities) or not (two or second.whole.read.quantities):
        return False
    values = claim.part.read.quantities
    most = len(one | two) + QUANTITY * len(values)
    return bool(one ^ two) and most >= OWN * (len(claim.part.content) + QUANTITY * len(values))


def _of_two(claim: Claim, first: Sentence, second: Sentence, place: Place) -> Iterator[Finding]:
    """Two sentences that say together what neither says alone."""
    pair, part = first.whole.join(second.whole), claim.part
    both = match(claim, pair, place.before)
    alone = max(match(claim, one.whole, frozenset()).own for one in (first, second))
    best = [nearest(claim, (*one.clauses, one.whole)) for one in (first, second)]
    if not _covers(claim, both) or both.own <= alone or part.denied != any(one.denied for one in best):
        return
    weight = both.own - TWO
    if said := part.read.codes - pair.read.codes - place.codes:
        if instead := pair.read.codes - part.read.codes:
            why = f"{min(instead)!r}, not {min(said)!r}: {quote(pair.text)}"
            yield Finding("contradicted", why, place.label, weight)
    elif any(_drops(claim, one) for one in best):
        yield Finding(
            "unsupported",
            f"it holds only under a condition: {quote(pair.text)}",
            place.label,
            weight,
        )
    else:
        yield Finding("supported", f"{quote(pair.text)} says so", place.label, weight)


def _covers(claim: Claim, found: Match) -> bool:
    return found.cover >= (FRAGMENT if claim.topic else COVER) and found.own >= OWN and not found.values


def _drops(claim: Claim, there: Part) -> bool:
    """Whether the clause has a condition or a limit of which the claim says nothing."""
    if there.conditional > claim.part.conditional and not there.conditions <= claim.stems:
        return True
    return there.limits and not claim.part.read.quantities
