"""The four chunkers: how one text is cut into spans, before anything is stamped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ragtester.rag.chunk_cuts import Cutter
from ragtester.rag.chunk_repeats import without
from ragtester.rag.chunk_units import length_of
from ragtester.settings import IndexSettings
from ragtester.spans import Pair, merge
from ragtester.text.blocks import code_spans, outside, table_spans
from ragtester.text.headings import heading_spans, paragraphs
from ragtester.text.sentences import sentence_spans

# Characters of a paragraph that only says what comes ("Syntax:").
_ANNOUNCEMENT = 200


@dataclass(frozen=True)
class Cut:
    """A chunk to be. `core` is what of it is embedded, where that is not all of it."""

    start: int
    end: int
    core: Pair | None = None


@dataclass
class Source:
    """A text that is to be cut, and what stands in it.

    `marked` says that headings may bear Markdown's marks, `repeated` are the lines that are not embedded.
    """

    text: str
    language: str
    marked: bool
    index: IndexSettings
    repeated: Sequence[Pair] = ()
    whole: list[Pair] = field(init=False)

    def __post_init__(self) -> None:
        self.length = length_of(self.text, self.index.unit)
        wanted, headed = self.index.keep_whole, self.index.chunker in ("paragraph", "markdown")
        self.code = code_spans(self.text) if wanted or headed else []
        self.whole = [
            *(self.code if "code" in wanted else ()),
            *(table_spans(self.text, self.code) if "table" in wanted else ()),
        ]

    def cutter(self, overlap: int, glued: Iterable[Pair] = ()) -> Cutter:
        """What cuts this text, never inside a whole table or block of code, nor inside what is `glued` together."""
        return Cutter(self.text, self.length, self.index.chunk_size, overlap, [*self.whole, *glued])

    def headings(self) -> list[Pair]:
        """The headings, in order; a footer may look like one, and so may a row of a table that is kept whole."""
        found = heading_spans(self.text, self.code, marked=self.marked)
        return list(outside(outside(found, self.repeated), merge(self.whole)))

    def runs(self, spans: Iterable[Pair]) -> list[list[Pair]]:
        """The sorted spans, those together that have nothing between them."""
        found: list[list[Pair]] = []
        for start, end in spans:
            if found and not self.text[found[-1][-1][1] : start].strip():
                found[-1].append((start, end))
            else:
                found.append([(start, end)])
        return found

    def glue(self, headings: Iterable[Pair]) -> Iterator[Pair]:
        """From each heading, and each short paragraph with a colon at its end, to the first character that follows.

        So none of them ends a chunk. Of several in a row as many hold together as fill no more than half a chunk.
        """
        for run in self.runs(sorted({*headings, *self._announcements()})):
            follows = run[-1][1]
            while follows < len(self.text) and self.text[follows].isspace():
                follows += 1
            for start, _ in reversed(run):
                if follows < len(self.text) and self.length(start, follows) <= self.index.chunk_size // 2:
                    yield start, follows + 1
                else:
                    follows = start

    def _announcements(self) -> Iterator[Pair]:
        for start, end in paragraphs(self.text):
            if end - start <= _ANNOUNCEMENT and self.text[start:end].rstrip().endswith((":", "：")):
                yield start, _filled(self.text, start, end)


def recursive(source: Source) -> Iterator[Cut]:
    """The whole text by the splitter alone."""
    for start, end in source.cutter(source.index.chunk_overlap).cut(0, len(source.text)):
        yield Cut(start, end)


def by_paragraphs(source: Source) -> Iterator[Cut]:
    """Whole paragraphs, as many as fit; one that does not fit alone is cut. A heading goes with what it heads."""
    cutter = source.cutter(source.index.chunk_overlap, source.glue(source.headings()))
    ends = [end for _, end in paragraphs(source.text) if cutter.is_cuttable(end)]
    start = last = 0
    for end in ends:
        if last > start and not cutter.fits(start, _filled(source.text, last, end)):
            yield from _whole_or_cut(cutter, start, last)
            start = last
        last = end
    yield from _whole_or_cut(cutter, start, last)


def by_headings(source: Source) -> Iterator[Cut]:
    """What stands under one heading, cut where it is too long; never across a heading."""
    headings = source.headings()
    cutter = source.cutter(source.index.chunk_overlap, source.glue(headings))
    borders = [0, *(run[0][0] for run in source.runs(headings)), len(source.text)]
    for start, end in pairwise(borders):
        yield from _whole_or_cut(cutter, start, end)


def by_sentences(source: Source) -> Iterator[Cut]:
    """Each sentence with `window` sentences on either side, as many of them as fit."""
    cutter = source.cutter(overlap=0)
    cores: list[Pair] = []
    for start, end in _sentences(source):
        first = len(cores) == 1 and not _says_something(source, *cores[0])
        if cores and (first or not _says_something(source, start, end)):
            cores[-1] = (cores[-1][0], end)
        else:
            cores.append((start, end))
    pieces = [piece for start, end in cores for piece in _pieces(cutter, start, end)]
    for at, core in enumerate(pieces):
        left, right = _window(cutter, pieces, at, source.index.window)
        yield Cut(pieces[left][0], pieces[right][1], core)


CHUNKERS: dict[str, Callable[[Source], Iterator[Cut]]] = {
    "recursive": recursive,
    "paragraph": by_paragraphs,
    "markdown": by_headings,
    "sentence-window": by_sentences,
}


def _window(cutter: Cutter, pieces: Sequence[Pair], at: int, window: int) -> Pair:
    """The first and the last piece around one: at most `window` on either side, turn by turn, until none fits."""
    first = last = at
    grown = True
    while grown:
        grown = False
        if first > max(0, at - window) and cutter.fits(pieces[first - 1][0], pieces[last][1]):
            first, grown = first - 1, True
        if last < min(len(pieces) - 1, at + window) and cutter.fits(pieces[first][0], pieces[last + 1][1]):
            last, grown = last + 1, True
    return first, last


def _whole_or_cut(cutter: Cutter, start: int, end: int) -> Iterator[Cut]:
    """One chunk where it fits without the white space at its end."""
    if end > start and cutter.fits(start, _filled(cutter.text, start, end)):
        yield Cut(start, end)
    elif end > start:
        for piece in cutter.cut(start, end):
            yield Cut(*piece)


def _filled(text: str, start: int, end: int) -> int:
    """Where `text[start:end]` ends without the white space at its end."""
    return start + len(text[start:end].rstrip())


def _pieces(cutter: Cutter, start: int, end: int) -> list[Pair]:
    return [(start, end)] if cutter.fits(start, end) else cutter.cut(start, end)


def _sentences(source: Source) -> Iterator[Pair]:
    """Sentences, and among them what is kept whole."""
    at = 0
    for start, end in [*merge(source.whole), (len(source.text), len(source.text))]:
        for first, last in sentence_spans(source.text[at:start], source.language):
            yield at + first, at + last
        if end > start:
            yield start, end
        at = end


def _says_something(source: Source, start: int, end: int) -> bool:
    """Whether a sentence has a word outside repeated lines; "3." and a rule of dashes are no sentences."""
    return any(character.isalpha() for character in without(source.text, start, end, source.repeated))
