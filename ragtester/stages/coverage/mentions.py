"""Whether an answer tells of what contradicts it. Pure."""

from __future__ import annotations

from typing import Literal

from ragtester.stages.coverage.seen import Seen, SeenClaim
from ragtester.stages.coverage.stated import names
from ragtester.text.disagreement import tells_of_disagreement
from ragtester.text.quantities import Quantity, Values, quantities
from ragtester.text.sentences import sentences
from ragtester.text.subjects import shares_subject

How = Literal["id", "value", "words", "claim", ""]
NEAR = 0.5
"""A sentence of the chunk speaks of the claim's subject where it shares so much of its subject words."""


def mention(seen: Seen, claim: SeenClaim, chunk_id: str, rivals: set[int]) -> How:
    """How the answer tells that the chunk says otherwise; empty where it does not.

    "id": it names the chunk or says why it leaves it out; "claim": another claim of it (`rivals`) takes the chunk's
    side; "value": it gives a value that the chunk gives in the place of the claim's; "words": it says that sources
    disagree.
    """
    stated = seen.stated.get(chunk_id)
    if (stated is not None and stated.by == "answer") or names(seen.answer, chunk_id):
        return "id"
    if rivals:
        return "claim"
    if _gives_other_value(seen, claim, chunk_id):
        return "value"
    return "words" if tells_of_disagreement(seen.answer, seen.language) else ""


def _gives_other_value(seen: Seen, claim: SeenClaim, chunk_id: str) -> bool:
    own = quantities(claim.text, seen.language)
    asked = quantities(seen.case.question, seen.language)
    others = [
        one
        for line in sentences(seen.texts[chunk_id].text, seen.language)
        if shares_subject(claim.text, line, seen.language, NEAR)
        for one in quantities(line, seen.language)
        if one not in Values([*own, *asked]) and any(_comparable(one, mine) for mine in own)
    ]
    if not others:
        return False
    told = Values(quantities(seen.answer, seen.language))
    return any(one in told for one in others)


def _comparable(one: Quantity, other: Quantity) -> bool:
    return one.kind == other.kind and one.unit == other.unit
