"""How far a passage stands in another text, whatever the reader of either made of spaces, hyphens and columns."""

from __future__ import annotations

import re
from functools import lru_cache

from ragtester.text.normalise import fold
from ragtester.text.numbers import digits_to_ascii
from ragtester.text.stems import stems
from ragtester.text.words import words

_BROKEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\s*\n\s*(?=[^\W\d_])")
_TOKEN = re.compile(r"[^\W_]+(?:(?:(?<=\d)[.,](?=\d)|[-_/:])[^\W_]+)*")
_NOT_WORD = re.compile(r"[\W_]+")
# Raised digits are exponents or marks of notes, and each reader writes them in its own way.
_RAISED = str.maketrans(dict.fromkeys("⁰¹²³⁴⁵⁶⁷⁸⁹"))
_JOINTS = "-_/:"
# A shorter word stands inside others by chance.
_INSIDE = 4
# Below this, the best match is another passage.
_LIKE = 75
_MARGIN = 20
_BLOCK = 400


@lru_cache(maxsize=256)
def letters(text: str) -> str:
    """The folded letters and digits of a text, run together."""
    return _NOT_WORD.sub("", fold(text))


def likeness(passage: str, text: str) -> float:
    """How much of a passage a text holds, 0 to 100; 100 for a passage without letters and digits.

    The larger of two views. One is the best match of the letters in a row (`rapidfuzz.fuzz.partial_ratio`, for a long
    passage the mean over its blocks), which forgives spaces, hyphens and line ends. The other is the share of the
    passage's letters in words that the text has anywhere, which forgives another order of columns and cells. What the
    text is too short to hold counts as absent.
    """
    wanted, there = letters(passage), letters(text)
    if not wanted or wanted in there:
        return 100.0
    found, known = words(passage), set(words(_BROKEN.sub("", text)))
    present = sum(len(word) for word in found if word in known or (len(word) >= _INSIDE and letters(word) in there))
    return max(_in_a_row(wanted, there), 100.0 * present / max(1, sum(map(len, found))))


def _in_a_row(wanted: str, there: str) -> float:
    """0 to 100; linear in the length of `wanted`, where one match of it all is quadratic."""
    from rapidfuzz import fuzz

    score = sum(len(block) * fuzz.partial_ratio(block, there) for block in _blocks(wanted)) / len(wanted)
    return score * min(1.0, len(there) / len(wanted))


def _blocks(wanted: str) -> list[str]:
    """Pieces of about `_BLOCK` letters, none of them short."""
    count = max(1, len(wanted) // _BLOCK)
    size = -(-len(wanted) // count)
    return [wanted[start : start + size] for start in range(0, len(wanted), size)]


def nearest_part(passage: str, text: str) -> str:
    """The stretch of a text that is most like a passage, with a margin; the whole text where nothing in it is."""
    from rapidfuzz import fuzz

    wanted = letters(passage)
    there, places = _placed_letters(text)
    if not wanted or len(wanted) >= len(there):
        return text
    blocks = _blocks(wanted)
    first, last = (fuzz.partial_ratio_alignment(block, there, score_cutoff=_LIKE) for block in (blocks[0], blocks[-1]))
    if first is None or last is None or last.dest_end <= first.dest_start:
        return text
    return text[max(0, places[first.dest_start] - _MARGIN) : places[last.dest_end - 1] + 1 + _MARGIN]


@lru_cache(maxsize=16)
def _placed_letters(text: str) -> tuple[str, list[int]]:
    """The letters and digits of a text, run together, and where each stands."""
    found = [
        (part, place)
        for place, character in enumerate(text)
        for part in (character.lower() if character.isascii() else fold(character))
        if part.isalnum()
    ]
    return "".join(part for part, _ in found), [place for _, place in found]


@lru_cache(maxsize=64)
def _plain(text: str) -> str:
    return digits_to_ascii(fold(text.translate(_RAISED)))


def values(text: str) -> tuple[str, ...]:
    """The numbers and codes of a text, folded, each once: "24", "1.5", "e-204", "din912"; without raised digits."""
    found = (token for token in _TOKEN.findall(_plain(text)) if any(map(str.isdigit, token)))
    return tuple(dict.fromkeys(found))


def has_value(value: str, text: str, *, glued: bool = False) -> bool:
    """Whether a text has a value of `values` as a value of its own, and not inside a longer one.

    With `glued` it may stand inside a longer one, as where a reader runs the cells of a table together.
    """
    before, after = ("", "") if glued else (_start(value), _end(value))
    return bool(re.search(before + _spaced(value) + after, _plain(text)))


def _spaced(value: str) -> str:
    """Characters may be parted by a space and joints may be absent; a decimal mark may be parted, not absent."""
    pattern = ""
    for mark in value:
        if mark in _JOINTS:
            pattern += r"[\s\-_/:]{0,3}"
        elif mark in ".,":
            pattern += rf"\s?{re.escape(mark)}\s?"
        else:
            pattern += (r"\s?" if pattern and not pattern.endswith(("?", "}")) else "") + re.escape(mark)
    return pattern


def _start(value: str) -> str:
    return r"(?<!\d)(?<!\d[.,])" if value[0].isdigit() else r"(?<![^\W_])"


def _end(value: str) -> str:
    return r"(?!\d)(?![.,]\d)" if value[-1].isdigit() else r"(?![^\W_])"


def says_the_same(passage: str, evidence: str, about: str, language: str, threshold: float) -> float | None:
    """How alike (0 to 100) a passage holds the evidence where it says the same of `about`; None where it does not.

    Alike is not the same: of the words and values of `about` (a question and its answer), the passage must have all
    that the evidence has.
    """
    wanted = letters(evidence)
    alike = _in_a_row(wanted, letters(passage)) if wanted else 0.0
    if alike < threshold:
        return None
    needed = set(stems(about, language)) & set(stems(evidence, language))
    if not needed <= set(stems(passage, language)):
        return None
    shared = (value for value in values(about) if has_value(value, evidence))
    return alike if all(has_value(value, passage) for value in shared) else None
