"""A long text in which passages are looked for: as they are, up to white space, or by likeness."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property

Pair = tuple[int, int]
# Characters by which a passage is first recognised.
KEY = 16
_WORD = re.compile(r"\S+")


class Page:
    """A text to search for `contexts`, all of which are met in one pass over it."""

    def __init__(self, text: str, contexts: Iterable[str] = ()) -> None:
        self.text = text
        self._wanted = {" ".join(context.split())[:KEY] for context in contexts}

    def find(self, context: str, bar: float = 0) -> tuple[Pair, str, bool] | None:
        """Span, how it was found ("exact", "spaces" or "near"), and whether it stands there more than once."""
        wanted = " ".join(context.split())
        if not wanted:
            return None
        joined, _, _ = self._words
        places = [at for at in self._starts(wanted) if joined.startswith(wanted, at)]
        if not places:
            return self._near(wanted, bar) if bar else None
        start, end = self._span(places[0], places[0] + len(wanted))
        how = "exact" if self.text[start:end] == context.strip() else "spaces"
        return (start, end), how, len(places) > 1

    def _starts(self, wanted: str) -> Sequence[int]:
        """Where the words might begin."""
        if len(wanted) >= KEY and wanted[:KEY] in self._wanted:
            return self._keys.get(wanted[:KEY], ())
        joined, _, _ = self._words
        found = [joined.find(wanted)]
        while found[-1] >= 0 and len(found) < 3:
            found.append(joined.find(wanted, found[-1] + 1))
        return found[:-1] if found[-1] < 0 else found

    @cached_property
    def _keys(self) -> dict[str, list[int]]:
        """Every place where one of the contexts' first characters stand."""
        joined, _, _ = self._words
        found: dict[str, list[int]] = {}
        for at in range(len(joined) - KEY + 1):
            key = joined[at : at + KEY]
            if key in self._wanted:
                found.setdefault(key, []).append(at)
        return found

    def _near(self, wanted: str, bar: float) -> tuple[Pair, str, bool] | None:
        from rapidfuzz.fuzz import partial_ratio_alignment

        joined, _, _ = self._words
        if len(wanted) > len(joined):
            return None
        best = partial_ratio_alignment(wanted, joined, score_cutoff=bar)
        if best is None or best.score < bar or best.dest_end <= best.dest_start:
            return None
        return self._span(best.dest_start, best.dest_end), "near", False

    @cached_property
    def _words(self) -> tuple[str, array[int], array[int]]:
        """The words with one space between them, and where each begins there and in the text."""
        words, here, there = [], array("L"), array("L")
        at = 0
        for match in _WORD.finditer(self.text):
            words.append(match[0])
            here.append(at)
            there.append(match.start())
            at += len(match[0]) + 1
        return " ".join(words), here, there

    def _span(self, start: int, end: int) -> Pair:
        """A span of the joined words as a span of the text; a space at its edge belongs to no word."""
        joined, here, there = self._words
        while start < end and joined[start] == " ":
            start += 1
        while end > start and joined[end - 1] == " ":
            end -= 1
        first = bisect_right(here, start) - 1
        last = bisect_right(here, max(start, end - 1)) - 1
        return there[first] + start - here[first], there[last] + end - here[last]
