"""Reading a test suite: its documents, their texts and their cases, strictly and one document at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ragtester.errors import DataError, UsageError
from ragtester.provenance import sha256_text
from ragtester.records import Case, CaseRow, Document, DocumentRow, UnfilledCase
from ragtester.settings import Settings, if_absent
from ragtester.storage import MAX_FAULTS, iter_numbered, iter_rows
from ragtester.workspace import Workspace, slug

NOT_TECHNIQUES = ("texts",)


@dataclass(frozen=True)
class Share:
    """A document's cases in the suite's order, of all folders that are read; `asked` are the ids of those to execute.

    `rows` counts each folder's rows, unfilled ones too; `unfilled` counts those of the folders that are asked for.
    """

    document: Document
    cases: list[Case]
    asked: frozenset[str]
    rows: dict[str, int]
    unfilled: int


@dataclass
class Suite:
    """The suite that a run executes. `documents` are the readable ones, in the suite's order.

    `folders` are those of the techniques that are asked for, `others` those of techniques whose answers stand in the
    run beside them: their cases are read and checked, and not executed.
    """

    workspace: Workspace
    name: str
    documents: list[Document]
    folders: list[Path]
    others: list[Path] = field(default_factory=list)
    _faults: list[str] = field(default_factory=list)
    _seen: dict[str, str] = field(default_factory=dict)

    def text(self, document: Document) -> str:
        """A document's cleaned text; raises DataError where it is not the text that the offsets refer to."""
        path = self.workspace.text_file(self.name, document.id)
        try:
            text = path.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"{path}: the text of {document.id} cannot be read; make the cases again") from error
        if sha256_text(text) != document.text_sha256:
            raise DataError(f"{path}: not the text that {document.id}'s cases were made from; make the cases again")
        return text

    def techniques(self) -> list[Path]:
        """The folders of all techniques that the suite holds."""
        return technique_folders(self.workspace.suite(self.name))

    def cases(self, document: Document) -> list[Case]:
        """The document's cases that are asked for, in the suite's order; `check` has found no fault in them."""
        return list(self.iter_cases(document))

    def iter_cases(self, document: Document) -> Iterator[Case]:
        """The same, one at a time."""
        rows = (row for path in case_files(self.folders, document) for row in iter_rows(path, CaseRow))
        return (row for row in rows if isinstance(row, Case))

    def check(self) -> Iterator[Share]:
        """Every document with its cases, those of the other folders as well.

        Raises DataError after the last document, with every fault of the whole suite (file and line).
        """
        self._faults, self._seen = [], {}
        self._strangers()
        for document in self.documents:
            try:
                self.text(document)
            except DataError as error:
                self._faults.append(str(error))
            yield self._share(document)
        if self._faults:
            listed = self._faults[:MAX_FAULTS] + ["further faults not listed"] * (len(self._faults) > MAX_FAULTS)
            raise DataError(f"suite {self.name}: {len(self._faults)} fault(s) in its files", listed)

    def _share(self, document: Document) -> Share:
        cases: list[Case] = []
        asked: set[str] = set()
        counts: dict[str, int] = {}
        unfilled = 0
        for path in case_files(self._read(), document):
            rows = list(self._checked(path, document))
            good = [row for row in rows if isinstance(row, Case)]
            cases += good
            counts[path.parent.name] = len(rows)
            if path.parent in self.folders:
                asked |= {row.id for row in good}
                unfilled += len(rows) - len(good)
        return Share(document, cases, frozenset(asked), counts, unfilled)

    def _read(self) -> list[Path]:
        return sorted({*self.folders, *self.others})

    def _checked(self, path: Path, document: Document) -> Iterator[Case | UnfilledCase]:
        try:
            for number, row in iter_numbered(path, CaseRow):
                if fault := self._fault(row, document, f"{path}:{number}"):
                    self._faults.append(f"{path}:{number}: {fault}")
                else:
                    yield row
        except DataError as error:
            self._faults += error.faults

    def _fault(self, row: Case | UnfilledCase, document: Document, where: str) -> str:
        """What is wrong with a row, or an empty text."""
        if not row.id.strip():
            return "a case without an id"
        first = self._seen.setdefault(row.id, where)
        if first != where:
            return f"case id {row.id} stands already at {first}"
        if row.document_id != document.id:
            return f"case {row.id} belongs to {row.document_id}, not to {document.id}"
        return _case_fault(row, document) if isinstance(row, Case) else ""

    def _strangers(self) -> None:
        """Case files of documents that the suite does not list: their cases would be left out in silence."""
        names = [f"{document.id}.jsonl" for document in self.documents]
        known = set(names)
        self._faults += [f"documents.jsonl: {name[:-6]} stands twice" for name in known if names.count(name) > 1]
        for folder in self._read():
            for path in sorted(folder.glob("*.jsonl")):
                if path.name not in known:
                    self._faults.append(f"{path}: its document is not in documents.jsonl")


def case_files(folders: Iterable[Path], document: Document) -> list[Path]:
    """The document's case files in these folders, where there are any."""
    paths = (folder / f"{document.id}.jsonl" for folder in folders)
    return [path for path in paths if path.is_file()]


def technique_folders(folder: Path) -> list[Path]:
    """The folders of all techniques of a suite's folder."""
    return sorted(path for path in folder.iterdir() if path.is_dir() and path.name not in NOT_TECHNIQUES)


def _case_fault(case: Case, document: Document) -> str:
    if case.document_sha256 not in (document.sha256, document.text_sha256):
        return f"case {case.id} was made from another version of {document.id}; make the cases again"
    if not case.question.strip():
        return f"case {case.id} has no question"
    if case.type != "rejection" and any(span.end > document.characters for span in case.evidence):
        return f"case {case.id} has evidence beyond the end of {document.id}"
    return ""


def open_suite(workspace: Workspace, settings: Settings) -> Suite:
    """The suite that the settings name. Raises UsageError where there is nothing to execute."""
    name, technique = settings.workspace.suite, settings.execute.technique
    rows = list(iter_rows(workspace.documents_file(name), DocumentRow))
    documents = [row for row in rows if isinstance(row, Document)]
    if not documents:
        what = "no readable document" if rows else "no document"
        raise UsageError(
            f"{workspace.documents_file(name)}: {what}; make cases first (ragtester cases){if_absent(workspace.root)}"
        )
    folder = workspace.suite(name)
    folders = technique_folders(folder) if technique == "all" else [folder / slug(technique)]
    if not any(next(one.glob("*.jsonl"), None) for one in folders):
        raise UsageError(
            f"{folder}: no cases of technique {technique}; make them first (ragtester cases){if_absent(workspace.root)}"
        )
    return Suite(workspace, name, documents, folders)
