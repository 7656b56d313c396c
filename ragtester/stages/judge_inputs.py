"""What the judge reads: answer files, their cases, and the chunks that the systems under test saw."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ragtester.errors import DataError
from ragtester.progress import Progress
from ragtester.records import CLOSED_BOOK_SUFFIX, Answer, Case, CaseRow, Chunk
from ragtester.runs import answer_files, no_answers
from ragtester.storage import iter_rows
from ragtester.workspace import Workspace

KEPT_DOCUMENTS = 8


def run_files(workspace: Workspace, run: str, progress: Progress) -> list[Path]:
    """The run's answer files, those of one document side by side, so that its cases and chunks are read once."""
    found, left = answer_files(workspace, run)
    if not found:
        command = "ragtester execute" + (" --closed-book" if run.endswith(CLOSED_BOOK_SUFFIX) else "")
        raise no_answers(workspace, run, command)
    if left:
        progress.note(f"{len(left)} answer file(s) of documents or systems that left the run are kept and not judged")
    return found


def answers(path: Path) -> Iterator[Answer]:
    """The answers of one file, a row at a time."""
    return iter_rows(path, Answer)


@dataclass
class Lookup:
    """Finds cases and chunks by id; keeps those of the last few documents."""

    workspace: Workspace
    suite: str
    run: str
    _cases: OrderedDict[tuple[str, str], dict[str, Case]] = field(default_factory=OrderedDict)
    _chunks: OrderedDict[str, dict[str, Chunk]] = field(default_factory=OrderedDict)
    _elsewhere: dict[str, str] | None = None

    def case(self, answer: Answer) -> Case:
        """The case that an answer belongs to; raises DataError where the suite does not hold it."""
        place = (answer.technique, answer.document_id)
        if place not in self._cases:
            path = self.workspace.cases_file(self.suite, *place)
            self._keep(self._cases, place, {row.id: row for row in iter_rows(path, CaseRow) if isinstance(row, Case)})
        found = self._cases[place].get(answer.case_id)
        if found is None:
            path = self.workspace.cases_file(self.suite, *place)
            raise DataError(
                f"{path}: no case {answer.case_id!r}, which an answer of run {self.run!r} belongs to; "
                + self._elsewhere_or_gone(path, answer.case_id)
            )
        return found

    def _elsewhere_or_gone(self, path: Path, case_id: str) -> str:
        """What to do about a case that the suite does not hold: another suite of the workspace may hold it."""
        home = self.workspace.suite(self.suite)
        for other in sorted(home.parent.glob(f"*/{path.relative_to(home).as_posix()}")):
            if any(row.id == case_id for row in iter_rows(other, CaseRow)):
                return f"the suite {other.parents[1].name} holds it: add --set workspace.suite={other.parents[1].name}"
        return "the suite was made anew after the run: execute again, or name the run's suite"

    def chunks(self, answer: Answer) -> tuple[tuple[Chunk, ...], tuple[str, ...]]:
        """The chunks of the final context in their order, and the ids that the run's chunk files do not hold."""
        wanted = answer.trace.context_ids if answer.trace else ()
        found = [(identity, self._chunk(identity, answer.document_id)) for identity in wanted]
        present = tuple(chunk for _, chunk in found if chunk is not None)
        return present, tuple(identity for identity, chunk in found if chunk is None)

    def found(self, answer: Answer, ids: Iterable[str]) -> dict[str, Chunk]:
        """The chunks of these ids that the run's chunk files hold, in the order given."""
        looked = ((identity, self._chunk(identity, answer.document_id)) for identity in ids)
        return {identity: chunk for identity, chunk in looked if chunk is not None}

    def _chunk(self, identity: str, document_id: str) -> Chunk | None:
        chunk = self._of(document_id).get(identity)
        if chunk is None and (other := self._index().get(identity)):
            chunk = self._of(other).get(identity)
        return chunk

    def _of(self, document_id: str) -> dict[str, Chunk]:
        if document_id not in self._chunks:
            path = self.workspace.chunks_file(self.run, document_id)
            self._keep(self._chunks, document_id, {row.id: row for row in iter_rows(path, Chunk)})
        return self._chunks[document_id]

    def _index(self) -> dict[str, str]:
        """Chunk id to document id over the whole run; only an index over the whole corpus needs it."""
        if self._elsewhere is None:
            folder = self.workspace.answers(self.run) / "chunks"
            self._elsewhere = {
                row.id: row.document_id for path in sorted(folder.glob("*.jsonl")) for row in iter_rows(path, Chunk)
            }
        return self._elsewhere

    @staticmethod
    def _keep(kept: OrderedDict, place: object, value: object) -> None:  # type: ignore[type-arg]
        kept[place] = value
        while len(kept) > KEPT_DOCUMENTS:
            kept.popitem(last=False)
