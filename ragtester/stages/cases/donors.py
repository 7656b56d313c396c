"""Other documents that lend a section for a question that this document cannot answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from ragtester.records import Document, Section
from ragtester.stages.cases.duplicates import are_twins
from ragtester.stages.cases.plan import Candidate
from ragtester.stages.cases.selection import carries_facts, stable
from ragtester.text.languages import base

MOST_DONORS = 6
CACHED_DOCUMENTS = 16


class Donors:
    """Knows every document of the corpus by its record and sketch, and reads sections back only when asked.

    A donor is in the same language (its question must be) and shares little text with the borrower. Which documents
    lend to which is settled by hashes of their names, so that a new document changes few loans.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        sketches: dict[str, frozenset[int]],
        cut: Callable[[Document], Sequence[Section]],
        seed: int,
    ) -> None:
        self._documents = documents
        self._sketches = sketches
        self._seed = seed
        self._cut = lru_cache(maxsize=CACHED_DOCUMENTS)(lambda document: tuple(cut(document)))
        self._by_id = {document.id: document for document in documents}

    def document(self, document_id: str) -> Document:
        """The record of a document."""
        return self._by_id[document_id]

    def candidates(self, borrower: Document, wanted: int) -> list[Candidate]:
        """At least `wanted` sections of other documents where there are as many, each a candidate of its own."""
        chosen: list[Candidate] = []
        lenders = self._lenders(borrower)[:MOST_DONORS]
        each = -(-wanted // max(1, len(lenders)))
        for lender in lenders:
            sections = [section for section in self._cut(lender) if carries_facts(section)]
            # Prose before lists and tables: its questions name their subject.
            sections.sort(
                key=lambda one: (one.kind != "prose", stable(f"{self._seed}:{borrower.id}:{lender.id}:{one.ordinal}"))
            )
            chosen.extend(Candidate(lender.id, (section,)) for section in sections[:each])
        return chosen

    def _lenders(self, borrower: Document) -> list[Document]:
        own = self._sketches[borrower.id]
        others = [
            one
            for one in self._documents
            if one.id != borrower.id
            and base(one.language) == base(borrower.language)
            and not are_twins(own, self._sketches[one.id])
        ]
        return sorted(others, key=lambda one: stable(f"{self._seed}:{borrower.id}:{one.id}"))
