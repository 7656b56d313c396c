"""Answers of techniques that are not asked for now: they were paid for, and stay part of the run as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragtester.records import Answer, Manifest
from ragtester.searching.suite import Share, Suite
from ragtester.stages.execute.changes import by_technique
from ragtester.stages.execute.manifest import cases_input
from ragtester.storage import iter_rows
from ragtester.workspace import slug


def answered_folders(suite: Suite, files: Iterable[Path]) -> list[Path]:
    """Folders of techniques that are not asked for and that rows of these answer files belong to.

    Reads no further than it must: mostly the first file holds all techniques of the suite.
    """
    asked = {folder.name for folder in suite.folders}
    unseen = {folder.name: folder for folder in suite.techniques() if folder.name not in asked}
    found: list[Path] = []
    for path in files if unseen else ():
        for row in iter_rows(path, Answer):
            if folder := unseen.pop(slug(row.technique), None):
                found.append(folder)
            if not unseen:
                return found
    return found


@dataclass
class Others:
    """What stands in the run of such techniques. `asked` are the folders of those that are asked for."""

    asked: frozenset[str]
    answers: Counter[str] = field(default_factory=Counter)
    _files: set[tuple[str, str]] = field(default_factory=set)
    _rows: dict[tuple[str, str], int] = field(default_factory=dict)

    def see(self, share: Share) -> None:
        """Take up how many rows the case files of a document hold."""
        for folder, count in share.rows.items():
            if folder not in self.asked:
                self._rows[folder, share.document.id] = count

    def add(self, row: Answer) -> None:
        """Count an answer that stands."""
        self.answers[row.technique] += 1
        self._files.add((slug(row.technique), row.document_id))

    def belongs(self, folder: str, document_id: str, old: Manifest | None) -> bool:
        """Whether a case file is part of the run: it is asked for, or answered.

        So is a file without any answer, where the technique is answered elsewhere and the run was executed on it
        before: its answers are missing, and are to be seen as that.
        """
        if folder in self.asked or (folder, document_id) in self._files:
            return True
        was_there = old is not None and cases_input(folder, document_id) in old.inputs
        return was_there and any(name == folder for name, _ in self._files)

    def counts(self, systems: int, old: Manifest | None) -> dict[str, Any]:
        """For the manifest: answers that stand by technique, and how many rows belong there."""
        planned = sum(count for place, count in self._rows.items() if self.belongs(*place, old))
        return {"planned": planned * systems, "answers": dict(sorted(self.answers.items()))}

    def in_words(self, run: str) -> str:
        """One line on the answers that stand."""
        count, told = self.answers.total(), by_technique(self.answers)
        return f"run {run}: {count} answer(s) of techniques that are not asked for stay as they are ({told})"
