"""Texts as the check of claims reads them: sentences and the clauses that say something by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from ragtester.models.embedded.claim_parts import LEAST, Part, part
from ragtester.models.embedded.claim_verbs import CUT, OWN_START, verb
from ragtester.models.embedded.claim_words import CONDITION, SPEAKS_TO_CHECKER, excluding
from ragtester.models.embedded.tables import rows
from ragtester.text.quantities import quantities
from ragtester.text.sentences import sentence_spans
from ragtester.text.stems import stem
from ragtester.text.words import words


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
