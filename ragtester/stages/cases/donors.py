"""Other documents that lend a section for a question that this document cannot answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from ragtester.records import Document, Section
from ragtester.stages.cases.duplicates import are_twins
from ragtester.stages.cases.plan import Candidate
from ragtester.stages.cases.selection import carries_facts, stable
from ragtester.text.languages import base

MOST_DONORS = 3
# More than the documents under way and their neighbours, so that each document is cut once.
CACHED_DOCUMENTS = 32


class Donors:
    """Knows every document of the corpus by its record and sketch; texts are read back and cut only when asked.

    A donor is in the same language (its question must be) and shares little text with the borrower. The nearest such
    documents of the corpus lend: they are cut for their own cases at about the same time, and a document that joins
    the corpus changes the loans of its neighbours alone.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        sketches: dict[str, bytes],
        cut: Callable[[Document], Sequence[Section]],
        seed: int,
    ) -> None:
        self._documents = documents
        self._sketches = sketches
        self._seed = seed
        self._cut = cut
        self._places = {document.id: place for place, document in enumerate(documents)}
        self._cached = lru_cache(maxsize=CACHED_DOCUMENTS)(self._cut_place)

    def document(self, document_id: str) -> Document:
        """The record of a document."""
        return self._documents[self._places[document_id]]

    def sections(self, document: Document) -> tuple[Section, ...]:
        """The sections of a document, cut once for all who need them."""
        return self._cached(self._places[document.id])

    def candidates(self, borrower: Document, wanted: int) -> list[Candidate]:
        """At least `wanted` sections of other documents where there are as many, each a candidate of its own."""
        chosen: list[Candidate] = []
        lenders = list(islice(self._lenders(borrower), MOST_DONORS))
        each = -(-wanted // max(1, len(lenders)))
        for lender in lenders:
            name = f"{self._seed}:{borrower.id}:{lender.id}"
            # Prose before lists and tables: its questions name their subject.
            sections = sorted(
                (section for section in self.sections(lender) if carries_facts(section)),
                key=lambda one: (one.kind != "prose", stable(f"{name}:{one.ordinal}")),
            )
            chosen.extend(Candidate(lender.id, (section,)) for section in sections[:each])
        return chosen

    def _lenders(self, borrower: Document) -> Iterator[Document]:
        """Fitting documents, the nearest in the corpus first."""
        place = self._places[borrower.id]
        own = self._sketches[borrower.id]
        for distance in range(1, len(self._documents)):
            for other in (place - distance, place + distance):
                if 0 <= other < len(self._documents):
                    lender = self._documents[other]
                    fits = base(lender.language) == base(borrower.language)
                    if fits and not are_twins(own, self._sketches[lender.id]):
                        yield lender

    def _cut_place(self, place: int) -> tuple[Section, ...]:
        return tuple(self._cut(self._documents[place]))
