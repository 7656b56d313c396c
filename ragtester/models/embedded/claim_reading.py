"""Texts as the check of claims reads them: sentences and the clauses that say something by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

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
from ragtester.text.sentences import sentence_spans
from ragtester.text.stems import stem
from ragtester.text.words import words

_CUT = re.compile(
    r"[;；，]\s*|,?\s+(?:while|whereas|but|yet|während|aber|jedoch|sondern|tandis que|mais|mientras que|pero|mentre|"
    r"maar|terwijl|но|а)\s+|(?P<soft>,\s+|,?\s+(?:and|und|et|y|e|en|и)\s+)",
    re.I,
)
_OWN_START = re.compile(
    r"\s*(?:the|a|an|in|on|at|for|it|they|he|she|its|their|this|that|these|if|when|der|die|das|dem|den|ein|eine|im|bei|"
    r"für|es|sie|er|wenn|le|la|les|l'|un|une|il|elle|dans|el|los|las|una|en|lo|gli|de|het|een|o|os|as|um|uma|в|на)\b",
    re.I,
)
_VERBISH = re.compile(
    r"\b(?:is|are|was|were|has|have|had|must|may|can|should|will|needs?|runs?|takes?|costs?|starts?|stops?|lapses?|"
    r"ist|sind|war|waren|hat|haben|darf|dürfen|muss|müssen|kann|wird|werden|beträgt|gilt|gelten|kostet|reisen|"
    r"est|sont|était|a|ont|doit|peut|coûte|part|es|son|está|están|tiene|debe|puede|cuesta|è|sono|ha|costa|"
    r"zijn|heeft|kost|mag|moet|são|tem|custa)\b",
    re.I,
)
LEAST = 2


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

    @property
    def text(self) -> str:
        """As it stands."""
        return self.read.text

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Its own stems in order, without the pieces of identifiers and words that say no more than "is"."""
        coded = [piece for piece in self.text.lower().split() if any(char.isdigit() for char in piece)]
        weak = {
            stem
            for word, stem in self.read.stem_of.items()
            if word in WEAK or (self.read.codes and any(word in piece for piece in coded))
        }
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


@dataclass(frozen=True)
class Reading:
    """The sentences of a text and all their stems. Sentences that speak to a checker of claims are left out."""

    sentences: tuple[Sentence, ...]
    stems: frozenset[str]
    codes: frozenset[str]


@lru_cache(maxsize=1024)
def read_text(text: str, code: str) -> Reading:
    """Read a passage or a claim; cached, since passages come again and again."""
    spans = [text[start:end] for start, end in sentence_spans(text, code)]
    told = [one for one in spans if not one.startswith("|") and not SPEAKS_TO_CHECKER.search(one)]
    made = [*(_sentence(one, code) for one in told), *_rows(text, code)]
    found = tuple(one for one in made if one.whole.read.mass or one.whole.read.codes)
    every = frozenset[str]().union(*(one.whole.stems for one in found)) if found else frozenset()
    codes = frozenset[str]().union(*(one.whole.read.codes for one in found)) if found else frozenset()
    return Reading(found, every, codes)


def _rows(text: str, code: str) -> Iterator[Sentence]:
    """A table's rows as sentences; each cell with its row's label and its column's head is a clause."""
    for row in rows(text, code):
        label = row.cells[0]
        cells = [f"{label}, {head}: {cell}" for head, cell in zip(row.heads[1:], row.cells[1:], strict=True)]
        told = "; ".join([label, *(f"{head}: {cell}" for head, cell in zip(row.heads[1:], row.cells[1:], strict=True))])
        yield Sentence(part(told, code), tuple(part(cell, code) for cell in cells))


def _sentence(text: str, code: str) -> Sentence:
    whole = part(text, code)
    pieces = _pieces(text, code)
    if len(pieces) < 2:
        return Sentence(whole, (whole,))
    made: list[Part] = []
    for piece, joined in pieces:
        lead = frozenset[str]()
        if joined and made and not _OWN_START.match(piece):
            lead = _lead(made[-1])
        made.append(part(piece, code, lead))
    return Sentence(whole, tuple(made))


def _pieces(text: str, code: str) -> list[tuple[str, bool]]:
    """Clauses, each with whether it goes on with the clause before. A comma or "and" parts two only if both tell."""
    found: list[tuple[str, bool]] = []
    start, goes_on = 0, False
    values = [(one.start, one.end) for one in statement_of(text, code).quantities]
    for cut in _CUT.finditer(text):
        left, right = text[start : cut.start()], text[cut.end() :]
        if any(begin < cut.end() and cut.start() < end for begin, end in values):
            continue
        soft = cut["soft"] is not None
        if soft and not (_tells(left, values, start, cut.start()) and _tells(right, values, cut.end(), len(text))):
            continue
        if not words(left) or not words(right) or CONDITION.match(left.strip()) or CONDITION.match(right.strip()):
            continue
        found.append((left, goes_on))
        start, goes_on = cut.end(), soft
    return [*found, (text[start:], goes_on)]


def _tells(text: str, values: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a side of a cut has a verb, or a value and a word of its own."""
    if len(words(text)) < LEAST:
        return False
    valued = any(start <= begin and stop <= end for begin, stop in values)
    return bool(_VERBISH.search(text)) or (valued and len(words(text)) > LEAST)


def _lead(before: Part) -> frozenset[str]:
    """What a clause that goes on takes over: the stems before the verb or the first value of the clause before."""
    text = before.text
    ends = [one.start for one in before.read.quantities[:1]]
    ends += [match.start() for match in [_VERBISH.search(text)] if match]
    head = set(words(text[: min(ends)])) if ends else set(words(text)[:3])
    return frozenset(stem for word, stem in before.read.stem_of.items() if word in head)


def part(text: str, code: str, lead: frozenset[str] = frozenset()) -> Part:
    """Read one sentence or clause."""
    read = statement_of(text, code)
    capitals = {stem(one, code) for word in text.split() if word.strip("\"'([“„«")[:1].isupper() for one in words(word)}
    read = replace(read, names=read.names & capitals)
    folded = fold(text)
    plain = LIMITING.sub(" ", folded)
    said = words(plain)
    denying = negators(code)
    denies = any(one in denying or one.endswith("n't") for one in said)
    denies = denies or bool(NEGATING_SIGNS.search(plain))
    conditions, conditional = _conditions(text, read, code)
    return Part(
        read,
        frozenset(read.stems) | lead,
        denies != bool(FORBIDDING.search(plain)),
        _without(read.sequence, code),
        conditions,
        conditional,
        any(COMPARING.search(text[max(0, one.start - 20) : one.start]) for one in read.quantities),
        _groups(read.sequence, code),
    )


def _conditions(text: str, read: Statement, code: str) -> tuple[frozenset[str], bool]:
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
        if word in known:
            found.setdefault(known[word], set()).add(word)
    return {number: frozenset(members) for number, members in found.items()}
