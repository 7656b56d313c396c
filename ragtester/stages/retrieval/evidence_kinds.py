"""What kind of text a query's evidence stands in: prose, a table, code."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from ragtester.documents.section_kinds import kind_of
from ragtester.records import Case, Document

BLOCK = 2000
"""Characters: a longer block is cut at every multiple of it, so that texts without blank lines have few blocks too."""
SEVERAL = "several kinds"
_BLANK = re.compile(r"\n(?=\n)")


@dataclass
class EvidenceKinds:
    """Tells the kind of each block once, best document by document. `text` gives a document's text."""

    text: Callable[[Document], str]
    _document: str = ""
    _blank: list[int] = field(default_factory=list)
    _kinds: dict[tuple[str, int, int], str] = field(default_factory=dict)

    def of(self, document: Document | None, case: Case) -> str:
        """The kind of the blocks that the evidence stands in; empty without evidence, or without its document."""
        if document is None or not case.evidence:
            return ""
        kinds = {self.at(document, span.start, span.end) for span in case.evidence}
        return kinds.pop() if len(kinds) == 1 else SEVERAL

    def at(self, document: Document, start: int, end: int) -> str:
        """The kind of the block that a span stands in."""
        text = self.text(document)
        if self._document != document.id:
            self._document, self._blank = document.id, [found.start() for found in _BLANK.finditer(text)]
        first, last = self._block(start, end, len(text))
        key = (document.id, first, last)
        if key not in self._kinds:
            self._kinds[key] = kind_of(text[first:last], document.language)
        return self._kinds[key]

    def _block(self, start: int, end: int, length: int) -> tuple[int, int]:
        """From the blank line before a span to the one after it, or to a multiple of `BLOCK` where these are far."""
        place = bisect_right(self._blank, start - 2)
        before = self._blank[place - 1] + 2 if place else 0
        place = bisect_left(self._blank, end)
        after = self._blank[place] if place < len(self._blank) else length
        if start - before > BLOCK:
            before = start - start % BLOCK
        if after - end > BLOCK:
            after = end + -end % BLOCK
        return before, after
