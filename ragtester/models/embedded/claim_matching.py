"""How far a sentence or clause speaks of what a claim says: stems, like words, values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ragtester.models.embedded.claim_parts import Part
from ragtester.models.embedded.claim_reading import Reading
from ragtester.models.embedded.claim_values import missing
from ragtester.models.embedded.claim_words import alike, excluding, opposites
from ragtester.models.embedded.judging_cover import cosines, word_vectors
from ragtester.models.embedded.vectors import embed_texts
from ragtester.text.quantities import Quantity

LIKE = 0.85
"""Credit of a word that says about the same as the claim's, or a form of it."""
FAR = 0.5
"""Cosine of two words' vectors from which they say about the same."""
ELSEWHERE, BEFORE = 0.8, 0.6
"""Credit of a stem that only stands before the sentence in its passage: for support, and for what is spoken of."""
SAME = 0.6
"""Share of a claim's words, names apart, from which a clause speaks of the same thing and can contradict it."""
ASKED = 0.4
"""The same where the words are those of a question."""
QUANTITY = 2.0


@dataclass(frozen=True, eq=False)
class Claim:
    """A sentence or clause of a claim beside one passage.

    `topic` are the stems of its question with their spellings where the claim is a fragment ("23 kg").
    """

    part: Part
    passage: Reading
    code: str
    topic: tuple[tuple[str, str], ...] = ()

    @cached_property
    def about(self) -> tuple[str, ...]:
        """Its stems, and those of the question that it answers where it is a fragment."""
        return tuple(dict.fromkeys((*self.part.content, *(one for one, _ in self.topic))))

    @cached_property
    def kin(self) -> dict[str, frozenset[str]]:
        """By stem: those of the passage that are like it."""
        spelled = dict(self.topic) | dict(self.part.read.surfaces)
        return {one: _kindred(one, spelled.get(one, one), self.passage, self.code) for one in self.about}

    @cached_property
    def relevant(self) -> frozenset[str]:
        """Stems of the passage that are one of its own, like one, or the opposite of one."""
        opposed = opposites(self.code)
        every = frozenset(self.about)
        return every.union(*self.kin.values(), *(opposed.get(one, frozenset()) for one in every))

    def touches(self, there: Part) -> frozenset[str]:
        """The stems of a text that bear on the claim."""
        return there.stems & self.relevant

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its own stems."""
        return frozenset(self.part.read.stems)

    def credit(self, stem: str, held: frozenset[str]) -> float:
        """How far (0 to 1) a set of stems of the passage has one of the claim's."""
        if stem in held:
            return 1.0
        return LIKE if self.kin.get(stem, frozenset()) & held else 0.0

    def opposed(self, stem: str, held: frozenset[str]) -> bool:
        """Whether the set has a stem that says the opposite."""
        return bool(opposites(self.code).get(stem, frozenset()) & held)


def _kindred(stem: str, word: str, passage: Reading, code: str) -> frozenset[str]:
    if stem not in passage.kin:
        like = alike(code).get(stem, frozenset())
        found = {one for one in passage.stems if one in like or _akin(stem, one)}
        kinds = excluding(code)
        unlike = {one for one in passage.stems if one in kinds and kinds[one] == kinds.get(stem)}
        unlike |= opposites(code).get(stem, frozenset()) | {stem}
        passage.kin[stem] = frozenset((found | _near(word, passage)) - unlike)
    return passage.kin[stem]


def _akin(one: str, other: str) -> bool:
    """Whether two stems are forms of one word: "replac" and "replacement", "zahl" and "bezahl"."""
    short, long = sorted((one, other), key=len)
    if len(short) < 4 or not short.isalpha() or not long.isalpha():
        return False
    return (
        long == f"ge{short}"
        or (long.startswith(short) and len(long) - len(short) <= 4)
        or (len(short) >= 5 and long.endswith(short) and len(long) - len(short) <= 2)
    )


def _near(word: str, passage: Reading) -> set[str]:
    """Stems of the passage whose words are near a word as word vectors have it."""
    known = [(one, spelled) for one, spelled in passage.surfaces.items() if spelled.isalpha() and len(spelled) > 2]
    if not known or not word.isalpha() or len(word) < 3:
        return set()
    rows = word_vectors([word, *(spelled for _, spelled in known)], embed_texts)
    near = cosines(rows[:1], rows[1:])[0]
    return {one for (one, _), cosine in zip(known, near, strict=True) if cosine >= FAR}


@dataclass(frozen=True)
class Match:
    """How much of a claim a text holds by itself (`own`) and with what stands before it (`cover`), 0 to 1.

    `values` are the claim's that it does not hold.
    """

    cover: float
    own: float
    values: tuple[Quantity, ...]


def match(claim: Claim, there: Part, before: frozenset[str]) -> Match:
    """How far a text covers a claim; stems that only stand `before` it in its passage count for less."""
    content, values = claim.part.content, claim.part.read.quantities
    own = [claim.credit(one, there.stems) for one in content]
    with_before = [max(credit, ELSEWHERE if one in before else 0.0) for one, credit in zip(content, own, strict=True)]
    lost = missing(values, there.read.quantities)
    valued = QUANTITY * (len(values) - len(lost))
    total = len(own) + QUANTITY * len(values)
    return Match((sum(with_before) + valued) / total, (sum(own) + valued) / total, lost) if total else Match(0, 0, lost)


def closeness(claim: Claim, there: Part) -> float:
    """Share of the claim's stems that a clause holds, or has the opposite of, less a little for what else it says."""
    if not claim.about:
        return 0.0
    extra = len(there.stems - claim.stems) / max(1, len(there.stems))
    return sum(_held(claim, one, there) for one in claim.about) / len(claim.about) - 0.1 * extra


def nearest(claim: Claim, parts: Sequence[Part]) -> Part:
    """The part that is closest to the claim; where two are as close, the one with its codes, then with its values."""
    read = claim.part.read

    def near(one: Part) -> tuple[float, int, int]:
        lost = missing(read.quantities, one.read.quantities)
        return closeness(claim, one), len(read.codes & one.read.codes), -len(lost)

    return max(parts, key=near)


def speaks(claim: Claim, there: Part, before: frozenset[str]) -> bool:
    """Whether a clause is about what the claim is about.

    It holds most of the claim's words, names apart, or they stand before it, and one of the words that the claim
    opens with. Less is asked where most of the words are a question's.
    """
    wanted = [one for one in claim.about if one not in claim.part.read.names] or list(claim.about)
    own = [_held(claim, one, there) for one in wanted]
    gained = [max(credit, BEFORE if one in before else 0.0) for one, credit in zip(wanted, own, strict=True)]
    opening = [] if claim.topic else [max(claim.credit(one, there.stems), one in before) for one in claim.part.opening]
    least = ASKED if claim.topic or there.cell else SAME
    return any(own) and sum(gained) >= least * len(wanted) and (not opening or any(opening))


def _held(claim: Claim, stem: str, there: Part) -> float:
    return max(claim.credit(stem, there.stems), float(claim.opposed(stem, there.stems)))
