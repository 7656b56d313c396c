"""Evidence held against its source: the Markdown of a written document, the second reader of a PDF, or the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ragtester.documents.formats import decode
from ragtester.documents.garbage import garbled_share
from ragtester.documents.isolation import read_source
from ragtester.documents.library import CorpusFile, find_files
from ragtester.documents.source_text import WHOLE
from ragtester.errors import DataError, UsageError
from ragtester.provenance import sha256_file
from ragtester.records import Document, DocumentRow, GeneratedDocument, GeneratedRow, Span, UnreadableDocument
from ragtester.searching.suite import Suite
from ragtester.settings import Settings
from ragtester.spans import pages_of
from ragtester.stages.retrieval.fixes import Loss
from ragtester.storage import iter_rows
from ragtester.text.likeness import has_value, letters, likeness, nearest_part, values

# Above this share of garbage words a text is no witness, and evidence is garbled by itself (as in `documents.pdf`).
GARBLED = 0.15
PAGES_AT_ONCE = 25
# Characters on either side of evidence in which a value of the expected answer may stand as well.
AROUND = 200
SHOWN_VALUES = 5
SHOWN_CHARACTERS = 40
# Nothing in such a file can hurt its reader; every other one is read in a process of its own.
PLAIN = (".md", ".txt")


@dataclass(frozen=True)
class _Source:
    """A document's source: `path` is its file, or the Markdown beside it. `missing` says why there is none."""

    path: Path | None = None
    what: str = ""
    strict: bool = True
    missing: str = ""


@dataclass
class SourcesCheck:
    """Reads each page of a source once, and only those on which evidence lies that is asked about.

    `similarity` (0 to 100): evidence less like its source than this was lost or garbled.
    """

    suite: Suite
    settings: Settings
    similarity: float
    _files: dict[str, CorpusFile] | None = None
    _sources: dict[str, _Source] = field(default_factory=dict)
    _texts: dict[tuple[str, int], str] = field(default_factory=dict)
    _failed: dict[tuple[str, int], str] = field(default_factory=dict)
    _evidence_pages: dict[str, list[int]] = field(default_factory=dict)

    def check(
        self, document: Document, text: str, span: Span, expected: str, others: str = ""
    ) -> tuple[Loss | None, str]:
        """What was lost or garbled of some evidence, and what could not be checked.

        `text` is the document's, `expected` what was to be answered: a value of it that the source has and the text
        around the evidence lacks was lost, unless the `others`, the case's further pieces of evidence, hold it.
        """
        evidence, pages = text[span.start : span.end], pages_of(span.start, span.end, document.page_starts)
        warned = _warnings(document, pages)
        share = garbled_share(evidence)
        if share >= GARBLED:
            return Loss("garbled", f"{share:.0%} of the evidence are glyph codes or broken letters.{warned}"), ""
        source = self._source(document)
        if source.path is None:
            return None, source.missing
        there, missing = self._text(document, source, pages)
        if not letters(there):
            return None, missing or f"{source.what}, which has no text there"
        around = f"{text[max(0, span.start - AROUND) : span.end + AROUND]}\n{others}"
        seen, cause = self._difference(evidence, around, there, expected, source)
        if seen and not source.strict and garbled_share(there) >= GARBLED:
            return None, f"{source.what}, which reads garbage there"
        return (Loss(cause, seen + warned) if seen else None), ""

    def _difference(
        self, evidence: str, around: str, there: str, expected: str, source: _Source
    ) -> tuple[str, Literal["garbled", "lost"]]:
        """What a source has otherwise; an empty text for nothing."""
        alike = likeness(evidence, there)
        if alike < self.similarity:
            least = f"{self.similarity:g}"
            return f"{_capital(source.what)} holds {alike:.0f} % of the evidence, below {least}.", "garbled"
        near = nearest_part(evidence, there)
        strange = [one for one in values(evidence) if not has_value(one, near, glued=not source.strict)]
        if strange:
            return f"The extracted text has {_shown(strange)}, which {source.what} does not have.", "garbled"
        lost = [one for one in values(expected) if not has_value(one, around) and has_value(one, near)]
        if lost:
            what = f"{_shown(lost)} of the expected answer, the extracted text does not"
            return f"{_capital(source.what)} has {what}.", "lost"
        return "", "garbled"

    # Where the source lies

    def _source(self, document: Document) -> _Source:
        if document.id not in self._sources:
            self._sources[document.id] = self._locate(document)
        return self._sources[document.id]

    def _locate(self, document: Document) -> _Source:
        file = self._found().get(document.id)
        name = f"the source {document.path}"
        if file is None or file.relative != document.path:
            return _Source(missing=f"{name}, which is not in {self.settings.workspace.corpus}")
        if sha256_file(file.path) != document.sha256:
            return _Source(missing=f"{name}, which has changed since it was read")
        if document.format != "pdf":
            return _Source(file.path, f"the file {document.path}")
        if document.source == "generated" and (markdown := _markdown(file.path)):
            return _Source(markdown, f"the Markdown {markdown.name}")
        other = "pypdf" if self.settings.reading.reader == "pdfium" else "pdfium"
        return _Source(file.path, f"the second reader ({other})", strict=False)

    def _found(self) -> dict[str, CorpusFile]:
        if self._files is None:
            self._files = _files(self.suite, self.settings)
        return self._files

    # What it says

    def _text(self, document: Document, source: _Source, pages: Sequence[int]) -> tuple[str, str]:
        assert source.path is not None
        wanted = list(pages) if source.path.suffix.lower() == ".pdf" else [WHOLE]
        unread = [page for page in wanted if (document.id, page) not in self._texts]
        if unread:
            self._read(document, source.path, self._block(document, unread))
        texts = [self._texts[document.id, page] for page in wanted]
        why = next((self._failed[document.id, page] for page in wanted if (document.id, page) in self._failed), "")
        return "\n".join(texts), f"{source.what} ({why})" if why else ""

    def _block(self, document: Document, unread: list[int]) -> list[int]:
        """These pages, and others with evidence, the next ones first: a process costs as much as many pages."""
        if unread == [WHOLE]:
            return unread
        if document.id not in self._evidence_pages:
            spans = (span for case in self.suite.cases(document) for span in case.evidence)
            found = {page for span in spans for page in pages_of(span.start, span.end, document.page_starts)}
            self._evidence_pages[document.id] = sorted(found)
        others = sorted(self._evidence_pages[document.id], key=lambda page: (page < unread[0], page))
        more = [page for page in others if (document.id, page) not in self._texts and page not in unread]
        return unread + more[: max(0, PAGES_AT_ONCE - len(unread))]

    def _read(self, document: Document, path: Path, pages: list[int]) -> None:
        other = "pypdf" if self.settings.reading.reader == "pdfium" else "pdfium"
        if path.suffix.lower() in PLAIN:
            self._texts[document.id, WHOLE] = decode(path.read_bytes())[0]
            return
        result = read_source(path, other, pages, self.settings.reading)
        found = result.get("pages", {})
        why = result["failure"]["message"] if "failure" in result else "it cannot read the page"
        for page in pages:
            if str(page) not in found:
                self._failed[document.id, page] = why
            self._texts[document.id, page] = found.get(str(page), "")


