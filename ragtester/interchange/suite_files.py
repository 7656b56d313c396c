"""The files of an imported technique in a suite: written whole, and compared with what stands there already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtester.errors import ChangedInputsError, UsageError
from ragtester.interchange.items import Account, Item
from ragtester.interchange.shelf import Shelf
from ragtester.provenance import begin_manifest, end_manifest
from ragtester.records import Case, CaseRow, Document, Ledger, Manifest
from ragtester.storage import iter_rows, read_json, write_json, write_rows, write_text
from ragtester.workspace import Workspace

STAGE = "import"


@dataclass(frozen=True)
class NewCases:
    """What is written: cases in their order, and the documents that were made for them with their texts."""

    workspace: Workspace
    suite: str
    technique: str
    cases: Sequence[Case]
    made: Sequence[Document]
    texts: Mapping[str, str]
    shelf: Shelf
    manifest: Mapping[str, Any]
    ledger: Ledger
    counts: Mapping[str, Any]


def folder(workspace: Workspace, suite: str, technique: str) -> Path:
    """Where a technique's case files lie."""
    return workspace.cases_file(suite, technique, "x").parent


def is_unfinished(workspace: Workspace, suite: str, technique: str) -> bool:
    """Whether an import of this technique was killed."""
    manifest = read_json(folder(workspace, suite, technique) / "manifest.json", Manifest)
    return manifest is not None and manifest.ended is None


def refuse_other(
    workspace: Workspace, suite: str, technique: str, parameters: Mapping[str, Any], file: Path, overwrite: bool
) -> None:
    """Stop where the technique's cases come from something else. Raises ChangedInputsError and UsageError."""
    place = folder(workspace, suite, technique)
    before = read_json(place / "manifest.json", Manifest)
    if not any(place.glob("*.jsonl")):
        return
    if before is None or before.stage != STAGE:
        raise UsageError(f"{place}: these cases were not imported; choose another name with --technique")
    changed = [name for name in parameters if before.parameters.get(name) != parameters[name]]
    if changed and not overwrite:
        told = ", ".join("the file" if name == "file_sha256" else name for name in changed)
        raise ChangedInputsError(
            f"{place}: its cases were imported otherwise ({told} differ; then {', '.join(before.inputs)}, now "
            f"{file.name}); --technique NAME keeps both, --overwrite replaces them"
        )


def write(new: NewCases) -> None:
    """Write texts, documents.jsonl, the case files and the manifest; what an earlier import left is taken away.

    A kill at any moment leaves a manifest without an end, and the same command writes all of it again.
    """
    place = folder(new.workspace, new.suite, new.technique)
    manifest = begin_manifest(STAGE, f"{new.suite}/{new.technique}", models={}, **new.manifest)
    write_json(place / "manifest.json", manifest)
    for name, text in new.texts.items():
        write_text(new.workspace.text_file(new.suite, name), [text])
    write_rows(new.workspace.documents_file(new.suite), [*new.shelf.rows, *new.made])
    by_document: dict[str, list[Case]] = {}
    for case in new.cases:
        by_document.setdefault(case.document_id, []).append(case)
    for name, cases in by_document.items():
        write_rows(new.workspace.cases_file(new.suite, new.technique, name), cases)
    for path in place.glob("*.jsonl"):
        if path.stem not in by_document:
            path.unlink()
    for document in new.shelf.own:
        if document.id not in new.texts:
            new.workspace.text_file(new.suite, document.id).unlink(missing_ok=True)
    write_json(place / "manifest.json", end_manifest(manifest, ledger=new.ledger, counts=new.counts))


def all_cases(workspace: Workspace, suite: str, without: str = "") -> Iterator[Case]:
    """Every case of a suite, technique by technique."""
    for path in sorted(workspace.suite(suite).glob("*/*.jsonl")):
        if path.parent.name not in ("texts", without):
            yield from (row for row in iter_rows(path, CaseRow) if isinstance(row, Case))


def match(
    workspace: Workspace, suite: str, items: Sequence[Item], account: Account, prefer: str, without: str = ""
) -> list[Case | None]:
    """The case that each item is: the only one of the suite with its question, up to white space.

    Where several ask it, the id, the expected answer, the document or the technique `prefer` must leave one.
    """
    asked = {_squeezed(item.question) for item in items}
    known: dict[str, list[Case]] = {}
    for case in all_cases(workspace, suite, without):
        question = _squeezed(case.question)
        if question in asked:
            known.setdefault(question, []).append(case)
    found: list[Case | None] = []
    for item in items:
        left = _matching(item, known.get(_squeezed(item.question), []), prefer)
        if len(left) > 1:
            account.note("several cases of the suite ask the same question: its answer gets a case of its own")
        found.append(left[0] if len(left) == 1 else None)
    return found


def _matching(item: Item, cases: list[Case], prefer: str) -> list[Case]:
    tests = (
        lambda case: case.id == item.name,
        lambda case: item.own.user_tags in (None, case.user_tags),
        lambda case: _squeezed(case.expected_answer) == _squeezed(item.expected_answer),
        lambda case: bool(item.document) and case.document_id == _stem(item.document),
        lambda case: case.technique == prefer,
    )
    for test in tests:
        if len(cases) > 1:
            cases = [case for case in cases if test(case)] or cases
    return cases


def _stem(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2].rpartition(".")[0] or path


def tell_matches(items: Sequence[Item], found: Sequence[Case | None], account: Account) -> None:
    """Say what differs between a matched item and its case: the case stays as it is."""
    for item, case in zip(items, found, strict=True):
        if case and item.expected_answer and _squeezed(case.expected_answer) != _squeezed(item.expected_answer):
            account.note("the expected answer differs from that of the suite's case, which stays")


def _squeezed(text: str) -> str:
    return " ".join(text.split())
