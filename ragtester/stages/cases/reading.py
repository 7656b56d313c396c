"""Reads the corpus into the suite: documents.jsonl and texts/, one document in memory at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ragtester.documents.library import CorpusFile, find_files, read_corpus
from ragtester.errors import ChangedInputsError, UsageError
from ragtester.progress import Progress
from ragtester.records import Document, DocumentRow, UnreadableDocument
from ragtester.settings import Settings
from ragtester.stages.cases.duplicates import sketch
from ragtester.stages.cases.tagging import case_files, tag_users, tagged, tell_idle
from ragtester.storage import read_rows, write_rows, write_text
from ragtester.workspace import Workspace

TECHNIQUES = ("ragtester", "baseline")
IMPORTED = "imported"


@dataclass
class Corpus:
    """Every document's record and sketch (some kilobytes together); the texts stay on disk."""

    documents: list[Document] = field(default_factory=list)
    sketches: dict[str, bytes] = field(default_factory=dict)
    unreadable: list[UnreadableDocument] = field(default_factory=list)

    def copies(self) -> dict[str, str]:
        """Documents whose text an earlier one has letter for letter, each with that earlier one's path."""
        first: dict[str, Document] = {}
        found = {}
        for document in self.documents:
            original = first.setdefault(document.text_sha256, document)
            if original is not document:
                found[document.id] = original.path
        return found


async def read(
    workspace: Workspace, settings: Settings, progress: Progress, corpus: Sequence[str] | None, overwrite: bool
) -> Corpus:
    """Read the corpus and write documents.jsonl and texts/.

    Raises UsageError where nothing is readable, and ChangedInputsError where cases exist that were made from another
    text of a document, or from a document that is gone (`overwrite` drops those).
    """
    patterns = tuple(corpus) if corpus else (settings.workspace.corpus,)
    files = _files(workspace, patterns, progress)
    suite = settings.workspace.suite
    path = workspace.documents_file(suite)
    before = {row.id: row for row in read_rows(path, DocumentRow) if isinstance(row, Document)}
    # Documents that an import made of contexts are in no corpus; they stay with their cases.
    made = [tagged(row, settings.access) for row in before.values() if row.format == IMPORTED]
    left = set(before) - {file.id for file in files} - {row.id for row in made}
    gone = sorted(name for name in left if _case_files(workspace, suite, name))
    if gone and not overwrite:
        raise ChangedInputsError(
            f"{path}: {len(gone)} document(s) with cases are no longer in the corpus ({', '.join(gone[:5])}); "
            "--overwrite drops their cases, workspace.suite starts another suite"
        )
    found = Corpus()
    rows: list[Document | UnreadableDocument] = []
    progress.start("reading", len(files))
    for item in read_corpus(files, settings.reading, settings.workspace.language):
        if isinstance(item, UnreadableDocument):
            progress.note(f"{item.path}: not read: {item.failure.message}")
            found.unreadable.append(item)
            rows.append(item)
        else:
            document, text = tagged(item[0], settings.access), item[1]
            _refuse_changed(workspace, suite, before.get(document.id), document, overwrite)
            _take(found, workspace.text_file(suite, document.id), document, text, progress)
            rows.append(document)
        progress.advance(failed=isinstance(item, UnreadableDocument))
        await asyncio.sleep(0)  # here a Ctrl-C takes effect
    progress.finish()
    write_rows(path, [*rows, *made])
    if not found.documents:
        reasons = "; ".join(f"{one.path}: {one.failure.message}" for one in found.unreadable[:5])
        raise UsageError(f"no readable document in {', '.join(patterns)}" + (f" ({reasons})" if reasons else ""))
    for name in gone:
        for file in _case_files(workspace, suite, name):
            file.unlink()
    tell_idle([*found.documents, *made], settings.access, progress)
    tag_users(case_files(workspace, suite, TECHNIQUES, found.documents), settings.access, progress)
    return found


def _take(found: Corpus, target: Path, document: Document, text: str, progress: Progress) -> None:
    for warning in document.warnings:
        progress.note(f"{document.path}: {warning.message}")
    write_text(target, [text])
    found.documents.append(document)
    found.sketches[document.id] = sketch(text)


def _files(workspace: Workspace, patterns: Sequence[str], progress: Progress) -> list[CorpusFile]:
    """The corpus' files. One that holds the workspace itself does not give what ragtester wrote there."""
    if not all(pattern.strip() for pattern in patterns):
        raise UsageError("the corpus is an empty name; give a file, a folder or a glob")
    found = find_files(patterns, workspace.root)
    for note in found.notes:
        progress.note(note)
    made = [workspace.root / name for name in ("generated", "answers", "verdicts", "prompts")]
    return [file for file in found if not any(file.path.is_relative_to(folder) for folder in made)]


def read_text(workspace: Workspace, suite: str, document_id: str) -> str:
    """A document's text as the offsets count it: no line end is translated."""
    with workspace.text_file(suite, document_id).open(encoding="utf-8", newline="") as file:
        return file.read()


def _refuse_changed(
    workspace: Workspace, suite: str, before: Document | None, document: Document, overwrite: bool
) -> None:
    if before is None or overwrite or (before.sha256, before.text_sha256) == (document.sha256, document.text_sha256):
        return
    if _case_files(workspace, suite, document.id):
        raise ChangedInputsError(
            f"{document.path}: it changed since its cases were made; --overwrite makes them again, "
            "workspace.suite starts another suite"
        )


def _case_files(workspace: Workspace, suite: str, document_id: str) -> list[Path]:
    """The document's cases of every technique, imported ones too; an id is a safe name."""
    return sorted(workspace.suite(suite).glob(f"*/{document_id}.jsonl"))