def unreadable(suite: Suite, settings: Settings, document_id: str) -> str:
    """Why the file of a document that the suite lacks gave no text; empty where that is not known."""
    file = _files(suite, settings).get(document_id)
    rows = iter_rows(suite.workspace.documents_file(suite.name), DocumentRow) if file else ()
    unread = (row for row in rows if isinstance(row, UnreadableDocument))
    return next((row.failure.message for row in unread if file and row.path == file.relative), "")


def _files(suite: Suite, settings: Settings) -> dict[str, CorpusFile]:
    try:
        return {file.id: file for file in find_files([settings.workspace.corpus], suite.workspace.root)}
    except UsageError:  # the corpus is gone: nothing is found in it
        return {}


def _markdown(pdf: Path) -> Path | None:
    """The Markdown that a PDF was made from: named in `documents.jsonl` beside it, else of the same name."""
    named = pdf.with_suffix(".md")
    rows = pdf.parent / "documents.jsonl"
    try:
        made = (
            [row for row in iter_rows(rows, GeneratedRow) if isinstance(row, GeneratedDocument)]
            if rows.is_file()
            else []
        )
    except DataError:
        made = []
    row = next((row for row in made if row.file == pdf.name), None)
    if row is not None:
        named = pdf.parent / Path(row.markdown).name
        if named.is_file() and sha256_file(named) != row.markdown_sha256:
            return None
    return named if named.is_file() else None


def _warnings(document: Document, pages: Sequence[int]) -> str:
    """What reading the document noted about these pages."""
    found = [one for one in document.warnings if set(one.pages) & set(pages) or not one.pages]
    return "".join(f" Noted while reading: {one.type} ({one.message})." for one in found)


def _shown(found: Sequence[str]) -> str:
    return ", ".join(one[:SHOWN_CHARACTERS] for one in found[:SHOWN_VALUES])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
