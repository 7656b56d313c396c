"""Ranks passages by rule: how much of the question each holds, and how near its nearest sentence is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from ragtester.models.embedded.judging_statements import Embed
from ragtester.tasks import PassagesRanked, RankPassages
from ragtester.text.languages import base
from ragtester.text.quantities import codes
from ragtester.text.sentences import sentences
from ragtester.text.stems import stems

COVER_WEIGHT = 0.6
# The vector of a text differs in the last digits with what it is embedded beside; equal passages must stay equal.
DIGITS = 5


def rank_passages(request: RankPassages, embed: Embed) -> PassagesRanked:
    """All labels, best first; of equal ones the first given. `embed` maps texts to rows of length 1.

    Score = 0.6 × idf-weighted share of the question's content stems and codes that the passage holds + 0.4 × cosine of
    the question and the passage's nearest sentence. What a passage says of itself is words like any other.
    """
    code = base(request.language)
    held = [_terms(passage.text, code) for passage in request.passages]
    cosines = _nearest(request, embed, code)
    covers = _covers(_terms(request.question, code), held)
    scores = {
        passage.label: round(COVER_WEIGHT * cover + (1 - COVER_WEIGHT) * max(0.0, cosine), DIGITS)
        for passage, cover, cosine in zip(request.passages, covers, cosines, strict=True)
    }
    return PassagesRanked(order=tuple(sorted(scores, key=lambda label: -scores[label])))


def _terms(text: str, code: str) -> frozenset[str]:
    return frozenset(stems(text, code)) | codes(text, code)


def _covers(asked: frozenset[str], held: Sequence[frozenset[str]]) -> list[float]:
    counts = Counter(term for terms in held for term in terms)
    weights = {term: math.log(1 + len(held) / max(1, counts[term])) for term in asked}
    total = sum(weights.values())
    return [math.fsum(weights[term] for term in asked & terms) / total if total else 0.0 for terms in held]


def _nearest(request: RankPassages, embed: Embed, code: str) -> list[float]:
    """Cosine of the question and each passage's nearest sentence; 0 for a passage without one."""
    cut = [sentences(passage.text, code) for passage in request.passages]
    rows = embed([request.question, *(sentence for one in cut for sentence in one)])
    cosines = [float(cosine) for cosine in rows[1:] @ rows[0]]
    found, start = [], 0
    for one in cut:
        found.append(max(cosines[start : start + len(one)], default=0.0))
        start += len(one)
    return found
