"""Tags of documents and of the users who ask about them: put on by rules, without making any case again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ragtester.access import may_see, tags_of, tags_of_user
from ragtester.progress import Progress
from ragtester.records import Case, CaseRow, Document
from ragtester.settings import AccessSettings
from ragtester.storage import read_rows, recover_tail, write_rows
from ragtester.text.globs import matches
from ragtester.workspace import Workspace


def tagged(document: Document, access: AccessSettings) -> Document:
    """The document with the tags that today's rules give it."""
    return document.model_copy(update={"tags": tags_of(document.path, access.documents)})


def tell_idle(documents: Sequence[Document], access: AccessSettings, progress: Progress) -> None:
    """A note on each rule that names no document: what it should guard may be seen by everybody."""
    from rapidfuzz import fuzz, process

    paths = [document.path for document in documents]
    for number, rule in enumerate(access.documents):
        if not any(matches(path, rule.path) for path in paths):
            near, *_ = process.extractOne(rule.path, paths, scorer=fuzz.partial_ratio)
            progress.note(f"access.documents[{number}] path {rule.path!r} matches no document; nearest: {near!r}")


def tag_users(files: Iterable[tuple[Document, Path]], access: AccessSettings, progress: Progress) -> None:
    """Give the cases in these files the tags that their users have today."""
    for document, path in files:
        if notice := recover_tail(path):
            progress.note(notice)
        rows = read_rows(path, CaseRow)
        user = tags_of_user(document, access.user_tags)
        if any(isinstance(row, Case) and row.user_tags != user for row in rows):
            write_rows(path, (_asked_by(row, user) if isinstance(row, Case) else row for row in rows))


def _asked_by(case: Case, user: tuple[str, ...]) -> Case:
    return case.model_copy(update={"user_tags": user})


def case_files(
    workspace: Workspace, suite: str, techniques: Iterable[str], documents: Iterable[Document]
) -> list[tuple[Document, Path]]:
    """The case files of some techniques, each with its document."""
    pairs = ((one, workspace.cases_file(suite, name, one.id)) for name in techniques for one in documents)
    return [(document, path) for document, path in pairs if path.is_file()]


def hidden(document: Document, cases: Iterable[Case]) -> int:
    """How many cases are asked by users who may not see their document."""
    return sum(not may_see(document.tags, case.user_tags) for case in cases)
