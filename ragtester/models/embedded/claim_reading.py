"""Texts as the check of claims reads them: sentences and the clauses that say something by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise

from ragtester.models.embedded.claim_verbs import CUT, OWN_START, verb
from ragtester.models.embedded.claim_words import (
    COMPARING,
    CONDITION,
    FOCUS,
    FORBIDDING,
    LIMITING,
    SPEAKS_TO_CHECKER,
    WEAK,
    WITHOUT,
    excluding,
    negators,
)
from ragtester.models.embedded.judging_statements import Statement, statement_of
from ragtester.models.embedded.judging_words import NEGATING_SIGNS
from ragtester.models.embedded.tables import rows
from ragtester.text.languages import stop_words
from ragtester.text.normalise import fold
from ragtester.text.quantities import Quantity, quantities
from ragtester.text.sentences import sentence_spans
from ragtester.text.stems import stem
from ragtester.text.words import words

LEAST = 2
BACK, RANGE = 20, 12
"""Characters before a value in which its limit stands, and between the two ends of a range."""


@dataclass(frozen=True)
class Part:
    """A sentence or a clause of one.

    `read` has its stems, values, codes and names; `stems` also those that it takes over from the clause before
    ("the pump runs at 6 bar *and needs oil*"). `denied`: whether it denies. `without`: stems that it says are absent.
    `conditions`: stems of what it is subject to. `limits`: whether a value in it is a limit ("more than three days").
    `groups`: words that exclude others of their kind, by kind.
    """

    read: Statement
    stems: frozenset[str]
    denied: bool
    without: frozenset[str]
    conditions: frozenset[str]
    conditional: bool
    limits: bool
    groups: dict[int, frozenset[str]]
    code: str

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


@dataclass(frozen=True)
class Sentence:
    """A sentence as a whole, and its clauses (the whole alone where there is but one)."""

    whole: Part
    clauses: tuple[Part, ...]


@dataclass(frozen=True, eq=False)
class Reading:
    """The sentences of a text and all their stems, spellings, codes and names.

    Sentences that speak to a checker of claims are left out. `kin` is filled as claims are held against it.
    """

    sentences: tuple[Sentence, ...]
    stems: frozenset[str]
    codes: frozenset[str]
    names: frozenset[str]
    surfaces: dict[str, str]
    kin: dict[str, frozenset[str]] = field(default_factory=dict)


@lru_cache(maxsize=1024)
def read_passage(text: str, code: str) -> Reading:
    """Read a passage; cached apart from claims, since passages come again and again."""
    return _read(text, code)


@lru_cache(maxsize=128)
def read_text(text: str, code: str) -> Reading:
    """Read a claim or a question."""
    return _read(text, code)


def _read(text: str, code: str) -> Reading:
    spans = [text[start:end] for start, end in sentence_spans(text, code)]
    told = [one for one in spans if not one.startswith("|") and not SPEAKS_TO_CHECKER.search(one)]
    made = [*(_sentence(one, code) for one in told), *_rows(text, code)]
    found = tuple(one for one in made if one.whole.read.mass or one.whole.read.codes)
    wholes = [one.whole for one in found]
    return Reading(
        found,
        frozenset().union(*(one.stems for one in wholes)),
        frozenset().union(*(one.read.codes for one in wholes)),
        frozenset().union(*(one.read.names for one in wholes)),
        {stem: word for one in reversed(wholes) for stem, word in one.read.surfaces},
    )


def _rows(text: str, code: str) -> Iterator[Sentence]:
    """A table's rows as sentences; each cell with its row's label and its column's head is a clause."""
    for row in rows(text, code):
        label = row.cells[0]
        cells = [f"{label}, {head}: {cell}" for head, cell in zip(row.heads[1:], row.cells[1:], strict=True)]
        told = "; ".join(
            [
                label,
                *(f"{head}: {cell}" for head, cell in zip(row.heads[1:], row.cells[1:], strict=True)),
            ]
        )
        yield Sentence(part(told, code), tuple(part(cell, code) for cell in cells))


def _sentence(text: str, code: str) -> Sentence:
    whole = part(text, code)
    found = pieces(text, code)
    if len(found) < 2:
        return Sentence(whole, (whole,))
    made: list[Part] = []
    for piece, joined in found:
        lead = frozenset[str]()
        if joined and made and not OWN_START.match(piece):
            lead = _lead(made[-1], code)
        made.append(part(piece, code, lead))
    return Sentence(whole, tuple(made))


