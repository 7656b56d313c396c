"""Ranks passages by rule: how much of the question each holds, and how near its nearest sentence is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ragtester.models.embedded.judging_statements import Embed
from ragtester.tasks import PassagesRanked, RankPassages
from ragtester.text.languages import base
from ragtester.text.quantities import codes
from ragtester.text.sentences import sentences
from ragtester.text.stems import stems

COVER_WEIGHT = 0.6
DIGITS = 9


def rank_passages(request: RankPassages, embed: Embed) -> PassagesRanked:
    """All labels, best first; of equal ones the first given. `embed` maps texts to rows of length 1.

    Score = 0.6 × idf-weighted share of the question's content stems and codes that the passage holds + 0.4 × cosine of
    the question and the passage's nearest sentence. What a passage says of itself is words like any other.
    """
    code = base(request.language)
    read = [_read(passage.text, code, embed) for passage in request.passages]
    covers = _covers(_terms(request.question, code), [one.terms for one in read])
    asked = embed([request.question])[0]
    scores = {}
    for passage, one, cover in zip(request.passages, read, covers, strict=True):
        nearest = float((one.rows @ asked).max()) if len(one.rows) else 0.0
        scores[passage.label] = round(COVER_WEIGHT * cover + (1 - COVER_WEIGHT) * max(0.0, nearest), DIGITS)
    return PassagesRanked(order=tuple(sorted(scores, key=lambda label: -scores[label])))


@dataclass(frozen=True)
class _Read:
    """A passage's content stems and codes, and a unit row for each of its sentences."""

    terms: frozenset[str]
    rows: Any


@lru_cache(maxsize=2048)
def _read(text: str, code: str, embed: Embed) -> _Read:
    """Cached: the same chunks come for many questions, and embedding them takes longest."""
    return _Read(_terms(text, code), embed(sentences(text, code)))


def _terms(text: str, code: str) -> frozenset[str]:
    return frozenset(stems(text, code)) | codes(text, code)


def _covers(asked: frozenset[str], held: Sequence[frozenset[str]]) -> list[float]:
    counts = Counter(term for terms in held for term in terms)
    weights = {term: math.log(1 + len(held) / max(1, counts[term])) for term in asked}
    total = math.fsum(weights.values())
    return [math.fsum(weights[term] for term in asked & terms) / total if total else 0.0 for terms in held]
