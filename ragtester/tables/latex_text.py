"""Text as LaTeX that shows exactly it, whatever it holds."""

from __future__ import annotations

import re
import unicodedata

from ragtester.tables.cells import clean

_KNOWN = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "`": r"{\char96}",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "−": r"$-$",
    "→": r"$\to$",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "…": r"\ldots{}",
    "°": r"$^{\circ}$",
    "\N{NO-BREAK SPACE}": "~",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
}
# Combining mark -> accent command.
_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
}


def escape(text: str) -> str:
    """`text` as LaTeX in plain ASCII that shows exactly it; no command in it is ever run."""
    found = "".join(map(_character, unicodedata.normalize("NFC", clean(text))))
    # Neighbours that a font would join: dashes, quotes, commas.
    return re.sub(r"(?<=([-',]))(?=\1)", "{}", found)


def _character(character: str) -> str:
    if character in _KNOWN:
        return _KNOWN[character]
    if " " <= character < "\x7f":
        return character
    base, *marks = list(unicodedata.normalize("NFD", character))
    if len(marks) == 1 and base.isascii() and base.isalpha() and marks[0] in _ACCENTS:
        letter = {"i": r"\i", "j": r"\j"}.get(base, base) if _ACCENTS[marks[0]] != "c" else base
        return f"\\{_ACCENTS[marks[0]]}{{{letter}}}"
    return f"\\ragtesterchar{{{ord(character):04X}}}{{{character}}}"
