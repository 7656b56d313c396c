"""Near-duplicate documents of a corpus."""

from __future__ import annotations

import hashlib

from ragtester.text.words import words

SHINGLE = 5
SKETCH = 128
HASH = 8
TWIN = 0.3


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
