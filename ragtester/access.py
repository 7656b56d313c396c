"""Who may see which document, and which documents a filter lets through.

A tag is `key:value` or a bare word, without white space. A user may see a document when, for every key among the
document's tags, the user has one of the document's tags of that key: `tenant:acme` and `role:support` are both needed,
of `role:support` and `role:admin` either is enough. A document without tags may be seen by everybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Protocol

from ragtester.records import Document
from ragtester.text.globs import matches

_TAG = re.compile(r"[^\s:]+(?::\S+)?")
Filters = Mapping[str, str | tuple[str, ...]]
# Stands among the filters of a trace, with the user's tags, where access rules keep documents from that user.
ACCESS = "access"
OWN_KEY = "fixture"
"""The key of the tags by which no adversarial fixture sees another's documents; they are of no rule."""


def is_fixture(tags: Iterable[str]) -> bool:
    """Whether tags are those of an adversarial fixture's document."""
    return any(tag.partition(":")[0] == OWN_KEY for tag in tags)


class Rule(Protocol):
    """Tags of the documents that a pattern of paths names."""

    @property
    def path(self) -> str:
        """The pattern, as `text.globs` has it."""

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags."""


def tags(values: Iterable[str]) -> tuple[str, ...]:
    """Tags in their order, each once. Raises ValueError for one that is none."""
    found = sorted(set(values))
    for tag in found:
        if not _TAG.fullmatch(tag) or not tag.isprintable():
            raise ValueError(f"{tag!a} is no tag; write key:value or a word, without white space")
    return tuple(found)


def tags_of(path: str, rules: Iterable[Rule]) -> tuple[str, ...]:
    """Tags of the document at `path`: those of all rules that name it, together."""
    return tags(tag for rule in rules if matches(path, rule.path) for tag in rule.tags)


def tags_of_user(document: Document, given: tuple[str, ...] | None) -> tuple[str, ...]:
    """Tags of the user who asks about a document: those that are given, else the document's own."""
    return document.tags if given is None else given


def may_see(document_tags: Iterable[str], user_tags: Iterable[str]) -> bool:
    """Whether a user with `user_tags` may see a document with `document_tags`."""
    has = set(user_tags)
    wanted: dict[str, bool] = {}
    for tag in document_tags:
        key = tag.partition(":")[0]
        wanted[key] = wanted.get(key, False) or tag in has
    return all(wanted.values())


def passes(document: Document, filters: Filters) -> bool:
    """Whether a document passes every filter; a filter with several values passes what has one of them.

    `path` takes patterns (see `text.globs`), `access` the tags of a user; the others are compared as they are.
    """
    return all(_passes(document, name, value) for name, value in filters.items())


def _passes(document: Document, name: str, value: str | tuple[str, ...]) -> bool:
    values = (value,) if isinstance(value, str) else value
    if name == "path":
        return any(matches(document.path, pattern) for pattern in values)
    if name == ACCESS:
        return may_see(document.tags, values)
    if name == "tag":
        return any(tag in values for tag in document.tags)
    return getattr(document, name) in values


def eligible(documents: Iterable[Document], user_tags: Iterable[str], filters: Filters) -> frozenset[str] | None:
    """Ids of the documents that a query may find; None where it may find all of them."""
    known, has = list(documents), tuple(user_tags)
    found = frozenset(one.id for one in known if may_see(one.tags, has) and passes(one, filters))
    return None if len(found) == len(known) else found
