"""What a text is searched by in the sparse arm: stems, codes and numbers in one spelling, pairs of syllables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from ragtester.text.languages import base, stop_words
from ragtester.text.normalise import fold
from ragtester.text.numbers import NUMBER, digits_to_ascii, parse
from ragtester.text.stems import stem
from ragtester.text.words import LETTER, words

# "E-204", "RS-485", "max_connections", "24/7", "v1.2.3", "10:30": letters and digits with joints between.
_JOINED = re.compile(rf"(?<!{LETTER}){LETTER}++(?:[-_/.:]{LETTER}++)+")
_JOINT = re.compile(r"\w[-_/.:]\w")
_JOINTS = re.compile(r"[-_/]")
_SEPARATED = re.compile(r"\d+(?:[.,]\d+)+")
# "5mm", "3.5mm", "e204": a number and what it belongs to.
_PARTS = re.compile(
    rf"(?<!{LETTER})(?<!\d[.,])(?:(\d+(?:[.,]\d+)*)((?:(?!\d){LETTER})+)|((?:(?!\d){LETTER})+)(\d+))(?!{LETTER})"
)
_HANGUL = re.compile("[\uac00-\ud7af]{3,}")
_DIGIT = re.compile(r"\d")


def terms(text: str, language: str) -> list[str]:
    """The terms of a text, repeated as often as it has them; a query and a passage are cut alike.

    Words are folded and stemmed where their language has a Snowball stemmer; its stop words are left out. Words with
    digits stay as they are; numbers are written without grouping and with a decimal point. What is joined by hyphens,
    slashes and the like is found by its parts and as a whole, with or without them ("E-204", "E204", "e 204";
    "fire-fighting", "firefighting"); so is a number with its unit ("3.5 mm", "3.5mm"). Scripts without spaces give
    pairs of characters (`ragtester.text.words`), and so does Korean, whose words carry their particles.
    """
    folded = digits_to_ascii(fold(text))
    code = base(language)
    dropped = stop_words(code)
    found: list[str] = []
    for word in words(folded):
        if word not in dropped:
            found += _of_word(word, code)
    for piece in folded.split(" "):
        if _JOINT.search(piece):
            for joined in _JOINED.findall(piece):
                found += _whole(joined, code)
        if _DIGIT.search(piece):
            for match in _PARTS.findall(piece):
                found += (_number(part, code) for part in match if part)
    return found


@lru_cache(maxsize=1 << 14)
def _of_word(word: str, code: str) -> tuple[str, ...]:
    if _DIGIT.search(word):
        return (_number(word, code),)
    if _HANGUL.fullmatch(word):
        return tuple(a + b for a, b in pairwise(word))
    return (stem(word, code),)


def _number(word: str, code: str) -> str:
    """ "1,000" and "1000" are one term, "3,5" and "3.5" in their languages; "1.2.3" is no number."""
    if not _SEPARATED.fullmatch(word):
        return word
    match = NUMBER.fullmatch(word)
    value = parse(match, code) if match else None
    return word if value is None else format(value, "f")


def _whole(joined: str, code: str) -> Iterator[str]:
    """Joined words and codes in one spelling. Joints between bare numbers stay: "1/2" is not "12"."""
    plain = _JOINTS.sub("", joined)
    if plain.isalpha():
        if "/" not in joined:
            yield stem(plain, code)
    elif not _DIGIT.search(joined):  # an address or an abbreviation with points: its words do
        return
    elif not _SEPARATED.fullmatch(joined):
        yield joined if plain.isdigit() else plain
