"""How wide characters print."""

from __future__ import annotations

import re
import unicodedata

_WIDE = re.compile("[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]")


def width_units(text: str) -> int:
    """Width of a text in half-width characters: Chinese, Japanese and Korean letters count two."""
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))


def is_wide(character: str) -> bool:
    """Whether a character belongs to a script that is written without spaces (Hangul is not)."""
    return bool(character) and bool(_WIDE.match(character)) and not unicodedata.name(character, "").startswith("HANGUL")
