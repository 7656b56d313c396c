"""Near-duplicate questions of a suite, and near-duplicate documents of a corpus."""

from __future__ import annotations

import hashlib

from ragtester.text.languages import base, stop_words
from ragtester.text.stems import stem
from ragtester.text.words import words

SHINGLE = 5
SKETCH = 128
HASH = 8
TWIN = 0.3


# Two words this alike (rapidfuzz ratio) are one word in two spellings: "colour" and "color", not "crane" and "crate".
SAME_WORD = 85


class Questions:
    """The questions a suite already has.

    Two are near-duplicates where their words, as written or sorted, are alike by `rapidfuzz.fuzz.ratio` (0 to 100,
    at least `threshold`) and what differs is grammar, inflection or spelling. A number or a content word that the
    other lacks asks for something else, however long the rest: "mode 3" and "mode 4", "the crane" and "the winch".
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._texts: list[str] = []
        self._written: list[str] = []
        self._sorted: list[str] = []

    def add(self, question: str) -> None:
        """Take a question into the suite."""
        found = words(question)
        self._texts.append(question)
        self._written.append(" ".join(found))
        self._sorted.append(" ".join(sorted(found)))

    def near(self, question: str, language: str) -> str | None:
        """The first question of the suite that is nearly the same, or None."""
        from rapidfuzz import fuzz, process

        found = words(question)
        hits: set[int] = set()
        for query, choices in ((" ".join(found), self._written), (" ".join(sorted(found)), self._sorted)):
            alike = process.extract_iter(query, choices, scorer=fuzz.ratio, score_cutoff=self._threshold)
            hits.update(index for _, _, index in alike)
        for index in sorted(hits):
            if _same_words(set(found), set(self._written[index].split()), language):
                return self._texts[index]
        return None


def _same_words(first: set[str], second: set[str], language: str) -> bool:
    grammar = stop_words(language)
    code = base(language)
    one = {stem(word, code) for word in first - second - grammar}
    two = {stem(word, code) for word in second - first - grammar}
    return all(_has_form(word, two) for word in one) and all(_has_form(word, one) for word in two)


def _has_form(word: str, others: set[str]) -> bool:
    from rapidfuzz import fuzz

    if any(character.isdigit() for character in word):
        return False
    return word in others or any(fuzz.ratio(word, other) >= SAME_WORD for other in others)


def sketch(text: str) -> bytes:
    """Bottom-k sketch of a text's word shingles (Broder 1997): the `SKETCH` smallest of their 64-bit hashes.

    Eight bytes each, for every document of a corpus has one in memory.
    """
    found = words(text)
    shingles = {" ".join(found[index : index + SHINGLE]) for index in range(max(1, len(found) - SHINGLE + 1))}
    hashes = {hashlib.blake2b(shingle.encode("utf-8", "replace"), digest_size=HASH).digest() for shingle in shingles}
    return b"".join(sorted(hashes)[:SKETCH])


def resemblance(first: bytes, second: bytes) -> float:
    """Estimate (0 to 1) of the Jaccard similarity of two texts' shingles from their sketches."""
    one, two = ({each[at : at + HASH] for at in range(0, len(each), HASH)} for each in (first, second))
    union = sorted(one | two)[:SKETCH]
    return sum(value in one and value in two for value in union) / len(union) if union else 0.0


def are_twins(first: bytes, second: bytes) -> bool:
    """Whether two documents share so much text that one probably answers questions about the other."""
    return resemblance(first, second) >= TWIN
