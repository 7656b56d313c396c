"""Texts of the chosen rows: answers, verdicts and the places of retrieved chunks, read from the run's files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ragtester.records import Answer, Chunk, Verdict
from ragtester.results import Result, Results
from ragtester.runs import answer_files
from ragtester.storage import iter_rows
from ragtester.workspace import Workspace

Key = tuple[str, str, str, str, str]
"""Run, LLM, embedding, technique and case id: one row."""


@dataclass(frozen=True)
class Place:
    """Where a chunk stands in its document."""

    document_id: str
    start: int
    end: int
    pages: tuple[int, ...]


@dataclass
class Details:
    """What is on disk of the chosen rows; a row that was never executed has no answer here."""

    answers: dict[Key, Answer] = field(default_factory=dict)
    verdicts: dict[Key, Verdict] = field(default_factory=dict)
    chunks: dict[str, Place] = field(default_factory=dict)


def key_of(row: Result | Answer | Verdict) -> Key:
    """The row's identity."""
    return row.run, row.llm, row.embedding, row.technique, row.case_id


def read_details(workspace: Workspace, results: Results, rows: Iterable[Result]) -> Details:
    """Answers and verdicts of `rows`, and the places of every chunk that they name."""
    wanted = {key_of(row) for row in rows}
    systems = {(run, llm, embedding) for run, llm, embedding, _, _ in wanted}
    found = Details()
    named: set[str] = set()
    for info in results.runs:
        for path in answer_files(workspace, info.name)[0]:
            _read_file(found, path, workspace.verdicts(info.name), wanted, systems)
        for answer in found.answers.values():
            named.update(chunk_ids(answer))
        _read_chunks(found, workspace.answers(info.name) / "chunks", named)
    return found


def _read_file(
    found: Details, path: Path, verdicts: Path, wanted: set[Key], systems: set[tuple[str, str, str]]
) -> None:
    for answer in iter_rows(path, Answer):
        if (answer.run, answer.llm, answer.embedding) not in systems:
            return
        if key_of(answer) in wanted:
            found.answers[key_of(answer)] = answer
    for verdict in iter_rows(verdicts / path.parent.name / path.name, Verdict):
        if key_of(verdict) in wanted:
            found.verdicts[key_of(verdict)] = verdict


def _read_chunks(found: Details, folder: Path, named: set[str]) -> None:
    for path in sorted(folder.glob("*.jsonl")):
        for chunk in iter_rows(path, Chunk):
            if chunk.id in named:
                found.chunks[chunk.id] = Place(chunk.document_id, chunk.start, chunk.end, chunk.pages)


def chunk_ids(answer: Answer) -> set[str]:
    """Chunks that an answer's row names."""
    trace = answer.trace
    if trace is None:
        return set(answer.cited)
    return {hit.id for hit in trace.retrieved} | {*trace.gold_ids, *trace.context_ids, *answer.cited}
