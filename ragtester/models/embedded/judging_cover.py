"""How far one text's statements are covered by another text: stems, soft stems, quantities and sentence vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ragtester.models.embedded.judging_statements import Body, Embed, Statement

GIVEN = 0.45
"""Weight of a stem that the question already holds: repeating the question says little."""
QUANTITY = 2.0
NAME = 1.5
LOCAL = 0.6
"""Share of the credit that asks for the stems side by side in one place of the other text."""
SOFT_FLOOR, SOFT_TOP = 0.45, 0.8
SENTENCE_FLOOR, SENTENCE_SPAN = 0.2, 0.6
SENTENCE_SHARE = 0.3
GAP = 0.35
_CACHE_LIMIT = 20_000
_ONE_THREAD = 200_000
"""Multiplications up to which BLAS stays in one thread; waking its others costs more than these small products."""
_word_vectors: dict[str, Any] = {}


@dataclass(frozen=True)
class Cover:
    """By statement: cover (0 to 1), best partner's place (-1: none), the share that it holds alone, weight.

    `gaps` is the share of a statement's new stems that are nowhere in the other text, not even by a like word.
    """

    scores: tuple[float, ...]
    partners: tuple[int, ...]
    closeness: tuple[float, ...]
    weights: tuple[float, ...]
    gaps: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Weighted mean of the statements' covers; 0 where there is nothing to cover."""
        total = sum(self.weights)
        return sum(s * w for s, w in zip(self.scores, self.weights, strict=True)) / total if total else 0.0


def cover(text: Body, by: Body, given: frozenset[str], embed: Embed | None) -> Cover:
    """Cover every statement of `text` by the statements of `by`; `given` are the question's stems."""
    if not by.statements:
        count = len(text.statements)
        weights = tuple(_mass(statement, given) for statement in text.statements)
        return Cover((0.0,) * count, (-1,) * count, (0.0,) * count, weights, (1.0,) * count)
    credits = _credits(text, by, embed)
    scores, partners, closeness, gaps = [], [], [], []
    vectors = text.vectors is not None and by.vectors is not None
    nearest = cosines(text.vectors, by.vectors).max(axis=1).clip(0) if vectors else None
    for place, statement in enumerate(text.statements):
        lexical, partner, close = _lexical(statement, by, given, credits)
        score = lexical
        if nearest is not None:
            semantic = min(1.0, max(0.0, (float(nearest[place]) - SENTENCE_FLOOR) / SENTENCE_SPAN))
            score = (1 - SENTENCE_SHARE) * lexical + SENTENCE_SHARE * semantic
        scores.append(score)
        partners.append(partner)
        closeness.append(close)
        fresh = [float(credits[stem].max()) < GAP for stem in statement.stems if stem not in given]
        gaps.append(sum(fresh) / len(fresh) if fresh else 0.0)
    weights = tuple(_mass(statement, given) for statement in text.statements)
    return Cover(tuple(scores), tuple(partners), tuple(closeness), weights, tuple(gaps))


def _mass(statement: Statement, given: frozenset[str]) -> float:
    return sum(_weight(stem, statement, given) for stem in statement.stems) + QUANTITY * len(statement.quantities)


def _weight(stem: str, statement: Statement, given: frozenset[str]) -> float:
    if stem in given:
        return GIVEN
    return NAME if stem in statement.names else 1.0


def _lexical(
    statement: Statement, by: Body, given: frozenset[str], credits: dict[str, Any]
) -> tuple[float, int, float]:
    """Credit of one statement, the best partner's place, and how much of the statement that partner holds alone."""
    import numpy as np

    weights = np.array(
        [_weight(stem, statement, given) for stem in statement.stems] + [QUANTITY] * len(statement.quantities)
    )
    if not len(weights):
        return 0.0, -1, 0.0
    rows = [credits[stem] for stem in statement.stems]
    for quantity in statement.quantities:
        rows.append(np.array([quantity in other.values for other in by.statements], float))
    credit = np.stack(rows)
    alone = weights @ credit
    pairs = weights @ np.maximum(credit[:, :-1], credit[:, 1:]) if credit.shape[1] > 1 else alone
    local = max(alone.max(), pairs.max()) / weights.sum()
    anywhere = weights @ credit.max(axis=1) / weights.sum()
    best = int(alone.argmax())
    partner = best if alone[best] > 0 else -1
    return (
        float(LOCAL * local + (1 - LOCAL) * anywhere),
        partner,
        float(alone[best] / weights.sum()),
    )


def _credits(text: Body, by: Body, embed: Embed | None) -> dict[str, Any]:
    """For each stem of `text` its credit (0 to 1) in each statement of `by`.

    1 where the statement holds the stem; else the cosine of the nearest word's vector, scaled to stay below 1.
    """
    import numpy as np

    stems, others = list(text.surfaces), list(by.surfaces)
    column = {stem: place for place, stem in enumerate(others)}
    likeness = np.zeros((len(stems), len(others) + 1))
    if embed is not None and stems and others:
        cosine = cosines(
            word_vectors(list(text.surfaces.values()), embed),
            word_vectors(list(by.surfaces.values()), embed),
        )
        likeness[:, :-1] = (cosine - SOFT_FLOOR).clip(0) / (1 - SOFT_FLOOR) * SOFT_TOP
    for row, stem in enumerate(stems):
        if stem in column:
            likeness[row, column[stem]] = 1.0
    # Every statement gets at least the empty last column, so that `reduceat` has something to reduce.
    places: list[int] = []
    starts: list[int] = []
    for statement in by.statements:
        starts.append(len(places))
        places.extend([column[stem] for stem in statement.stems] or [len(others)])
    best = np.maximum.reduceat(likeness[:, places], starts, axis=1) if stems else likeness
    return dict(zip(stems, best, strict=True))


def cosines(one: Any, other: Any) -> Any:
    """Product of two matrices of unit rows, every row with every row, a few rows at a time."""
    import numpy as np

    rows = max(1, _ONE_THREAD // max(1, other.size))
    return np.concatenate([one[start : start + rows] @ other.T for start in range(0, len(one), rows)])


def word_vectors(stems: list[str], embed: Embed) -> Any:
    """Unit rows of single words, cached: the same words come in every answer."""
    import numpy as np

    missing = [stem for stem in stems if stem not in _word_vectors]
    if missing:
        if len(_word_vectors) + len(missing) > _CACHE_LIMIT:
            _word_vectors.clear()
            missing = stems
        _word_vectors.update(zip(missing, embed(missing), strict=True))
    return np.stack([_word_vectors[stem] for stem in stems])
