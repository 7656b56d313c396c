"""What differs between answers of one value and answers of many statements: how long, and near to what."""

from __future__ import annotations

from typing import Any

from ragtester.models.embedded.judging_statements import Body

SHORT_MASS = 9.0
"""An expected answer up to this mass is a value or a phrase: its values decide."""
LONG_SPAN = 30.0
"""So much more mass (some fifty words in all) makes it a long one; what differs changes evenly in between."""
BEYOND_FLOOR, BEYOND_SPAN = 0.1, 0.7
"""Cosine beyond the question, at which an answer says nothing of what was asked for, and from there to everything."""


def length(expected: Body) -> float:
    """How long an expected answer is: 0 for one value or phrase, 1 for a paragraph."""
    return min(1.0, max(0.0, expected.mass - SHORT_MASS) / LONG_SPAN)


def nearness(answer: Body, expected: Body, question: Body) -> float | None:
    """How near two whole texts are in what they say beyond the question (0 to 1); None without vectors.

    Talk about the question's subject is near to any answer to it. So the question's direction is taken out of both
    vectors before their cosine, which text off the point, said beside the right things, dilutes as well.
    """
    if answer.whole is None or expected.whole is None or question.whole is None:
        return None
    cosine = _cosine(_without(answer.whole, question.whole), _without(expected.whole, question.whole))
    return min(1.0, max(0.0, (cosine - BEYOND_FLOOR) / BEYOND_SPAN))


def _without(vector: Any, direction: Any) -> Any:
    """The part of a vector that is at right angles to a unit vector (or to a zero vector: all of it)."""
    return vector - (vector @ direction) * direction


def _cosine(one: Any, other: Any) -> float:
    import numpy as np

    norm = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / norm if norm > 1e-6 else 0.0
