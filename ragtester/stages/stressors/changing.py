"""Another version of a text: the same value everywhere gets the same other value, in the same writing.

A change is a function on groups of spots. What comes out reads as if it had been written so: numbers are as round as
they were, ranges stay in order, a date keeps its day of the week or gets the right one, an ordinal its ending, an
article its noun.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from ragtester.stages.stressors import moments
from ragtester.stages.stressors.amounts import decimals, in_words, like, nearby
from ragtester.stages.stressors.spots import Pair, Spot, Spots

# Values of one unit so near each other are read together: which of them is larger must stay as it is.
_TOGETHER = 120
_HUNDRED = Decimal(100)
# A room at 20 °C is not at 35 °C in another version.
_DEGREES = 8
# Units, and stems of nouns, of sizes that come in powers of two.
_BINARY = frozenset({"B", "bit", "byte", "bit/s", "px"})


@dataclass(frozen=True)
class Edit:
    """`text[start:end]` becomes `new`. `shown` is the whole value that is changed, with its unit."""

    start: int
    end: int
    new: str
    group: str = ""
    shown: Pair = (0, 0)


@dataclass(frozen=True)
class Changed:
    """The changed text. `moved` tells where a place of the old text is now."""

    text: str
    edits: tuple[Edit, ...] = ()

    def moved(self, place: int) -> int:
        """The new place of a place of the old text that no edit holds inside."""
        return place + sum(len(one.new) - (one.end - one.start) for one in self.edits if one.end <= place)

    def span(self, span: Pair) -> Pair:
        """A span of the old text in the new one, widened over what was changed at its ends."""
        start = min((one.start for one in self.edits if one.start < span[0] < one.end), default=span[0])
        end = max((one.end for one in self.edits if one.start < span[1] < one.end), default=span[1])
        return self.moved(start), self.moved(end)

    def says(self, edit: Edit) -> str:
        """A changed value with its unit, as the new text has it."""
        start, end = self.span(edit.shown)
        return " ".join(self.text[start:end].split())


def apply(text: str, edits: Iterable[Edit]) -> Changed:
    """Make all edits at once; of two that overlap the first stands."""
    kept: list[Edit] = []
    for one in sorted(edits, key=lambda one: (one.start, one.end)):
        if not kept or kept[-1].end <= one.start:
            kept.append(one)
    parts, done = [], 0
    for one in kept:
        parts += [text[done : one.start], one.new]
        done = one.end
    return Changed("".join([*parts, text[done:]]), tuple(kept))


@dataclass
class Changes:
    """Chooses other values for groups of a text, one after the other, in an order that the seed decides.

    `taken` are the edits so far, by group. No new value stands anywhere in the text, or in the `whole` document that it
    is a part of, or is given to two groups.
    """

    spots: Spots
    seed: object
    whole: Spots | None = None
    taken: dict[str, list[Edit]] = field(default_factory=dict)
    amounts: dict[str, Decimal] = field(default_factory=dict)

    @property
    def _all(self) -> Iterator[Spot]:
        yield from self.spots.spots
        yield from self.whole.spots if self.whole is not None else ()

    @cached_property
    def _held(self) -> set[tuple[str, Decimal]]:
        """Values in the text, and those that were given out."""
        return {(one.unit, abs(one.value)) for one in self._all}

    @cached_property
    def _written_amounts(self) -> dict[bool, set[Decimal]]:
        """Numbers that stand in the text without a unit or a noun (True), and with one."""
        found: dict[bool, set[Decimal]] = {True: set(), False: set()}
        for one in self._all:
            if one.kind in ("number", "word"):
                found[one.group.startswith("#:")].add(one.amount)
        return found

    def change(self, group: str) -> bool:
        """Give a group another value; whether there is one."""
        if group in self.taken:
            return True
        mine = self.spots.of(group)
        if not mine:
            return False
        kind = mine[0].kind
        if kind in ("number", "word"):
            return self._number(group, mine)
        found = moments.moved(self.spots, mine, self.seed, self._moments())
        if found is None:
            return False
        self.taken[group] = [Edit(start, end, new, group, shown) for start, end, new, shown in found[0]]
        self.amounts[group] = found[1]
        return True

    def _moments(self) -> dict[str, Decimal]:
        """Dates, times and years that were given out or stand elsewhere in the whole document."""
        spots = self.whole.spots if self.whole is not None else ()
        known = {one.group for one in self.spots.spots}
        elsewhere = {one.group: one.value for one in spots if one.group not in known}
        return {**elsewhere, **self.amounts}

    def add(self, group: str, edits: Sequence[Edit]) -> None:
        """Take in edits that were made elsewhere."""
        self.taken[group] = list(edits)

    def made(self) -> Changed:
        """The text with all changes."""
        return apply(self.spots.text, (one for edits in self.taken.values() for one in edits))

    def _number(self, group: str, mine: Sequence[Spot]) -> bool:
        first = next((one for one in mine if one.kind == "number"), mine[0])
        written = self.spots.text[first.start : first.end]
        places = 0 if first.kind == "word" else decimals(written, self.spots.language)
        if places is None:
            return False
        for amount in nearby(first.amount, places, self.seed, group, binary=first.unit in _BINARY):
            value = amount * first.factor + first.offset
            if not self._is_free(first, amount, value):
                continue
            edits = self._written(group, mine, value)
            if edits and self._in_order(mine, value):
                self.taken[group] = edits
                self.amounts[group] = value
                self._held.add((first.unit, abs(value)))
                return True
        return False

    def _is_free(self, first: Spot, amount: Decimal, value: Decimal) -> bool:
        if (first.unit, abs(value)) in self._held or amount in self._written_amounts[True]:
            return False
        if first.group.startswith("#:") and amount in self._written_amounts[False]:
            return False
        if first.unit == "°C" and abs(value - first.value) > _DEGREES:
            return False
        return not (first.unit == "%" and abs(value) > _HUNDRED >= abs(first.value))

    def _written(self, group: str, mine: Iterable[Spot], value: Decimal) -> list[Edit] | None:
        """The value at every spot, in its own unit and writing; None where one of them cannot say it."""
        edits = []
        for one in mine:
            amount = (value - one.offset) / one.factor
            old = self.spots.text[one.start : one.end]
            amount = round(amount, 10).normalize()
            new = (
                in_words(old, amount, self.spots.language)
                if one.kind == "word"
                else like(old, amount, self.spots.language)
            )
            if new is None:
                return None
            edits.append(Edit(one.start, one.end, new, group, one.shown))
        return edits

    def _in_order(self, mine: Iterable[Spot], value: Decimal) -> bool:
        """Whether values of the same unit nearby stay larger or smaller than this one."""
        for one in mine:
            for other in self.spots.spots:
                near = abs(other.start - one.start) <= _TOGETHER and other.unit == one.unit and other.group != one.group
                if near and other.kind in ("number", "word"):
                    now = self.amounts.get(other.group, other.value)
                    if (other.value < one.value) != (now < value):
                        return False
        return True


def with_articles(text: str, edits: Iterable[Edit]) -> list[Edit]:
    """The edits, and the English articles before them that have to change ("a technician", "an engineer")."""
    found = []
    for one in edits:
        before = text[max(0, one.start - 4) : one.start]
        if article := re.search(r"\b([Aa])(n?) $", before):
            new = article[1] + ("n" if one.new[:1].lower() in "aeiou" else "")
            if new != article[1] + article[2]:
                start = max(0, one.start - 4) + article.start()
                found.append(Edit(start, one.end, f"{new} {one.new}", one.group, (start, one.shown[1])))
                continue
        found.append(one)
    return found