def pieces(text: str, code: str) -> list[tuple[str, bool]]:
    """Clauses, each with whether it goes on with the clause before. A comma or "and" parts two only if both tell."""
    found: list[tuple[str, bool]] = []
    start, goes_on = 0, False
    values = [(one.start, one.end) for one in quantities(text, code)]
    for cut in CUT.finditer(text):
        left, right = text[start : cut.start()], text[cut.end() :]
        if any(begin < cut.end() and cut.start() < end for begin, end in values):
            continue
        soft = cut["soft"] is not None
        if soft and not (
            _tells(left, values, (start, cut.start()), code) and _tells(right, values, (cut.end(), len(text)), code)
        ):
            continue
        joins = any(char.isalpha() for char in cut.group())
        if soft and (
            _of_one_kind(left, right, code) or (joins and _of_two_values(left, right, values, (start, cut.end())))
        ):
            continue
        if not words(left) or not words(right) or CONDITION.match(left.strip()) or CONDITION.match(right.strip()):
            continue
        found.append((left, goes_on))
        start, goes_on = cut.end(), soft
    return [*found, (text[start:], goes_on)]


def _of_one_kind(left: str, right: str, code: str) -> bool:
    """Whether a cut would part two weekdays, months or the like."""
    last, first = words(left)[-1:], words(right)[:1]
    known = excluding(code)
    kinds = {known.get(stem(word, code)) for word in (*last, *first)}
    return len(kinds) == 1 and None not in kinds


def _of_two_values(left: str, right: str, values: list[tuple[int, int]], starts: tuple[int, int]) -> bool:
    """Whether a cut would part two values that are told of the same thing: "28 April and 12 May"."""
    end, begin = starts[0] + len(left.rstrip()), starts[1] + len(right) - len(right.lstrip())
    return any(stop == end for _, stop in values) and any(start == begin for start, _ in values)


def _tells(text: str, values: list[tuple[int, int]], span: tuple[int, int], code: str) -> bool:
    """Whether a side of a cut has a verb, or a value and a word of its own."""
    if len(words(text)) < LEAST:
        return False
    valued = any(span[0] <= begin and stop <= span[1] for begin, stop in values)
    return bool(verb(code).search(text)) or (valued and len(words(text)) > LEAST)


def _lead(before: Part, code: str) -> frozenset[str]:
    """What a clause that goes on takes over: the stems before the verb or the first value of the clause before."""
    text = before.text
    ends = [one.start for one in before.read.quantities[:1]]
    ends += [match.start() for match in [verb(code).search(text)] if match]
    head = set(words(text[: min(ends)])) if ends else set(words(text)[:3])
    return frozenset(stem for word, stem in before.read.stem_of.items() if word in head)


def part(text: str, code: str, lead: frozenset[str] = frozenset()) -> Part:
    """Read one sentence or clause."""
    read = statement_of(text, code)
    capitals = {stem(one, code) for word in text.split() if word.strip("\"'([“„«")[:1].isupper() for one in words(word)}
    read = replace(read, names=(read.names & capitals & frozenset(read.stems)) - _code_words(read))
    folded = fold(text)
    plain = LIMITING.sub(" ", folded)
    said = words(plain)
    denying = negators(code)
    denies = any(one in denying or one.endswith("n't") for one in said)
    denies = denies or bool(NEGATING_SIGNS.search(plain))
    conditions, conditional = _conditions(text, read)
    return Part(
        read,
        frozenset(read.stems) | lead,
        denies != bool(FORBIDDING.search(plain)),
        _without(read.sequence, code),
        conditions,
        conditional,
        _limited(text, read.quantities),
        _groups(read.sequence, code),
        code,
    )


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


def _conditions(text: str, read: Statement) -> tuple[frozenset[str], bool]:
    """The stems after the first mark of a condition, and whether there is such a mark."""
    if FOCUS.search(text):
        return frozenset(read.stems), True
    match = CONDITION.search(text)
    if match is None:
        return frozenset(), False
    after = (
        set(words(text[match.end() :]))
        if match.start() or "," not in text
        else set(words(text[match.end() : text.index(",")] if text.find(",") > match.end() else text[match.end() :]))
    )
    return frozenset(stem for word, stem in read.stem_of.items() if word in after), True


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
