"""Texts as the check of claims reads them: sentences and the clauses that say something by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from ragtester.models.embedded.claim_cutting import subject_of
from ragtester.models.embedded.claim_gapping import participle_first, subject_first, value_first, with_units
from ragtester.models.embedded.claim_parts import LEAST, Part, part
from ragtester.models.embedded.claim_verbs import OWN_START, cut, verb
from ragtester.models.embedded.claim_words import CONDITION, SPEAKS_TO_CHECKER, excluding
from ragtester.models.embedded.tables import rows
from ragtester.text.quantities import quantities
from ragtester.text.sentences import sentence_spans
from ragtester.text.stems import stem
from ragtester.text.words import words


@dataclass(frozen=True)
class Sentence:
    """A sentence as a whole, and its clauses (the whole alone where there is but one). `row`: it is one of a table."""

    whole: Part
    clauses: tuple[Part, ...]
    row: bool = False


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
        label, pairs = row.cells[0], list(zip(row.heads[1:], row.cells[1:], strict=True))
        whole = part("; ".join([label, *(f"{head}: {cell}" for head, cell in pairs)]), code)
        measured = [f"{label}, {head}: {cell} {unit}" for head, cell in pairs if (unit := _unit_of(head, cell, code))]
        cells = [replace(part(one, code), cell=True) for one in measured]
        values = tuple(one for cell in cells for one in cell.read.quantities)
        whole = replace(whole, read=replace(whole.read, quantities=(*whole.read.quantities, *values)))
        plain = [replace(part(f"{label}, {head}: {cell}", code), cell=True) for head, cell in pairs]
        yield Sentence(whole, (*plain, *cells), row=True)


def _unit_of(head: str, cell: str, code: str) -> str:
    """The unit in which a column's head says that its bare numbers are: "2025, MWh", "Depth (m)"; "" without one."""
    last = "".join(head.rsplit(maxsplit=1)[-1:]).strip("()[],")
    bare = quantities(cell, code)
    if len(bare) != 1 or bare[0].unit or bare[0].kind != "number" or bare[0].end - bare[0].start != len(cell.strip()):
        return ""
    return last if any(one.unit for one in quantities(f"1 {last}", code)) else ""


def _sentence(text: str, code: str) -> Sentence:
    told = with_units(text, code)
    whole = part(text, code) if told == text else _with_values(part(text, code), told, code)
    found = pieces(told, code)
    if len(found) < 2:
        return Sentence(whole, (whole,))
    made: list[Part] = []
    for piece, joined in found:
        made.append(_clause(piece, made[-1] if joined and made else None, code))
    return Sentence(whole, tuple(made))


def _with_values(whole: Part, told: str, code: str) -> Part:
    """A sentence with the values that it has once its bare numbers have their units."""
    known = dict(zip(quantities(whole.text, code), quantities(told, code), strict=True))
    values = tuple(
        replace(known[one], start=one.start, end=one.end) if one in known else one for one in whole.read.quantities
    )
    return replace(whole, read=replace(whole.read, quantities=values))


def _clause(text: str, before: Part | None, code: str) -> Part:
    """A clause with what it shares with the one before put back: a subject, a verb, a unit; else their stems."""
    if before is None:
        return part(text, code)
    if verb(code).match(text) and (subject := subject_of(before.text, code)):
        return part(f"{subject} {text}", code)
    if opened := value_first(before.text, text, code) or participle_first(before.text, text):
        return part(opened.whole(text), code)
    if verb(code).search(text) or not quantities(text, code):
        return part(text, code, frozenset() if OWN_START.match(text) else _lead(before, code))
    opened = subject_first(before.text, text, code)
    return part(opened.whole(text) if opened else text, code, _before_value(before))


def pieces(text: str, code: str) -> list[tuple[str, bool]]:
    """Clauses, each with whether it goes on with the clause before. A comma or "and" parts two only if both tell."""
    found: list[tuple[str, bool]] = []
    start, goes_on = 0, False
    values = [(one.start, one.end) for one in quantities(text, code)]
    for place in cut(code, commas=True).finditer(text):
        left, right = text[start : place.start()], text[place.end() :]
        if any(begin < place.end() and place.start() < end for begin, end in values):
            continue
        soft = place["and"] is not None or place["comma"] is not None
        if soft and not (
            _tells(left, values, (start, place.start()), code) and _tells(right, values, (place.end(), len(text)), code)
        ):
            continue
        if soft and (
            _of_one_kind(left, right, code)
            or (place["and"] is not None and _of_two_values(left, right, values, (start, place.end())))
        ):
            continue
        if not words(left) or not words(right) or CONDITION.match(left.strip()) or CONDITION.match(right.strip()):
            continue
        found.append((left, goes_on))
        start, goes_on = place.end(), place["hard"] is None
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
    own = [(begin - span[0], stop - span[0]) for begin, stop in values if span[0] <= begin and stop <= span[1]]
    rest = "".join(text[stop:begin] for (_, stop), (begin, _) in pairwise([(0, 0), *own, (len(text), 0)]))
    return bool(verb(code).search(text)) or (bool(own and words(rest)) and len(words(text)) > LEAST)


def _lead(before: Part, code: str) -> frozenset[str]:
    """What a clause that goes on takes over: the stems before the verb or the first value of the clause before."""
    text = before.text
    ends = [one.start for one in before.read.quantities[:1]]
    ends += [match.start() for match in [verb(code).search(text)] if match]
    head = set(words(text[: min(ends)])) if ends else set(words(text)[:3])
    return frozenset(stem for word, stem in before.read.stem_of.items() if word in head)


def _before_value(before: Part) -> frozenset[str]:
    """The stems before the first value of a clause, which one that has no verb shares."""
    head = set(words(before.text[: before.read.quantities[0].start])) if before.read.quantities else set()
    return frozenset(stem for word, stem in before.read.stem_of.items() if word in head)
