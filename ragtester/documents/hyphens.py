"""Words broken at line ends are joined, real compounds keep their hyphen."""

from __future__ import annotations

import re
from collections import Counter

from ragtester.documents.cleaning import BREAK
from ragtester.documents.pronunciations import english_syllables
from ragtester.text.normalise import listed

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BROKEN = re.compile(rf"([^\W\d_]*-)?([^\W\d_]+){BREAK}([^\W_]+)")
_ENGLISH_WORDS = re.compile(r"\b(?:the|of|and|to|is|in)\b")
_ENGLISH_SHARE = 0.06
# French pronouns and particles that follow a verb or a compound with a hyphen.
_FRENCH_TAILS = frozenset(
    listed("il elle on ils elles je tu nous vous ce ci là même mêmes être dire en y le la les moi toi lui leur t")
)
_RUSSIAN_TAILS = frozenset(listed("то либо нибудь таки ка"))
_FRENCH_WORDS = re.compile(r"\b(?:les|des|est|une|dans)\b")


class Hyphens:
    """Decides for each broken word of one document, first by what else the document says, then by rule."""

    def __init__(self, text: str) -> None:
        printed = re.sub(rf"\S*{BREAK}\S*", " ", text)
        # Names that have a capital inside, as they are printed elsewhere.
        words = _WORD.findall(printed)
        self._names = {word for word in set(words) if not word[1:].islower()}
        plain = printed.casefold()
        found = [word.casefold() for word in words]
        self._words = Counter(word for word in found if "-" not in word)
        self._compounds = Counter(word for word in found if "-" in word)
        self._parts = {pair for word in self._compounds for pair in zip(*_neighbours(word), strict=True)}
        total = max(1, len(found))
        self._english = len(_ENGLISH_WORDS.findall(plain)) / total > _ENGLISH_SHARE
        self._french = not self._english and len(_FRENCH_WORDS.findall(plain)) / total > 0.03

    def mend(self, text: str) -> str:
        """The text with every break mark resolved to nothing or to a hyphen."""
        while BREAK in text:
            mended = _BROKEN.sub(self._resolve, text)
            if mended == text:
                return text.replace(BREAK, "-")
            text = mended
        return text

    def _resolve(self, found: re.Match[str]) -> str:
        before, left, right = found[1] or "", found[2], found[3]
        compound = bool(before) or found.string[found.end() : found.end() + 1] == "-"
        return f"{before}{left}{'' if self._joins(compound, left, right) else '-'}{right}"

    def _joins(self, compound: bool, left: str, right: str) -> bool:
        """Evidence first: the word as it stands elsewhere in the document, joined or with its hyphen."""
        if left + right in self._names:
            return True
        if not right.isalpha() or (right[0].isupper() and not left.isupper()):
            return False
        left, right = left.casefold(), right.casefold()
        joined = self._words[left + right]
        hyphenated = self._compounds[f"{left}-{right}"] or int((left, right) in self._parts)
        if joined or hyphenated:
            return joined >= hyphenated
        return self._joins_by_rule(compound, left, right)

    def _joins_by_rule(self, compound: bool, left: str, right: str) -> bool:
        if right in _RUSSIAN_TAILS or (self._french and right in _FRENCH_TAILS):
            return False
        if self._english:
            known = english_syllables()
            if left + right in known:
                return True
            halves = left in known and right in known and min(len(left), len(right)) > 2
            return not (halves or (compound and right in known))
        # In other languages two halves of four letters or more that both stand alone elsewhere are a compound.
        halves = min(len(left), len(right)) > 3 and bool(self._words[left]) and bool(self._words[right])
        return not (halves or compound)


def _neighbours(word: str) -> tuple[list[str], list[str]]:
    parts = word.split("-")
    return parts[:-1], parts[1:]
