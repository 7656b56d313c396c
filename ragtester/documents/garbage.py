"""How much of a text is no language: glyph names, lost characters, letters parted by spaces, glued words."""

from __future__ import annotations

import re

from ragtester.text.widths import is_wide

_TOKEN = re.compile(r"\S+")
_GLYPH = re.compile(r"/(?:g|G|C|c|SM|uni|glyph|cid)\d{2,}|\(cid:\d+\)")
_STRANGE = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f]")
_LETTER = re.compile(r"[^\W\d_]")
_GLUED = re.compile(r"[^\W\d_]{31,}")
_MIN_TOKENS = 12
_LETTER_RUN = 0.6


def garbled_share(text: str) -> float:
    """Share of the printed characters of a text that stand in garbage words, 0..1; 0 for a text with no words.

    A text in which single letters parted by spaces make up most of the words counts as garbled by that share.
    Words of more than 30 letters count as glued, except in scripts that are written without spaces.
    """
    tokens = _TOKEN.findall(text)
    if not tokens:
        return 0.0
    bad = sum(
        len(token)
        for token in tokens
        if _GLYPH.search(token)
        or len(_STRANGE.findall(token)) * 3 >= len(token)
        or (len(token) > 30 and _GLUED.search(token) and not _unspaced(token))
    )
    single = sum(len(token) == 1 and bool(_LETTER.match(token)) and not is_wide(token) for token in tokens)
    lettered = sum(bool(_LETTER.search(token)) for token in tokens)
    share = bad / sum(map(len, tokens))
    if lettered >= _MIN_TOKENS and single > _LETTER_RUN * lettered:
        return max(share, single / lettered)
    return share


def _unspaced(token: str) -> bool:
    """Chinese, Japanese, Thai, Lao, Burmese and Khmer are written without spaces."""
    return any(
        is_wide(character) or "\u0e00" <= character <= "\u109f" or "\u1780" <= character <= "\u17ff"
        for character in token
    )
