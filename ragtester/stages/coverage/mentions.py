"""Whether an answer tells of what contradicts it. Pure."""

from __future__ import annotations

from typing import Literal

from ragtester.stages.coverage.seen import Seen, SeenClaim
from ragtester.text.disagreement import tells_of_disagreement
from ragtester.text.quantities import Quantity, Values, quantities
from ragtester.text.sentences import sentences
from ragtester.text.subjects import shares_subject

How = Literal["claim", "value", "words", ""]
NEAR = 0.5
"""A sentence speaks of the claim's subject where it shares so much of its subject words."""


def mention(seen: Seen, claim: SeenClaim, chunk_id: str, rivals: set[int]) -> How:
    """How the answer tells that the chunk says otherwise; empty where it does not.

    "claim": another claim of it (`rivals`) takes the chunk's side; "value": it gives a value that the chunk gives in
    the place of the claim's; "words": it says of the claim's subject that sources disagree. Why it leaves the chunk out
    counts as its words. To name the chunk, or to call it unimportant, tells nobody that it says otherwise.
    """
    if rivals:
        return "claim"
    stated = seen.stated.get(chunk_id)
    reason = stated.reason if stated is not None and stated.by == "answer" else ""
    if _gives_other_value(seen, claim, chunk_id, reason):
        return "value"
    if tells_of_disagreement(reason, seen.language) or _says_so(seen, claim):
        return "words"
    return ""


def _says_so(seen: Seen, claim: SeenClaim) -> bool:
    """Whether a sentence that names a disagreement, with the one after it, speaks of the claim's subject."""
    lines = sentences(seen.answer, seen.language)
    return any(
        tells_of_disagreement(line, seen.language)
        and shares_subject(claim.text, " ".join(lines[at : at + 2]), seen.language, NEAR)
        for at, line in enumerate(lines)
    )


def _gives_other_value(seen: Seen, claim: SeenClaim, chunk_id: str, reason: str) -> bool:
    own = quantities(claim.text, seen.language)
    known = Values([*own, *quantities(seen.case.question, seen.language)])
    others = [
        one
        for line in sentences(seen.texts[chunk_id].text, seen.language)
        if shares_subject(claim.text, line, seen.language, NEAR)
        for one in quantities(line, seen.language)
        if one not in known and any(_comparable(one, mine) for mine in own)
    ]
    if not others:
        return False
    told = Values([*quantities(seen.answer, seen.language), *quantities(reason, seen.language)])
    return any(one in told for one in others)


def _comparable(one: Quantity, other: Quantity) -> bool:
    return one.kind == other.kind and one.unit == other.unit
