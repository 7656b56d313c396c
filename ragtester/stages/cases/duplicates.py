"""Near-duplicate questions of a suite, and near-duplicate documents of a corpus."""

from __future__ import annotations

import hashlib
from collections import Counter

from ragtester.text.words import words

SHINGLE = 5
SKETCH = 128
TWIN = 0.3


class Questions:
    """The questions a suite already has. Two are near-duplicates where their words, as written or sorted, are alike
    by `rapidfuzz.fuzz.ratio` (0 to 100) and their numbers are the same: "mode 3" and "mode 4" ask different things.
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._texts: list[str] = []
        self._written: list[str] = []
        self._sorted: list[str] = []
        self._numbers: list[Counter[str]] = []

    def add(self, question: str) -> None:
        """Take a question into the suite."""
        written, ordered, numbers = _forms(question)
        self._texts.append(question)
        self._written.append(written)
        self._sorted.append(ordered)
        self._numbers.append(numbers)

    def near(self, question: str) -> str | None:
        """The first question of the suite that is nearly the same, or None."""
        from rapidfuzz import fuzz, process

        written, ordered, numbers = _forms(question)
        hits: list[int] = []
        for query, choices in ((written, self._written), (ordered, self._sorted)):
            found = process.extract_iter(query, choices, scorer=fuzz.ratio, score_cutoff=self._threshold)
            hits.extend(index for _, _, index in found if self._numbers[index] == numbers)
        return self._texts[min(hits)] if hits else None


def _forms(question: str) -> tuple[str, str, Counter[str]]:
    found = words(question)
    numbers = Counter(word for word in found if any(character.isdigit() for character in word))
    return " ".join(found), " ".join(sorted(found)), numbers


def sketch(text: str) -> frozenset[int]:
    """Bottom-k sketch of a text's word shingles (Broder 1997): the `SKETCH` smallest of their 64-bit hashes."""
    found = words(text)
    shingles = {" ".join(found[index : index + SHINGLE]) for index in range(max(1, len(found) - SHINGLE + 1))}
    hashes = sorted(
        int.from_bytes(hashlib.blake2b(shingle.encode("utf-8", "replace"), digest_size=8).digest(), "big")
        for shingle in shingles
    )
    return frozenset(hashes[:SKETCH])


def resemblance(first: frozenset[int], second: frozenset[int]) -> float:
    """Estimate (0 to 1) of the Jaccard similarity of two texts' shingles from their sketches."""
    union = sorted(first | second)[:SKETCH]
    return sum(value in first and value in second for value in union) / len(union) if union else 0.0


def are_twins(first: frozenset[int], second: frozenset[int]) -> bool:
    """Whether two documents share so much text that one probably answers questions about the other."""
    return resemblance(first, second) >= TWIN
