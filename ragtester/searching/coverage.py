"""What the chunks of one document hold of any pieces of it, whatever the cuts: the gold chunks and their grades."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragtester.rag.chunking import places
from ragtester.records import Chunk, Span
from ragtester.spans import Pair, Places, merge

# Without the document's text: what lies between two chunks is taken for the whitespace that chunkers drop up to this
# length, and for text that was lost beyond it.
LONGEST_GAP = 20


@dataclass(frozen=True)
class Held:
    """What a document's chunks hold of some spans, counted in characters that are not whitespace.

    `parts` are the pieces of the spans that each chunk holds, in document order; `characters` is their sum without
    repetition where all chunks are there, `total` that of the spans. `split` says that a span stands whole in no chunk.
    """

    coverage: Coverage
    parts: dict[str, list[Pair]]
    total: int
    split: bool

    def grades(self) -> dict[str, int]:
        """Each gold chunk's share of the spans' characters in percent, rounded, at least 1."""
        shares = {name: self.coverage.characters(parts) / self.total for name, parts in self.parts.items()}
        return {name: max(1, round(100 * share)) for name, share in shares.items() if share}

    def covered(self, ids: Iterable[str]) -> int:
        """How many of the `total` characters these chunks hold together."""
        return self.coverage.characters(merge(piece for name in ids for piece in self.parts.get(name, ())))


class Coverage:
    """The chunks of one document, sorted once so that each case only touches those that it needs.

    Give the document's `text`: chunkers drop whitespace, and only the text tells that from words that were lost.
    """

    def __init__(self, chunks: Sequence[Chunk], text: str = "") -> None:
        self._places = Places((*place, chunk.id) for chunk in chunks for place in places(chunk))
        self._text = text or _assembled(chunks)

    def held(self, spans: Iterable[Span]) -> Held:
        """What the chunks hold of these spans; whitespace at their ends does not count."""
        wanted = [span for span in map(self._trimmed, spans) if span[0] < span[1]]
        parts: dict[str, list[Pair]] = {}
        pieces = merge(wanted)
        for piece in pieces:
            for start, end, name in self._places.over(piece):
                parts.setdefault(name, []).append((max(start, piece[0]), min(end, piece[1])))
        return Held(
            coverage=self,
            parts={name: merge(found) for name, found in parts.items()},
            total=self.characters(pieces),
            split=not all(map(self._whole, wanted)),
        )

    def characters(self, pieces: Iterable[Pair]) -> int:
        """Characters of disjoint pieces, whitespace aside."""
        return sum(len("".join(self._text[start:end].split())) + self._beyond(start, end) for start, end in pieces)

    def _beyond(self, start: int, end: int) -> int:
        """Characters behind the last that is known."""
        return max(0, end - max(start, len(self._text)))

    def _whole(self, span: Pair) -> bool:
        return any(start <= span[0] and span[1] <= end for start, end, _ in self._places.over(span))

    def _trimmed(self, span: Span) -> Pair:
        text = self._text[span.start : span.end]
        end = span.end if self._beyond(span.start, span.end) else span.start + len(text.rstrip())
        return min(end, span.start + len(text) - len(text.lstrip())), end


def _assembled(chunks: Iterable[Chunk]) -> str:
    """A document as far as its chunks tell: "x" where a text is not known to be that of its place."""
    known: dict[Pair, str] = {}
    for chunk in chunks:
        for start, end in places(chunk):
            known[start, end] = chunk.text if len(chunk.text) == end - start else "x" * (end - start)
    text = ""
    for (start, _), body in sorted(known.items()):
        gap = max(0, start - len(text))
        text += (" " if gap <= LONGEST_GAP else "x") * gap
        text += body[len(text) - start :]
    return text
