"""The texts that a target says it answered from: found in the documents of the suite, and kept as chunks of the run."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ragtester.provenance import sha256_text
from ragtester.rag.chunking import content_hash
from ragtester.records import EVIDENCE_CHUNK, TARGET_CHUNK, Case, Chunk, Document, Span
from ragtester.searching.suite import Suite
from ragtester.spans import Pair, overlap, pages_of
from ragtester.tasks import Returned
from ragtester.text.likeness import has_value, letters, likeness, values
from ragtester.text.page import Page

TEXTS_IN_MEMORY = 30_000_000
# In characters: a larger suite is not searched by likeness beyond the case's own and the named document.
NEAR_EVERYWHERE = 500_000
# In letters: shorter evidence stands in other texts by chance.
LEAST = 20
# Characters by which a likely place may be off at either end.
MARGIN = 10
NOWHERE: Pair = (0, 0)


@dataclass(frozen=True)
class Seen:
    """A returned text as a chunk; `near` says that it was found by likeness, `lost` that it stands in no document."""

    returned: Returned
    chunk: Chunk
    near: bool = False
    lost: bool = False


@dataclass
class Texts:
    """The texts of a suite's documents, ready to be searched; the last few stay in memory.

    `match` (0 to 100) is how alike two texts are that are taken for the same.
    """

    suite: Suite
    match: float
    _pages: OrderedDict[str, Page] = field(default_factory=OrderedDict)
    _anywhere: dict[str, tuple[str, Pair] | None] = field(default_factory=dict)
    _near: dict[tuple[str, str], Pair | None] = field(default_factory=dict)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.documents = {one.id: one for one in self.suite.documents}
        self._size = sum(one.characters for one in self.suite.documents)

    def page(self, document: Document) -> Page:
        """A document's text. Raises DataError where it is not the text of the suite any more."""
        with self._turn:
            if document.id not in self._pages:
                self._pages[document.id] = Page(self.suite.text(document))
            self._pages.move_to_end(document.id)
            page = self._pages[document.id]
            while len(self._pages) > 1 and sum(len(one.text) for one in self._pages.values()) > TEXTS_IN_MEMORY:
                self._pages.popitem(last=False)
            return page

    def see(self, case: Case, returned: Sequence[Returned]) -> list[Seen]:
        """Each text with its place: in the document that the target names first, then in the case's, then in any.

        A text that stands nowhere and holds evidence of the case stands for the place of that evidence.
        """
        return [self._seen(case, one) for one in returned]

    def evidence(self, document: Document, spans: Iterable[Span]) -> list[Chunk]:
        """A chunk for each evidence span: it stands for the gold where no returned text holds it."""
        text = self.page(document).text
        return [
            _row(document, text[span.start : span.end], (span.start, span.end), EVIDENCE_CHUNK)
            for span in dict.fromkeys(spans)
        ]

    def _seen(self, case: Case, returned: Returned) -> Seen:
        own, named = self.documents.get(case.document_id), self._named(returned.document)
        first = list(dict.fromkeys(one for one in (named, own) if one is not None))
        if returned.text.strip():
            if found := self._found(case, returned.text, first):
                document, span, near = found
                return Seen(returned, _row(document, returned.text, span), near=near)
            if own and (spans := self._holds(own, case, returned.text)):
                return Seen(returned, _row(own, returned.text, spans[0], also=spans[1:]), near=True)
        home = named or own
        return Seen(returned, _row(home, returned.text, NOWHERE, name=case.document_id), lost=True)

    def _found(self, case: Case, text: str, first: Sequence[Document]) -> tuple[Document, Pair, bool] | None:
        """Where a text stands, and whether only by likeness: as it is in the `first` documents, as it is anywhere, and
        then by likeness."""
        for document in first:
            if found := self.page(document).find(text):
                return document, found[0], False
        if anywhere := self._as_it_is(text):
            return self.documents[anywhere[0]], anywhere[1], False
        for document in first if self._size > NEAR_EVERYWHERE else (*first, *self.suite.documents):
            if span := self._alike(document, case, text):
                return document, span, True
        return None

    def _as_it_is(self, text: str) -> tuple[str, Pair] | None:
        """The first document of the suite that has a text, and where; looked for once, whoever it was returned to."""
        digest = sha256_text(text)
        if digest not in self._anywhere:
            hits = ((one.id, hit[0]) for one in self.suite.documents if (hit := self.page(one).find(text)) is not None)
            self._anywhere[digest] = next(hits, None)
        return self._anywhere[digest]

    def _alike(self, document: Document, case: Case, text: str) -> Pair | None:
        page, place = self.page(document), (sha256_text(text), document.id)
        if place not in self._near:
            found = page.find(text, self.match)
            self._near[place] = found[0] if found else None
        if (span := self._near[place]) is None:
            return None
        start, end = span
        # Alike is not the same: a clause with another number in it is another clause.
        if not _says_all(page.text[max(0, start - MARGIN) : end + MARGIN], text):
            return None
        evidence = case.evidence if document.id == case.document_id else ()
        pieces = (page.text[max(start, one.start) : min(end, one.end)] for one in evidence)
        return (start, end) if all(_says_all(text, piece) for piece in pieces) else None

    def _holds(self, own: Document, case: Case, text: str) -> list[Pair]:
        """Places of the evidence that the text holds in its own words."""
        page = self.page(own)
        pieces = [((one.start, one.end), page.text[one.start : one.end]) for one in case.evidence]
        return [
            place
            for place, piece in pieces
            if len(letters(piece)) >= LEAST and likeness(piece, text) >= self.match and _says_all(text, piece)
        ]

    def _named(self, name: str) -> Document | None:
        """The document that a target means: by its id or path, or the end of its path, where only one fits."""
        wanted = name.replace("\\", "/").strip().strip("/")
        if not wanted:
            return None
        if wanted in self.documents:
            return self.documents[wanted]
        last = PurePosixPath(wanted).name
        fits = [one for one in self.documents.values() if one.path == wanted]
        fits = fits or [one for one in self.documents.values() if PurePosixPath(one.path).name == last]
        fits = fits or [one for one in self.documents.values() if PurePosixPath(one.path).stem == last]
        return fits[0] if len(fits) == 1 else None


