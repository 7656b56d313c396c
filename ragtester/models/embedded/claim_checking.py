"""Checks a claim against passages by rule: cover by words and values, and what stands against it."""

from __future__ import annotations

from ragtester.models.embedded.judging_conflicts import conflict
from ragtester.models.embedded.judging_statements import read
from ragtester.tasks import CheckClaim, ClaimChecked
from ragtester.text.quantities import Values

COVER = 0.75
SAME = 0.5


def check_claim(request: CheckClaim) -> ClaimChecked:
    """The verdict on one claim by its passages alone. Deterministic."""
    claim = read(request.claim, request.language, None)
    against: ClaimChecked | None = None
    for passage in request.passages:
        body = read(passage.text, request.language, None)
        for said in claim.statements:
            for one in body.statements:
                share = len(set(said.stems) & set(one.stems)) / max(1, len(said.stems))
                why = conflict(said, one, Values(()), frozenset(), strict=True) if share >= SAME else ""
                if why and against is None:
                    against = ClaimChecked(reason=f"by rule: {why}", verdict="contradicted", passages=(passage.label,))
                if not why and share >= COVER and all(value in one.values for value in said.quantities):
                    return ClaimChecked(
                        reason=f"by rule: {one.text[:80]!r} says so", verdict="supported", passages=(passage.label,)
                    )
    return against or ClaimChecked(reason="by rule: no passage says so", verdict="unsupported")
