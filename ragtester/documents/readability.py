"""Flesch Reading Ease with the formula of the text's own language, or no score at all.

The numbers are textstat's own. textstat keeps its language in a module-wide setting and counts the syllables of every
word of a text anew; here its functions are called with the language as an argument, so that threads cannot mix, and
each distinct word is counted once.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ragtester.documents.pronunciations import english_syllables

# textstat's locale for each language that it has a published Flesch formula for (Flesch; Amstad; Fernández Huerta;
# Kandel and Moles; Vacca; Douma; Oborneva; and textstat's own constants for Hungarian).
LOCALES = {
    "en": "en_US",
    "de": "de_DE",
    "es": "es",
    "fr": "fr",
    "it": "it_IT",
    "nl": "nl_NL",
    "ru": "ru_RU",
    "hu": "hu_HU",
}
_MIN_WORDS = 3
_LETTERS = re.compile(r"[^\W\d_]{2}")
_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n(?=[^\W\d_])")
_BREAKS = re.compile(r"\s+")


def flesch(text: str, language: str) -> float | None:
    """Raw Flesch Reading Ease (higher is easier; not limited to 0..100), or None.

    None where the language (ISO 639-1) has no formula, and where there is nothing to score: no text, no letters, or
    fewer words than a sentence has. Line breaks are joined first. Formula: base - a * words / sentences - b *
    syllables / words with the constants of the language, as in textstat 0.7.8.
    """
    locale = LOCALES.get(language)
    if locale is None or not _LETTERS.search(text):
        return None
    from textstat.backend.counts import count_sentences
    from textstat.backend.selections import list_words
    from textstat.backend.utils import get_lang_cfg

    joined = _BREAKS.sub(" ", _BROKEN_WORD.sub("", text)).strip()
    words = list_words(joined, lowercase=True)
    if len(words) < _MIN_WORDS:
        return None
    syllables = sum(_syllables(word, locale) for word in words)
    if syllables == 0:
        return None
    base, per_sentence, per_word = (
        get_lang_cfg(locale.partition("_")[0], key) for key in ("fre_base", "fre_sentence_length", "fre_syll_per_word")
    )
    return float(base - per_sentence * (len(words) / count_sentences(joined)) - per_word * (syllables / len(words)))


def clamp(score: float) -> float:
    """A score limited to 0..100, for ranking only."""
    return min(100.0, max(0.0, score))


@lru_cache(maxsize=1 << 14)
def _syllables(word: str, locale: str) -> int:
    """textstat's count for one word: the CMU dictionary for English, else pyphen's places of hyphenation."""
    from textstat.backend.utils import get_pyphen

    known = english_syllables().get(word) if locale == LOCALES["en"] else None
    return len(get_pyphen(locale).positions(word)) + 1 if known is None else known
