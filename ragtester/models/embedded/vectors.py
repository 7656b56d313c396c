"""Vectors for texts without a network: `wordllama`'s own weights, and a seeded hashing baseline."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtester.text.words import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSIONS = 256
# Vectors of all tokens of so many texts are in memory at once. More are no faster, and each thread keeps that memory.
TEXTS_AT_ONCE = 8
_loading = threading.Lock()


def embed_texts(texts: Sequence[str]) -> NDArray[np.float32]:
    """Rows of length 1 (256 dimensions), one a text, in order; a text without tokens gives a zero row."""
    import numpy as np

    if not texts:
        return np.zeros((0, DIMENSIONS), dtype=np.float32)
    vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
    filled = [number for number, text in enumerate(texts) if text.strip()]
    if filled:
        # A lone surrogate cannot be tokenised; it stands for nothing a reader could see.
        clean = [texts[number].encode("utf-8", "replace").decode("utf-8") for number in filled]
        with _loading:
            model = _wordllama()
        vectors[filled] = model.embed(clean, batch_size=TEXTS_AT_ONCE)
    return _unit(vectors)


def hash_texts(texts: Sequence[str], dimensions: int = DIMENSIONS, seed: int = 0) -> NDArray[np.float32]:
    """Feature hashing of words and character trigrams to unit rows (Weinberger et al. 2009: signed buckets).

    The same text gives the same row in every process and on every machine.
    """
    import numpy as np

    vectors = np.zeros((len(texts), dimensions), dtype=np.float32)
    for number, text in enumerate(texts):
        for feature, weight in _features(text):
            bucket, sign = _bucket(feature, dimensions, seed)
            vectors[number, bucket] += sign * weight
    return _unit(vectors)


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    vectors = np.nan_to_num(vectors, nan=0.0, posinf=0.0, neginf=0.0)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float32] = (vectors / np.where(norms > 0, norms, 1)).astype(np.float32)
    return unit


@cache
def _wordllama() -> Any:
    """The model that the package carries; nothing is looked up anywhere else."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    import wordllama

    # Its import calls `logging.basicConfig(level=INFO)`: from then on every HTTP request of any client would be logged.
    root.handlers[:] = handlers
    root.setLevel(level)
    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)


def _features(text: str) -> Iterator[tuple[str, float]]:
    """Whole words weigh 1; their inner trigrams together weigh as much as the word, so that inflections meet."""
    for word in words(text.encode("utf-8", "replace").decode("utf-8").casefold()):
        yield f"w:{word}", 1.0
        padded = f"^{word}$"
        grams = [padded[start : start + 3] for start in range(len(padded) - 2)]
        for gram in grams:
            yield f"g:{gram}", len(grams) ** -0.5


def _bucket(feature: str, dimensions: int, seed: int) -> tuple[int, int]:
    digest = hashlib.blake2b(feature.encode(), digest_size=8, key=seed.to_bytes(8, "little", signed=True)).digest()
    number = int.from_bytes(digest, "little")
    return (number >> 1) % dimensions, 1 if number & 1 else -1
