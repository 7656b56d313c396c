"""Whether a number in a text is a name (a section, a house, a list item) or states something."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ragtester.text.languages import stop_words
from ragtester.text.normalise import listed

if TYPE_CHECKING:
    from ragtester.stages.stressors.spots import Pair, Spot

_REFERENCE = frozenset(
    listed(
        "section sections sec chapter figure fig table tab page pages p pp step item article art clause appendix annex "
        "note no nr line version release revision rev edition issue volume vol part paragraph para level class type "
        "port channel question equation eq example exercise lesson unit room floor building house number "
        "abschnitt kapitel abbildung abb tabelle seite s ziffer schritt artikel absatz nummer haus raum zimmer "
        "ausgabe auflage fassung teil anlage klasse stufe zeile beispiel aufgabe frage "
        "chapitre article tableau figure page étape capítulo artículo tabla figura página paso"
    )
)
_LIMITS = re.compile(
    r"(?:\b(?:at most|at least|up to|no more than|not more than|more than|less than|fewer than|over|under|below|above|"
    r"maximum(?: of)?|minimum(?: of)?|until|after|before|reduced to|discarded at|höchstens|mindestens|bis zu|maximal|"
    r"minimal|mehr als|weniger als|über|unter|au plus|au moins|como máximo|al menos|costs?|kostet|kosten)\s)$",
    re.I,
)
_BEFORE = re.compile(r"([^\W\d_][\w.]*?)\.?[ \u00a0]$|([§#№])\s?$")
_JOINED = re.compile(r"[-.:/+]\d|[+~]")
_LINE_NUMBER = re.compile(r"^[ \t]*(?:[-*•]\s+)?\(?$")


def states(text: str, spot: Spot, tables: list[Pair]) -> bool:
    """Whether a number without a unit states something: it counts a noun, has decimals, stands at a limit, in a table.

    A number that names a section, a house or a list item does not.
    """
    if is_reference(text, spot.start) or _JOINED.match(text, spot.end):
        return False
    line = text.rfind("\n", 0, spot.start) + 1
    if any(start <= spot.start < end for start, end in tables):
        return True
    if (
        _LINE_NUMBER.match(text[line : spot.start])
        and (spot.kind == "number")
        and text[spot.end : spot.end + 1] in ".) "
    ):
        return False
    before = text[max(0, spot.start - 24) : spot.start]
    if spot.unit or _LIMITS.search(before):
        return True
    return spot.amount != int(spot.amount)


def is_reference(text: str, start: int) -> bool:
    """Whether the word before a number makes it a name: "Section 3", "pillar No. 7", "Haus 14", "§ 5"."""
    found = _BEFORE.search(text, max(0, start - 30), start)
    if found is None:
        return False
    if found[2]:
        return True
    word = found[1]
    if word.lower().rstrip(".") in _REFERENCE:
        return True
    if _names_several(text, word):
        return True
    place = found.start(1)
    opens = not text[:place].rstrip(" ") or text[:place].rstrip(" ")[-1] in ".!?:;\n|•-–—"
    return word[0].isupper() and not opens and word.lower() not in stop_words("en") | stop_words("de")


@lru_cache(maxsize=4096)
def _names_several(text: str, word: str) -> bool:
    """Whether a word stands before several different bare numbers, as names do: "pillar 7" and "pillar 11"."""
    if _LIMITS.search(f"{word} ") or not word.isalpha() or word.lower() in stop_words("en") | stop_words("de"):
        return False
    found = re.findall(
        rf"(?<!\w){re.escape(word)}[ \u00a0](\d{{1,4}})(?![\w%°]|[.,:]\d|[ \u00a0-]?[^\W\d_]{{3}})", text
    )
    more = re.findall(rf"(?<!\w){re.escape(word)}[ \u00a0](\d{{1,4}})(?![\d.,:%°])", text)
    return bool(found) and len(set(more)) > 1
