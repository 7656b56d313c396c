"""How far a sentence or clause speaks of what a claim says: stems, like words, values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ragtester.models.embedded.claim_reading import Part
from ragtester.models.embedded.claim_words import alike, opposites
from ragtester.text.quantities import Quantity, same_quantity

SAME_STEM, LIKE, NEAR = 1.0, 0.9, 0.8
"""Credit of a stem for itself, for a word that says about the same, and for one that is near it as word vectors have it."""
FAR = 0.5
"""Cosine of two words' vectors from which they are near."""
ELSEWHERE, BEFORE = 0.8, 0.6
"""Credit of a stem that only stands before the sentence in its passage: for support, and for what is spoken of."""
SAME = 0.6
"""Share of a claim's words, names apart, from which a clause speaks of the same thing and can contradict it."""
QUANTITY = 2.0
MONTH_SECONDS = 86400 * 30.4375
CLOSE = 0.05
"""Months against days: equal to a twentieth."""


@dataclass(frozen=True)
class Match:
    """How much of a claim a text holds by itself (`own`) and with what stands before it (`cover`), 0 to 1.

    `values` are the claim's that it does not hold.
    """

    cover: float
    own: float
    values: tuple[Quantity, ...]

    @property
    def whole(self) -> bool:
        """Whether no value is missing."""
        return not self.values


def match(claim: Part, there: Part, code: str, before: frozenset[str]) -> Match:
    """How far a text covers a claim; stems that only stand `before` it in its passage count for less."""
    own = [likeness(one, there.stems, code) for one in claim.content]
    with_before = [
        max(credit, ELSEWHERE if one in before else 0.0) for one, credit in zip(claim.content, own, strict=True)
    ]
    held = there.read.quantities
    lost = tuple(one for one in claim.read.quantities if not any(same_value(one, other) for other in held))
    valued = QUANTITY * (len(claim.read.quantities) - len(lost))
    total = len(own) + QUANTITY * len(claim.read.quantities)
    if not total:
        return Match(0.0, 0.0, lost)
    return Match((sum(with_before) + valued) / total, (sum(own) + valued) / total, lost)


def closeness(claim: Part, there: Part, code: str) -> float:
    """Share of the claim's stems that a clause holds, less a little for what else it says."""
    if not claim.content:
        return 0.0
    opposed = opposites(code)
    shared = sum(
        max(likeness(one, there.stems, code), 1.0 if opposed.get(one, frozenset()) & there.stems else 0.0)
        for one in claim.content
    )
    extra = len(there.stems - frozenset(claim.content)) / max(1, len(there.stems))
    return shared / len(claim.content) - 0.1 * extra


def speaks(claim: Part, there: Part, code: str, before: frozenset[str]) -> bool:
    """Whether a clause is about what the claim is about: most of the claim's words, names apart, are its own or before."""
    opposed = opposites(code)
    wanted = [one for one in claim.content if one not in claim.read.names] or list(claim.content)
    own = [max(likeness(one, there.stems, code), bool(opposed.get(one, frozenset()) & there.stems)) for one in wanted]
    gained = sum(max(credit, BEFORE if one in before else 0.0) for one, credit in zip(wanted, own, strict=True))
    return bool(wanted) and any(own) and gained >= SAME * len(wanted)


def likeness(stem: str, held: frozenset[str], code: str) -> float:
    """Credit (0 to 1) of a stem in a set of stems."""
    if stem in held:
        return SAME_STEM
    if alike(code).get(stem, frozenset()) & held or any(_akin(stem, other) for other in held):
        return LIKE
    return NEAR if any(_nearness(*sorted((stem, other))) >= FAR for other in held) else 0.0


def _akin(one: str, other: str) -> bool:
    """Whether two stems are forms of one word: "replac" and "replacement", "zahl" and "bezahl"."""
    short, long = sorted((one, other), key=len)
    if len(short) < 4 or not short.isalpha() or not long.isalpha():
        return False
    return (long.startswith(short) and len(long) - len(short) <= 4) or (
        len(short) >= 5 and long.endswith(short) and len(long) - len(short) <= 2
    )


@lru_cache(maxsize=1 << 16)
def _nearness(one: str, other: str) -> float:
    """Cosine of two words' vectors."""
    from ragtester.models.embedded.vectors import embed_texts

    if not (one.isalpha() and other.isalpha()) or min(len(one), len(other)) < 3:
        return 0.0
    first, second = embed_texts([one, other])
    return float(first @ second)


def same_value(one: Quantity, other: Quantity) -> bool:
    """Whether two values are equal; months and days to a twentieth, a year alone as the date's year."""
    if same_quantity(one, other):
        return True
    if {one.unit, other.unit} == {"month", "s"}:
        months, seconds = (one, other) if one.unit == "month" else (other, one)
        wanted = float(months.value) * MONTH_SECONDS
        return abs(wanted - float(seconds.value)) <= CLOSE * max(wanted, 1.0)
    if (one.kind == "date") != (other.kind == "date"):
        date, bare = (one, other) if one.kind == "date" else (other, one)
        return not bare.unit and bare.kind == "number" and int(date.value) // 10000 == bare.value
    return False


def comparable(one: Quantity, other: Quantity) -> bool:
    """Whether two values measure the same: units of one dimension, or dates and years."""
    if "date" in (one.kind, other.kind):
        return _dated(one) and _dated(other)
    if {one.unit, other.unit} == {"month", "s"}:
        return True
    return one.unit == other.unit and (one.kind == "time") == (other.kind == "time")


def _dated(one: Quantity) -> bool:
    return one.kind == "date" or is_year(one)


def is_year(one: Quantity) -> bool:
    """Whether a bare number reads as a year."""
    return one.kind == "number" and not one.unit and 1400 <= one.value <= 2100 and one.value == int(one.value)
