"""Which document an item is asked of, and where in it its contexts stand; a document is made where none is known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ragtester.access import Rule, tags_of
from ragtester.documents.language import detect
from ragtester.interchange.items import Account, Item
from ragtester.interchange.shelf import MADE, Hit, Shelf
from ragtester.provenance import sha256_text
from ragtester.records import Document
from ragtester.spans import Pair
from ragtester.workspace import slug

_HARMLESS = re.compile(r"[\w][\w .()-]*(?:/[\w][\w .()-]*)*")


@dataclass(frozen=True)
class Place:
    """The document of an item, and the spans of those contexts that were found in it."""

    document: Document
    spans: tuple[Pair, ...] = ()


@dataclass
class Made:
    """A document that is made of contexts, each of which stands in it once."""

    id: str
    path: str
    parts: list[str] = field(default_factory=list)
    spans: dict[str, Pair] = field(default_factory=dict)
    length: int = 0

    def add(self, context: str) -> Pair:
        """The span of a context, which is appended where it is new."""
        if context not in self.spans:
            start = self.length + (2 if self.parts else 0)
            self.parts.append(context)
            self.length = start + len(context)
            self.spans[context] = (start, self.length)
        return self.spans[context]

    @cached_property
    def text(self) -> str:
        """The contexts with an empty line between them, once all are there."""
        return "\n\n".join(self.parts)

    def document(self, language: str) -> Document:
        """Its record; `language` "auto" finds it out."""
        text = self.text
        digest = sha256_text(text)
        return Document(
            id=self.id,
            path=self.path,
            source="manual",
            format=MADE,
            sha256=digest,
            text_sha256=digest,
            language=detect(text) if language == "auto" else language,
            characters=len(text),
        )


@dataclass
class Placing:
    """Finds places for items. `made` are the new documents, by id, complete once `places` has returned."""

    shelf: Shelf
    account: Account
    technique: str
    default: str = ""
    bar: float = 0
    language: str = "auto"
    seed: str = ""
    rules: Sequence[Rule] = ()
    made: dict[str, Made] = field(default_factory=dict)

    def places(self, items: Sequence[Item]) -> list[Place | None]:
        """A place for each item, None where it has none; why is in the account."""
        known = [self._named(item) for item in items]
        verified = [self._verified(item, one) for item, one in zip(items, known, strict=True)]
        hits = self._search(items, known, verified)
        drafts: list[tuple[str, tuple[Pair, ...]] | None] = []
        for item, document, spans in zip(items, known, verified, strict=True):
            if document is not None and spans is not None:
                drafts.append((document.id, spans))
            else:
                drafts.append(self._placed(item, document, hits))
        new = {name: self.document(made) for name, made in self.made.items()}
        documents = {**self.shelf.documents, **new}
        return [None if draft is None else Place(documents[draft[0]], draft[1]) for draft in drafts]

    def document(self, made: Made) -> Document:
        """The record of a document that was made, with the tags that the access rules give it."""
        record = made.document(self.language)
        return record.model_copy(update={"tags": tags_of(record.path, self.rules)})

    def text(self, document: Document) -> str:
        """The text of a document, known or made."""
        made = self.made.get(document.id)
        return made.text if made else self.shelf.text(document)

    def _named(self, item: Item) -> Document | None:
        name = item.document or self.default
        found = self.shelf.named(name)
        if len(found) > 1:
            self.account.note("a document's name fits more than one document of the suite; its contexts decide")
        return found[0] if len(found) == 1 else None

    def _verified(self, item: Item, document: Document | None) -> tuple[Pair, ...] | None:
        """Spans that the file itself gives, where the document's text agrees with them."""
        spans = tuple((span.start, span.end) for span in item.own.evidence if span.end > span.start)
        if document is None or not spans:
            return () if document is not None and not item.contexts else None
        text = self.shelf.text(document)
        agrees = (
            [text[start:end] for start, end in spans] == list(item.contexts)
            if item.contexts
            else all(end <= len(text) for _, end in spans)
        )
        if not agrees:
            self.account.note("spans of evidence do not fit the document's text; the contexts are looked for instead")
        return spans if agrees else None if item.contexts else ()

    def _search(
        self, items: Sequence[Item], known: Sequence[Document | None], verified: Sequence[tuple[Pair, ...] | None]
    ) -> dict[str, list[Hit]]:
        wanted: dict[str, list[str]] = {}
        anywhere: list[str] = []
        for item, document, spans in zip(items, known, verified, strict=True):
            if spans is None:
                (anywhere if document is None else wanted.setdefault(document.id, [])).extend(item.contexts)
        return self.shelf.search(wanted, anywhere, self.bar)

    def _placed(
        self, item: Item, document: Document | None, hits: dict[str, list[Hit]]
    ) -> tuple[str, tuple[Pair, ...]] | None:
        found = [hits.get(context, []) for context in item.contexts]
        name = document.id if document else _first(found)
        if not name:
            return self._make(item)
        spans = []
        for one in found:
            here = next((hit for hit in one if hit.document_id == name), None)
            if here is None:
                self.account.note(
                    "a context stands in another document than the rest of its case; it is no evidence"
                    if one and not document
                    else "a context was not found in its document; it is no evidence"
                )
                continue
            spans.append(here.span)
            if here.how != "exact":
                how = "up to white space" if here.how == "spaces" else f"by likeness of at least {self.bar:g}"
                self.account.note(f"a context was found {how}")
            if here.often:
                self.account.note("a context stands more than once in its document; the first place is taken")
        return name, tuple(dict.fromkeys(spans))

    def _make(self, item: Item) -> tuple[str, tuple[Pair, ...]] | None:
        if not item.contexts:
            told = "its document is not in the suite" if item.document or self.default else "no document is named"
            self.account.skip(item.where, f"{told}, and there are no contexts to make one of (--document NAME)")
            return None
        name = item.document or self.default
        stem = name.replace("\\", "/").rpartition("/")[2]
        identity = slug("-".join(part for part in (MADE, self.technique, stem) if part))
        if identity in self.shelf.documents:
            # Another technique's cases stand on the document of that name: it must stay as it is.
            identity = slug(f"{identity}-{self.seed}")
        if name and identity not in self.made:
            self.account.note(f"the suite does not know {name[:80]!a}: a document is made of its contexts")
        elif not name:
            self.account.note("no document is named or found: one is made of the contexts")
        path = name if _HARMLESS.fullmatch(name) and len(name) <= 200 else f"{identity}.txt"
        made = self.made.setdefault(identity, Made(identity, path))
        return identity, tuple(dict.fromkeys(made.add(context) for context in item.contexts))


def _first(found: Sequence[list[Hit]]) -> str:
    """The document that holds most of the contexts; the first of the suite where it is a tie."""
    votes: dict[str, int] = {}
    for one in found:
        for hit in one:
            votes[hit.document_id] = votes.get(hit.document_id, 0) + 1
    return max(votes, key=lambda name: votes[name], default="")
