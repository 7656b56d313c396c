"""The documents of a suite: found by the names that other tools give them, and searched for what was quoted from them.

A name is only compared, never opened. A context is found where it stands letter for letter, or up to white space; in
other words it is found only by the bar (0 to 100) that a user states.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ragtester.errors import DataError
from ragtester.provenance import sha256_text
from ragtester.records import Document, DocumentRow, UnreadableDocument
from ragtester.spans import Pair
from ragtester.storage import read_rows
from ragtester.workspace import Workspace

# Documents made of contexts: this begins their ids, and is their format.
MADE = "imported"
TEXTS_IN_MEMORY = 30_000_000
# Characters by which a context is first recognised.
KEY = 16
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Hit:
    """Where a context stands. `often` says that it stands there more than once; the first place is taken."""

    document_id: str
    span: Pair
    how: str
    often: bool = False


class Shelf:
    """The readable documents of a suite, and every row of its documents.jsonl."""

    def __init__(self, workspace: Workspace, suite: str, technique: str) -> None:
        """Documents that were made for `technique` alone are left out: they are made again with its cases."""
        self.workspace, self.suite = workspace, suite
        rows: list[Document | UnreadableDocument] = read_rows(workspace.documents_file(suite), DocumentRow)
        self._texts: OrderedDict[str, str] = OrderedDict()
        self.own = [row for row in rows if isinstance(row, Document) and self._only(row, technique)]
        self.rows = [row for row in rows if row not in self.own]
        self.documents = {row.id: row for row in self.rows if isinstance(row, Document)}

    def _only(self, document: Document, technique: str) -> bool:
        """Whether a document was made of contexts and no other technique has cases of it."""
        if document.format != MADE:
            return False
        files = self.workspace.suite(self.suite).glob(f"*/{document.id}.jsonl")
        return all(path.parent.name == technique for path in files)

    def named(self, name: str) -> list[Document]:
        """Documents of that name: by id or path, else by the path's end, the file's name, its name without ending."""
        wanted = name.replace("\\", "/").strip().strip("/")
        base = wanted.rpartition("/")[2]
        tests: tuple[Callable[[Document], bool], ...] = (
            lambda one: wanted in (one.id, one.path),
            lambda one: one.path.endswith(f"/{wanted}") or wanted.endswith(f"/{one.path}"),
            lambda one: one.path.rpartition("/")[2] == base,
            lambda one: _stem(one.path) == _stem(wanted),
        )
        for test in tests if wanted else ():
            if found := [one for one in self.documents.values() if test(one)]:
                return found
        return []

    def text(self, document: Document) -> str:
        """The text that offsets refer to. Raises DataError where it is not that text any more."""
        if document.id not in self._texts:
            self._texts[document.id] = self._read(document)
        self._texts.move_to_end(document.id)
        text = self._texts[document.id]
        while len(self._texts) > 1 and sum(map(len, self._texts.values())) > TEXTS_IN_MEMORY:
            self._texts.popitem(last=False)
        return text

    def _read(self, document: Document) -> str:
        path = self.workspace.text_file(self.suite, document.id)
        try:
            text = path.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"{path}: the text of {document.id} cannot be read; make the cases again") from error
        if sha256_text(text) != document.text_sha256:
            raise DataError(f"{path}: not the text that documents.jsonl speaks of; make the cases again")
        return text

    def search(self, wanted: Mapping[str, Iterable[str]], anywhere: Iterable[str], bar: float) -> dict[str, list[Hit]]:
        """Places of contexts: those in `wanted` in the document of that id, those in `anywhere` in every document.

        A context that is found nowhere is not in the result. Likeness is only tried for what stands nowhere as it is.
        """
        everywhere = list(dict.fromkeys(anywhere))
        found = self._pass(wanted, everywhere, 0)
        if bar:
            missing = {name: [one for one in some if not _in(found, one, name)] for name, some in wanted.items()}
            near = self._pass(missing, [one for one in everywhere if one not in found], bar)
            for context, hits in near.items():
                found.setdefault(context, []).extend(hits)
        return found

    def _pass(self, wanted: Mapping[str, Iterable[str]], everywhere: list[str], bar: float) -> dict[str, list[Hit]]:
        """Search each document once."""
        found: dict[str, list[Hit]] = {}
        for document in self.documents.values():
            contexts = list(dict.fromkeys((*wanted.get(document.id, ()), *everywhere)))
            if not contexts:
                continue
            page = Page(self.text(document), contexts)
            for context in contexts:
                if hit := page.find(context, bar):
                    span, how, often = hit
                    found.setdefault(context, []).append(Hit(document.id, span, how, often))
        return found


def _in(found: Mapping[str, list[Hit]], context: str, document_id: str) -> bool:
    return any(hit.document_id == document_id for hit in found.get(context, []))


class Page:
    """A text to search for `contexts`, all of which are met in one pass over it."""

    def __init__(self, text: str, contexts: Iterable[str] = ()) -> None:
        self.text = text
        self._wanted = {" ".join(context.split())[:KEY] for context in contexts}

    def find(self, context: str, bar: float = 0) -> tuple[Pair, str, bool] | None:
        """Span, how it was found ("exact", "spaces" or "near"), and whether it stands there more than once."""
        wanted = " ".join(context.split())
        if not wanted:
            return None
        joined, _, _ = self._words
        places = [at for at in self._starts(wanted) if joined.startswith(wanted, at)]
        if not places:
            return self._near(wanted, bar) if bar else None
        start, end = self._span(places[0], places[0] + len(wanted))
        how = "exact" if self.text[start:end] == context.strip() else "spaces"
        return (start, end), how, len(places) > 1

    def _starts(self, wanted: str) -> Sequence[int]:
        """Where the words might begin."""
        if len(wanted) >= KEY and wanted[:KEY] in self._wanted:
            return self._keys.get(wanted[:KEY], ())
        joined, _, _ = self._words
        found = [joined.find(wanted)]
        while found[-1] >= 0 and len(found) < 3:
            found.append(joined.find(wanted, found[-1] + 1))
        return found[:-1] if found[-1] < 0 else found

    @cached_property
    def _keys(self) -> dict[str, list[int]]:
        """Every place where one of the contexts' first characters stand."""
        joined, _, _ = self._words
        found: dict[str, list[int]] = {}
        for at in range(len(joined) - KEY + 1):
            key = joined[at : at + KEY]
            if key in self._wanted:
                found.setdefault(key, []).append(at)
        return found

    def _near(self, wanted: str, bar: float) -> tuple[Pair, str, bool] | None:
        from rapidfuzz.fuzz import partial_ratio_alignment

        joined, _, _ = self._words
        if len(wanted) > len(joined):
            return None
        best = partial_ratio_alignment(wanted, joined, score_cutoff=bar)
        if best is None or best.score < bar or best.dest_end <= best.dest_start:
            return None
        return self._span(best.dest_start, best.dest_end), "near", False

    @cached_property
    def _words(self) -> tuple[str, array[int], array[int]]:
        """The words with one space between them, and where each begins there and in the text."""
        words, here, there = [], array("L"), array("L")
        at = 0
        for match in _WORD.finditer(self.text):
            words.append(match[0])
            here.append(at)
            there.append(match.start())
            at += len(match[0]) + 1
        return " ".join(words), here, there

    def _span(self, start: int, end: int) -> Pair:
        """A span of the joined words as a span of the text; a space at its edge belongs to no word."""
        joined, here, there = self._words
        while start < end and joined[start] == " ":
            start += 1
        while end > start and joined[end - 1] == " ":
            end -= 1
        first = bisect_right(here, start) - 1
        last = bisect_right(here, max(start, end - 1)) - 1
        return there[first] + start - here[first], there[last] + end - here[last]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0] or path.rpartition("/")[2]
