"""Near-identical chunks of one document, found without comparing every text with every other."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragtester.spans import Pair, overlap
from ragtester.text.words import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BUCKETS = 1024
_BLOCK = 256
_SHARED = 0.5
_NUMBER = re.compile(r"\d+")


def representatives(
    spans: Sequence[Pair], texts: Sequence[str], searched: Sequence[str], threshold: float
) -> list[int]:
    """For each chunk the number of the first one that it nearly equals, its own where there is none.

    Two are near-identical where `rapidfuzz.fuzz.ratio` of their texts, and of what is searched of them, is at least
    `threshold` (0 to 100), their numbers are the same ("35 Nm" is not "45 Nm"), and their spans do not overlap: a
    chunk that shares its neighbour's text holds something else besides. Texts are compared only where the shorter
    list of distinct words has at least half of its words in the other.
    """
    chosen = list(range(len(texts)))
    by_text: dict[tuple[str, str], int] = {}
    by_numbers: dict[tuple[str, ...], list[int]] = {}
    for number, text in enumerate(texts):
        first = by_text.setdefault((text, searched[number]), number)
        if first != number and not overlap(spans[first], spans[number]):
            chosen[number] = first
        else:
            by_numbers.setdefault(tuple(_NUMBER.findall(searched[number])), []).append(number)
    for group in by_numbers.values():
        if len(group) > 1:
            _choose(group, chosen, _Alike(spans, texts, searched, threshold))
    # What equals a chunk that is itself stood for by another is stood for by that one.
    return [chosen[first] for first in chosen]


class _Alike:
    """Whether two chunks are near-identical."""

    def __init__(self, spans: Sequence[Pair], texts: Sequence[str], searched: Sequence[str], threshold: float) -> None:
        self.spans = spans
        self.texts = texts
        self.searched = searched
        self.threshold = threshold

    def __call__(self, one: int, other: int) -> bool:
        from rapidfuzz import fuzz

        return not overlap(self.spans[one], self.spans[other]) and all(
            fuzz.ratio(texts[one], texts[other], score_cutoff=self.threshold) for texts in (self.searched, self.texts)
        )


def _choose(group: Sequence[int], chosen: list[int], alike: _Alike) -> None:
    """Go through the chunks in order: each becomes the first earlier one that stands for itself and is alike."""
    import numpy as np

    bags = _bags([alike.searched[number] for number in group])
    sizes = bags.sum(axis=1)
    lengths = np.array([len(alike.searched[number]) for number in group], dtype=np.float64)
    for start in range(0, len(group), _BLOCK):
        stop = min(start + _BLOCK, len(group))
        shared = bags[start:stop] @ bags[:stop].T
        enough = shared >= _SHARED * np.minimum(sizes[start:stop, None], sizes[None, :stop])
        enough &= shared > 0
        # The ratio is twice what they share over their lengths together: at most twice the shorter.
        both = lengths[start:stop, None] + lengths[None, :stop]
        enough &= 200 * np.minimum(lengths[start:stop, None], lengths[None, :stop]) >= alike.threshold * both
        for row in range(start, stop):
            number = group[row]
            for at in np.flatnonzero(enough[row - start, :row]).tolist():
                other = group[at]
                if chosen[other] == other and alike(other, number):
                    chosen[number] = other
                    break


def _bags(texts: Sequence[str]) -> NDArray[np.float32]:
    """The distinct words of each text as a row of zeros and ones, hashed into buckets."""
    import numpy as np

    bags = np.zeros((len(texts), _BUCKETS), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in words(text):
            bags[row, zlib.crc32(word.encode("utf-8", "surrogatepass")) % _BUCKETS] = 1
    return bags
