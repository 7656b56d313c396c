"""What each case's user may find: the one place that the search and the keys of its rows take it from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ragtester.access import eligible, may_see
from ragtester.provenance import sha256_text
from ragtester.records import Case, Document
from ragtester.settings import Settings


@dataclass
class Reach:
    """Access rules and filters of a run, over the documents of its suite."""

    settings: Settings
    documents: Sequence[Document]
    _eligible: dict[tuple[str, ...], frozenset[str] | None] = field(default_factory=dict)
    _digests: dict[tuple[str, ...], str] = field(default_factory=dict)
    _restricted: dict[tuple[str, ...], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._own = {document.id: document for document in self.documents}

    def eligible(self, case: Case) -> frozenset[str] | None:
        """Ids of the documents that the case's query may find, None for all that its store holds.

        Where each document has a store of its own, that is its document or nothing.
        """
        found = self._of(case.user_tags)
        if found is None or self.settings.execute.index.scope == "corpus":
            return found
        return None if case.document_id in found else frozenset()

    def hidden(self, case: Case) -> bool:
        """Whether the case's user may not see its document."""
        own = self._own.get(case.document_id)
        return own is not None and not may_see(own.tags, case.user_tags)

    def restricted(self, case: Case) -> bool:
        """Whether access rules, whatever the filters, keep something from the case's user that its store holds."""
        if self.settings.execute.index.scope == "document":
            return self.hidden(case)
        if case.user_tags not in self._restricted:
            self._restricted[case.user_tags] = eligible(self.documents, case.user_tags, {}) is not None
        return self._restricted[case.user_tags]

    def identity(self, case: Case) -> list[str | bool]:
        """What of all this its row depends on: nothing where all may be found.

        Documents that this user may see all the same may change their tags without a change here.
        """
        found = self.eligible(case)
        return [] if found is None else [self._digest(case.user_tags, found), self.hidden(case)]

    def _of(self, user_tags: tuple[str, ...]) -> frozenset[str] | None:
        if user_tags not in self._eligible:
            filters = self.settings.execute.retrieval.filters
            self._eligible[user_tags] = eligible(self.documents, user_tags, filters)
        return self._eligible[user_tags]

    def _digest(self, user_tags: tuple[str, ...], found: frozenset[str]) -> str:
        if not found:
            return ""
        if user_tags not in self._digests:
            self._digests[user_tags] = sha256_text("\n".join(sorted(found)))
        return self._digests[user_tags]
