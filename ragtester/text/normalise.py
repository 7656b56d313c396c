"""One way of folding text, used on both sides of every comparison, and one way of cleaning what a model sends."""

from __future__ import annotations

import re
import unicodedata

_DASHES = "\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e3a\u2e3b\u30a0\ufe58\ufe63\uff0d"
_SINGLE = "\u2018\u2019\u201a\u201b\u2032\u02bc\u02b9\u0060\u00b4\uff07"
_DOUBLE = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u301d\u301e\uff02"
_INVISIBLE = (
    "\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
_TABLE = (
    dict.fromkeys(map(ord, _DASHES), "-")
    | dict.fromkeys(map(ord, _SINGLE), "'")
    | dict.fromkeys(map(ord, _DOUBLE), '"')
    | dict.fromkeys(map(ord, _INVISIBLE), None)
    | {0x00AD: None}
)
_SPACES = re.compile(r"\s+")
_SURROGATE_PAIR = re.compile("([\ud800-\udbff])([\udc00-\udfff])")
_UNWANTED = re.compile("[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")


def fold(text: str) -> str:
    """Fold a text for comparison: NFKC, case, dashes, quotes, ligatures, soft hyphens, one space between words."""
    if text.isascii():
        return _SPACES.sub(" ", text.replace("`", "'")).strip().lower()
    plain = unicodedata.normalize("NFKC", text.translate(_TABLE)).casefold()
    # NFKC can bring back what the table unifies, and casefolding can undo the composition.
    plain = unicodedata.normalize("NFKC", plain).translate(_TABLE)
    return _SPACES.sub(" ", plain).strip()


def clean(text: str) -> str:
    """Make a reply storable as UTF-8: surrogate pairs re-paired, lone ones and control characters dropped.

    Newline and tab stay; `\\r\\n` and `\\r` become `\\n`.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _SURROGATE_PAIR.sub(lambda pair: _join(pair[1], pair[2]), text)
    return _UNWANTED.sub("", text)


def _join(high: str, low: str) -> str:
    return chr(0x10000 + ((ord(high) - 0xD800) << 10) + (ord(low) - 0xDC00))


def listed(text: str) -> list[str]:
    """The words of a table that is written as one string."""
    return text.split()
