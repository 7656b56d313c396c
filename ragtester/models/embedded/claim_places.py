"""Values that stand in a sentence, but beside another member: "64 euros for the K2 and 79 for the K2-L"."""

from __future__ import annotations

from ragtester.models.embedded.claim_matching import Claim, speaks
from ragtester.models.embedded.claim_parts import Part
from ragtester.models.embedded.claim_reading import Sentence
from ragtester.models.embedded.claim_values import comparable, same_value
from ragtester.text.quantities import Quantity

SHARED = 0.9
"""Weight of a stem that a clause takes over from the one before it."""


def misplaced(claim: Claim, sentence: Sentence, before: frozenset[str]) -> str:
    """A value of the claim that a sentence has in one clause, where the claim's words are those of another clause.

    That one has another value of the same sort. In a few words; "" where nothing is misplaced.
    """
    values = claim.part.read.quantities
    for said in values if len(sentence.clauses) > 1 else ():
        holders = [one for one in sentence.clauses if _has(one, said)]
        rivals = [
            (one, other)
            for one in sentence.clauses
            for other in one.read.quantities
            if not _has(one, said) and comparable(said, other) and not any(same_value(mine, other) for mine in values)
        ]
        if not holders or not rivals:
            continue
        least = max(_bears(claim, one, said) for one in holders)
        found = max(rivals, key=lambda pair: _bears(claim, pair[0], said))
        if _bears(claim, found[0], said) > least and speaks(claim, found[0], before):
            return f"{_shown(found[0], found[1])}, not {_shown(claim.part, said)}"
    return ""


def _has(there: Part, said: Quantity) -> bool:
    return any(same_value(said, one) for one in there.read.quantities)


def _bears(claim: Claim, there: Part, said: Quantity) -> float:
    """How much of the claim, a value apart, a clause holds: stems, codes, its other values."""
    own = frozenset(there.read.stems)
    stems = sum(max(claim.credit(one, own), SHARED * claim.credit(one, there.stems)) for one in claim.about)
    values = sum(_has(there, one) for one in claim.part.read.quantities if one is not said)
    return stems + values + len(claim.part.read.codes & there.read.codes)


def _shown(part: Part, quantity: Quantity) -> str:
    return " ".join(part.text[quantity.start : quantity.end].split())
