"""A sentence or clause as the check of claims reads it: what it says, denies, and under what condition."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from ragtester.models.embedded.claim_verbs import verb
from ragtester.models.embedded.claim_words import (
    COMPARING,
    CONDITION,
    FOCUS,
    FORBIDDING,
    LIMITING,
    WEAK,
    WITHOUT,
    excluding,
    negators,
)
from ragtester.models.embedded.judging_statements import Statement, statement_of
from ragtester.models.embedded.judging_words import NEGATING_SIGNS
from ragtester.text.languages import stop_words
from ragtester.text.normalise import fold
from ragtester.text.quantities import Quantity
from ragtester.text.stems import stem
from ragtester.text.words import words

LEAST = 2
"""So many words say something by themselves."""
_VERSION = re.compile(r"(?<![\w.])\d+(?:\.\d+){2,}(?![\w])")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
BACK, RANGE = 20, 12
"""Characters before a value in which its limit stands, and between the two ends of a range."""


@dataclass(frozen=True)
class Part:
    """A sentence or a clause of one.

    `read` has its stems, values, codes and names; `stems` also those that it takes over from the clause before
    ("the pump runs at 6 bar *and needs oil*"). `denied`: whether it denies; `denials`: by how many words. `without`:
    stems that it says are absent. `conditions`: stems of what it is subject to; `conditional`: how many marks of a
    condition it has. `limits`: whether a value in it is a limit ("more than three days"). `groups`: words that exclude
    others of their kind, by kind. `cell`: whether it is the cell of a table.
    """

    read: Statement
    stems: frozenset[str]
    denied: bool
    denials: int
    without: frozenset[str]
    conditions: frozenset[str]
    conditional: int
    limits: bool
    groups: dict[int, frozenset[str]]
    code: str
    cell: bool = False

    @property
    def text(self) -> str:
        """As it stands."""
        return self.read.text

    @cached_property
    def plain(self) -> str:
        """Its words, folded and spaced; empty where they are few."""
        said = words(self.text)
        return f" {' '.join(said)} " if len(said) > LEAST else ""

    @cached_property
    def unbracketed(self) -> str:
        """The same without what stands in brackets."""
        said = words(_BRACKETS.sub(" ", self.text)) if _BRACKETS.search(self.text) else []
        return f" {' '.join(said)} " if len(said) > LEAST else ""

    @cached_property
    def opening(self) -> tuple[str, ...]:
        """The content stems before its verb, where it has one and they are some: mostly its subject."""
        found_verb = verb(self.code).search(self.text)
        head = set(words(self.text[: found_verb.start()])) if found_verb else set()
        found = {stem for word, stem in self.read.stem_of.items() if word in head}
        return tuple(one for one in self.content if one in found)

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Its own stems in order, without the pieces of identifiers and words that say no more than "is"."""
        weak = {stem for word, stem in self.read.stem_of.items() if word in WEAK} | _code_words(self.read)
        return tuple(one for one in self.read.stems if one not in weak) or self.read.stems

    def join(self, other: Part) -> Part:
        """This part and the one after it as one."""
        read = replace(
            self.read,
            text=f"{self.text} {other.text}",
            stems=tuple(dict.fromkeys((*self.read.stems, *other.read.stems))),
            quantities=(*self.read.quantities, *other.read.quantities),
            codes=self.read.codes | other.read.codes,
            names=self.read.names | other.read.names,
        )
        return replace(self, read=read, stems=self.stems | other.stems)


def part(text: str, code: str, lead: frozenset[str] = frozenset()) -> Part:
    """Read one sentence or clause."""
    read = statement_of(text, code)
    capitals = {stem(one, code) for word in text.split() if word.strip("\"'([“„«")[:1].isupper() for one in words(word)}
    read = replace(read, codes=read.codes | _versions(read))
    read = replace(read, names=(read.names & capitals & frozenset(read.stems)) - _code_words(read))
    folded = fold(text)
    plain = LIMITING.sub(" ", folded)
    said = words(plain)
    denying = negators(code)
    denials = sum(one in denying or one.endswith("n't") for one in said) + len(NEGATING_SIGNS.findall(plain))
    conditions, conditional = _conditions(text, read)
    return Part(
        read,
        frozenset(read.stems) | lead,
        bool(denials) != bool(FORBIDDING.search(plain)),
        denials,
        _without(read.sequence, code),
        conditions,
        conditional,
        _limited(text, read.quantities),
        _groups(read.sequence, code),
        code,
    )


def _versions(read: Statement) -> frozenset[str]:
    """Numbers of three parts or more that are no date: "4.1.3"."""
    taken = [(one.start, one.end) for one in read.quantities if one.kind == "date"]
    found = [
        one for one in _VERSION.finditer(read.text) if not any(a < one.end() and one.start() < b for a, b in taken)
    ]
    return frozenset(one.group() for one in found)


def _code_words(read: Statement) -> frozenset[str]:
    """Stems of the pieces of identifiers ("SP-200" gives "sp")."""
    if not read.codes:
        return frozenset()
    pieces = [piece for piece in read.text.lower().split() if any(char.isdigit() for char in piece)]
    return frozenset(stem for word, stem in read.stem_of.items() if any(word in piece for piece in pieces))


def _limited(text: str, values: tuple[Quantity, ...]) -> bool:
    """Whether a value is a limit ("up to 5 euros"); the end of a range is none ("from 4 to 6 pm")."""
    ends = {two.start for one, two in pairwise(values) if two.start - one.end < RANGE}
    measured = [one for one in values if one.kind not in ("date", "time") and one.start not in ends]
    return any(COMPARING.search(text[max(0, one.start - BACK) : one.start]) for one in measured)


def _conditions(text: str, read: Statement) -> tuple[frozenset[str], int]:
    """The stems after the first mark of a condition, and how many there are."""
    if FOCUS.search(text):
        return frozenset(read.stems), len(CONDITION.findall(text))
    match = CONDITION.search(text)
    if match is None:
        return frozenset(), 0
    after = (
        set(words(text[match.end() :]))
        if match.start() or "," not in text
        else set(words(text[match.end() : text.index(",")] if text.find(",") > match.end() else text[match.end() :]))
    )
    return frozenset(stem for word, stem in read.stem_of.items() if word in after), len(CONDITION.findall(text))


def _without(sequence: tuple[str, ...], code: str) -> frozenset[str]:
    """The first content stem after each "without"."""
    dropped, found = stop_words(code), set()
    for place, word in enumerate(sequence):
        if word in WITHOUT:
            found.update([stem(one, code) for one in sequence[place + 1 : place + 4] if one not in dropped][:1])
    return frozenset(found)


def _groups(sequence: tuple[str, ...], code: str) -> dict[int, frozenset[str]]:
    known = excluding(code)
    found: dict[int, set[str]] = {}
    for word in sequence:
        if (own := stem(word, code)) in known:
            found.setdefault(known[own], set()).add(own)
    return {number: frozenset(members) for number, members in found.items()}
