"""Gold that a user brought: it replaces the gold chunks of the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ragtester.access import may_see
from ragtester.errors import DataError
from ragtester.records import Document
from ragtester.stages.retrieval.items import Item
from ragtester.stages.retrieval.naming import named
from ragtester.tables.cells import counted


@dataclass(frozen=True)
class GoldLabels:
    """Query or case id -> chunk id -> grade (1 to 100), as a file of labels gives them."""

    path: str
    grades: Mapping[str, Mapping[str, int]]


@dataclass
class Labelling:
    """Puts labels in the place of gold, and keeps account of those that fit nothing."""

    labels: GoldLabels
    documents: Mapping[str, Document]
    used: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)
    unknown: dict[str, None] = field(default_factory=dict)
    without: set[str] = field(default_factory=set)

    def apply(self, item: Item) -> Item:
        """The item with its labels; ids that the index does not hold are left out and counted.

        A query without labels has no gold. Another system's index is not here: its ids are taken as they are.
        """
        name = item.case.id
        wanted = self.labels.grades.get(name)
        if wanted is None:
            self.without.add(name)
            return replace(item, gold={})
        self.used.add(name)
        held = {one for one in wanted if not item.indexed or item.look_up(one) is not None}
        self.known |= held
        self.unknown |= dict.fromkeys(one for one in wanted if one not in held)
        gold = {one: grade for one, grade in wanted.items() if one in held}
        # The trace knows of the chunks that the evidence stands in, and of no others.
        hidden = dict.fromkeys((*item.trace.hidden_ids, *(one for one in gold if self._is_hidden(one, item))))
        return replace(item, gold=gold, trace=item.trace.model_copy(update={"hidden_ids": tuple(hidden)}))

    def _is_hidden(self, name: str, item: Item) -> bool:
        """Whether a chunk of our index is of a document that the query's user may not see."""
        document = self.documents.get(name.rsplit(":", 2)[0]) if item.indexed else None
        return document is not None and not may_see(document.tags, item.trace.user_tags)

    def notes(self) -> Sequence[str]:
        """One line for each kind of label or query that does not fit. Raises DataError where no label fits at all."""
        path, strangers = self.labels.path, [name for name in self.labels.grades if name not in self.used]
        if not self.known and self.unknown:
            raise DataError(
                f"{path}: none of its chunk ids is in the index ({len(self.unknown)}: {named(self.unknown)}); the "
                "labels are of another chunker or another text: label this index, or give its ids"
            )
        if not self.used and strangers:
            raise DataError(
                f"{path}: none of its query ids is among the queries ({len(strangers)}: {named(strangers)})"
            )
        lines = []
        if self.unknown:
            lines.append(f"{path}: not in the index: {counted(len(self.unknown), 'chunk id')} ({named(self.unknown)})")
        if strangers:
            told = counted(len(strangers), "query", "queries")
            lines.append(f"{path}: not audited: {told} of the labels ({named(strangers)})")
        if self.without:
            lines.append(
                f"{path}: without labels, and so without gold: {counted(len(self.without), 'query', 'queries')}"
            )
        return lines
