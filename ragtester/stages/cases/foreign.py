"""Whether a question is in another language than its document.

A question is too short for a language detector, so only clear evidence counts: letters of a script that the document
hardly has, or function words of one other language and none of the document's own.
"""

from __future__ import annotations

import unicodedata
from collections import Counter

from ragtester.text.languages import base, stop_words
from ragtester.text.words import words

MIN_FUNCTION_WORDS = 3
RIVALS = ("en", "de", "fr", "es", "it", "pt", "nl", "ru")


def foreign(question: str, shown: str, language: str) -> str | None:
    """The reason in words, or None. `shown` is text of the document."""
    script, home = _main_script(question), _main_script(shown)
    strange = script != home and home not in _scripts(question) and _scripts(shown).get(script, 0.0) < 0.1
    # A search query may consist of product names, which stand in the document as they are.
    if script and strange and not set(words(question)) <= set(words(shown)):
        return f"the question is written in {script.lower()} letters, the document is not; write in its language"
    own = stop_words(base(language))
    asked = set(words(question))
    if not own or len(asked & own) > 1:
        return None
    for rival in RIVALS:
        others = stop_words(rival)
        if rival != base(language) and len(asked & others - own) >= MIN_FUNCTION_WORDS and not asked & own - others:
            return "the question is in another language than the document; write in the document's language"
    return None


def _scripts(text: str) -> dict[str, float]:
    counts = Counter(_script(character) for character in text if character.isalpha())
    total = counts.total()
    return {script: count / total for script, count in counts.items()} if total else {}


def _script(character: str) -> str:
    first = unicodedata.name(character, "?").split(maxsplit=1)[0]
    return "CJK" if first in ("HIRAGANA", "KATAKANA", "CJK", "KATAKANA-HIRAGANA") else first


def _main_script(text: str) -> str:
    shares = _scripts(text)
    return max(sorted(shares), key=lambda name: shares[name]) if shares else ""
