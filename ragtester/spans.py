"""Arithmetic on half-open spans `[start, end)`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Generic, TypeVar

Item = TypeVar("Item")
Pair = tuple[int, int]


def overlap(first: Pair, second: Pair) -> int:
    """Characters that two spans share."""
    return max(0, min(first[1], second[1]) - max(first[0], second[0]))


def merge(spans: Iterable[Pair]) -> list[Pair]:
    """The union of spans as sorted, disjoint, non-touching spans; empty spans vanish."""
    merged: list[Pair] = []
    for start, end in sorted(span for span in spans if span[1] > span[0]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def covered(spans: Iterable[Pair]) -> int:
    """Characters in the union of spans."""
    return sum(end - start for start, end in merge(spans))


def pages_of(start: int, end: int, page_starts: Sequence[int]) -> tuple[int, ...]:
    """Pages (from 1) that `[start, end)` touches; empty where the document has no pages."""
    if not page_starts:
        return ()
    first = max(1, bisect_right(page_starts, start))
    last = max(first, bisect_right(page_starts, max(start, end - 1)))
    return tuple(range(first, last + 1))


class Places(Generic[Item]):
    """Items by the spans that they lie on, sorted once: those over a span are found without looking at all of them."""

    def __init__(self, places: Iterable[tuple[int, int, Item]]) -> None:
        self._places = sorted(places, key=lambda place: place[:2])
        self._starts = [start for start, _, _ in self._places]
        # How far the places up to each one reach: from the first that reaches beyond a point on, any may.
        self._reach = list(accumulate((end for _, end, _ in self._places), max))

    def over(self, span: Pair) -> list[tuple[int, int, Item]]:
        """The places that share a character with a span, by their starts; none for an empty one."""
        if span[0] >= span[1]:
            return []
        first, last = bisect_right(self._reach, span[0]), bisect_left(self._starts, span[1])
        return [place for place in self._places[first:last] if place[1] > span[0]]
