"""The documents of a suite: found by the names that other tools give them, and searched for what was quoted from them.

A name is only compared, never opened. A context is found where it stands letter for letter, or up to white space; in
other words it is found only by the bar (0 to 100) that a user states.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ragtester.errors import DataError
from ragtester.provenance import sha256_text
from ragtester.records import Document, DocumentRow, UnreadableDocument
from ragtester.spans import Pair
from ragtester.storage import read_rows
from ragtester.text.page import Page
from ragtester.workspace import Workspace

# Documents made of contexts: this begins their ids, and is their format.
MADE = "imported"
TEXTS_IN_MEMORY = 30_000_000


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


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0] or path.rpartition("/")[2]