def gold_of(case: Case, seen: Iterable[Seen], evidence: Sequence[Chunk]) -> tuple[str, ...]:
    """The case's gold: returned chunks over its evidence, and for evidence that none of them holds its own chunk."""
    if case.type == "rejection":
        return ()
    found = [one.chunk for one in seen if one.chunk.document_id == case.document_id]
    gold: list[str] = []
    for own in evidence:
        place = (own.start, own.end)
        over = [one.id for one in found if any(overlap(place, other) for other in _spans(one))]
        gold += over or [own.id]
    return tuple(dict.fromkeys(gold))


def _spans(chunk: Chunk) -> list[Pair]:
    return [(chunk.start, chunk.end), *((one.start, one.end) for one in chunk.also)]


def _says_all(text: str, other: str) -> bool:
    """Whether a text has all numbers and codes of another."""
    return all(has_value(value, text, glued=True) for value in values(other))


def _row(
    document: Document | None,
    text: str,
    span: Pair,
    chunker: str = TARGET_CHUNK,
    *,
    also: Sequence[Pair] = (),
    name: str = "",
) -> Chunk:
    """The row of a text. Its id tells two kinds apart that have the same words; the ordinal is where it begins."""
    identity = document.id if document else name
    hashed = content_hash(text if chunker == TARGET_CHUNK else f"{chunker}\n{text}")
    return Chunk(
        id=f"{identity}:{hashed}:{span[0]}",
        document_id=identity,
        ordinal=span[0],
        start=span[0],
        end=span[1],
        pages=pages_of(span[0], span[1], document.page_starts) if document and span[1] > span[0] else (),
        text=text,
        also=tuple(Span(start=one[0], end=one[1]) for one in also),
        chunker=chunker,
        sha256=sha256_text(text),
    )
