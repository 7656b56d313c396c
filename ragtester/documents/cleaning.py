"""Characters that break or blur everything later are put right once, directly after extraction."""

from __future__ import annotations

import re
import unicodedata

# The mark that pdfium puts where a word was broken at a line end; it stays until the whole document is known.
BREAK = "\ufffe"

_LIGATURES = {
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}
_SPACES = dict.fromkeys(
    "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
)
_TABLE = str.maketrans({**_LIGATURES, **_SPACES, "\u2028": "\n", "\u2029": "\n", "\x0c": "\n", "\x85": "\n"})
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SOFT_HYPHEN_BREAK = re.compile("(?<=\\w)\u00ad[ \\t]*\n[ \\t]*(?=\\w)")
_BULLET = re.compile("^([ \\t]*)[a-z]?[\ue000-\uf8ff\x01-\x08\x0e-\x1f](?=[ \\t])", re.MULTILINE)
_LEADERS = re.compile(r"(?<=[^\s.…]) *(?:(?:\.[ \u00a0]?){5,}|…{2,})(?:[.…][ \u00a0]?)*[ \u00a0]?")
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_LOST_BREAK = re.compile(f"(?<![^\\W\\d_]){BREAK}|{BREAK}(?![^\\W_])")
_DROPPED = re.compile(
    "[\ud800-\udfff\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\uffff\ufff9-\ufffb\u200b\u200e\u200f\u202a-\u202e"
    f"\u2060-\u2064\u2066-\u206f\ufeff{_PRIVATE}]"
)
# Zero-width (non-)joiners shape Persian, Indic scripts and emoji; elsewhere they only break words apart.
_IDLE_JOINER = re.compile("(?<![\u0600-\u0dff\u1000-\u109f\ufe0f\U0001f000-\U0001faff])[\u200c\u200d]")
# Old TeX fonts print an accent and then its letter.
_ACCENT = re.compile("([¨´ˆ˜¸˚ˇ])([A-Za-zı])")
_COMBINING = str.maketrans(
    {"¨": "\u0308", "´": "\u0301", "ˆ": "\u0302", "˜": "\u0303", "¸": "\u0327", "˚": "\u030a", "ˇ": "\u030c", "ı": "i"}
)
_QUICK = re.compile(
    "[^\t\n -~\u00a1-\u00a7\u00a9-\u00ac\u00ae-\u00b3\u00b5-\u00b7\u00b9-\u02c5\u02c8-\u02d9\u02db\u02dd-\u1fff"
    "\u2010-\u2027\u2030-\u205e\u2070-\u2fff\u3001-\ud7ff\uf900-\ufaff\ufb07-\ufdff]"
)


def clean_characters(text: str, *, keep_breaks: bool = False) -> tuple[str, int]:
    """The text without what cannot be stored, seen or searched, and how many characters were dropped.

    Surrogate pairs are re-paired and lone ones dropped, as are control, private-use and zero-width characters;
    private-use glyphs that begin a line are bullets. Ligatures become letters, odd spaces become spaces, the dots of
    contents lists shrink to four, soft hyphens vanish (none of which is counted). Newline and tab stay. With
    `keep_breaks` pdfium's mark of a word broken at a line end stays where it stands between a letter and a letter or
    digit.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if ". . ." in text or "....." in text or "……" in text:
        text = _LEADERS.sub(" .... ", text)
    if not _QUICK.search(text):
        return text, 0
    text = _PAIR.sub(_joined, text)
    text = _SOFT_HYPHEN_BREAK.sub("", text.translate(_TABLE)).replace("\u00ad", "")
    text = _ACCENT.sub(_composed, text)
    text = _BULLET.sub(r"\1•", text)
    text, lost = _LOST_BREAK.subn("", text) if keep_breaks else (text.replace(BREAK, ""), text.count(BREAK))
    text, dropped = _DROPPED.subn("", text)
    text, idle = _IDLE_JOINER.subn("", text)
    return text, lost + dropped + idle


def _joined(pair: re.Match[str]) -> str:
    return pair.group().encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _composed(found: re.Match[str]) -> str:
    mark, letter = found.groups()
    whole = unicodedata.normalize("NFC", f"{letter}{mark}".translate(_COMBINING))
    return whole if len(whole) == 1 else found.group()
