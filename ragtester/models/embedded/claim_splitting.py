"""Splits an answer into claims by rule: sentences and clauses, each with the passages that it most likely relies on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragtester.tasks import REFUSAL_PHRASES, AnswerSplit, Passage, SplitAnswer, SplitClaim
from ragtester.text.claim_cover import claims_of
from ragtester.text.languages import base
from ragtester.text.refusal import is_refusal
from ragtester.text.stems import stems
from ragtester.text.words import words

_MARK = re.compile(r"\s*\[([^\[\]\n]{1,300})\]")
LEAST = 0.3
"""Share of a claim's stems that a passage must hold to be what the claim was taken from."""


def split_answer(request: SplitAnswer) -> AnswerSplit:
    """The claims of an answer in order. Deterministic; nothing that the answer does not say gets into a claim."""
    code = base(request.language)
    answer = _MARK.sub("", request.answer)
    if not words(answer) or is_refusal(answer, REFUSAL_PHRASES, code):
        return AnswerSplit()
    cited = [one for one in request.passages if one.label in request.cited] or list(request.passages)
    found = [SplitClaim(claim=claim, passages=_source(claim, cited, code)) for claim in claims_of(answer, code)]
    return AnswerSplit(claims=tuple(found))


def _source(claim: str, passages: Sequence[Passage], code: str) -> tuple[str, ...]:
    wanted = set(stems(claim, code))
    if not wanted:
        return ()
    shares = [len(wanted & set(stems(one.text, code))) / len(wanted) for one in passages]
    best = max(shares, default=0.0)
    return (passages[shares.index(best)].label,) if best >= LEAST else ()
