"""Items from a run: the traces of its answers, joined with its verdicts; LLMs of one embedding model share them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ragtester.errors import UsageError
from ragtester.records import NO_CHUNKS, NO_RETRIEVAL, Answer, Case, Chunk, Document, Failure, Trace
from ragtester.results import Result, Results
from ragtester.runs import answer_files
from ragtester.stages.retrieval.items import Item
from ragtester.storage import iter_rows
from ragtester.workspace import Workspace

Place = tuple[str, str]
"""Embedding model and case id."""
# What an LLM's reply or bill adds to a trace that it shares with others.
_OWN = {"notes", "calls"}
HELD = 8


@dataclass
class RunChunks:
    """The chunk files of a run; the last few documents stay in memory."""

    workspace: Workspace
    run: str
    known: frozenset[str]
    _held: dict[str, tuple[list[Chunk], dict[str, Chunk]]] = field(default_factory=dict)

    def of(self, document_id: str) -> Sequence[Chunk]:
        """A document's chunks, the same list for all its cases; empty where the run has no file of them."""
        return self._of(document_id)[0]

    def look_up(self, chunk_id: str) -> Chunk | None:
        """Any chunk of the run; None for an id that is not in its files."""
        document_id = chunk_id.rsplit(":", 2)[0]
        return self._of(document_id)[1].get(chunk_id) if document_id in self.known else None

    def _of(self, document_id: str) -> tuple[list[Chunk], dict[str, Chunk]]:
        if document_id not in self._held:
            rows = list(iter_rows(self.workspace.chunks_file(self.run, document_id), Chunk))
            self._held[document_id] = (rows, {row.id: row for row in rows})
            for old in list(self._held)[:-HELD]:
                del self._held[old]
        return self._held[document_id]


@dataclass
class Group:
    """The systems that share a query: their verdicts, and the answers that are there."""

    row: Result
    failed: list[str] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)


@dataclass
class Answered:
    """Reads a run. `differing` counts queries whose LLMs saw different retrievals: the first one's is taken."""

    workspace: Workspace
    run: str
    results: Results
    documents: dict[str, Document]
    places: dict[str, int]
    differing: Counter[str] = field(default_factory=Counter)

    def items(self) -> Iterator[Item]:
        """Every planned query, document by document. Raises UsageError for a run without a single trace."""
        groups = self._groups()
        chunks = RunChunks(self.workspace, self.run, frozenset(self.documents))
        files, _ = answer_files(self.workspace, self.run)
        traced = False
        for _, paths in groupby(files, key=lambda path: path.name):
            open_places: dict[Place, None] = {}
            for path in paths:
                for answer in iter_rows(path, Answer):
                    place = answer.embedding, answer.case_id
                    if place in groups:
                        groups[place].answers.append(answer)
                        open_places[place] = None
            for place in open_places:
                group = groups.pop(place)
                traced = traced or any(answer.trace for answer in group.answers)
                yield self._item(group, chunks)
        if not traced:
            raise UsageError(
                f"run {self.run} has no traces (imported answers or a closed-book control): "
                "retrieve its suite anew with --search, or give traces with --traces"
            )
        for group in groups.values():
            yield self._item(group, chunks)

    def _groups(self) -> dict[Place, Group]:
        found: dict[Place, Group] = {}
        for row in self.results.open_book:
            if row.run != self.run or row.embedding == NO_RETRIEVAL:
                continue
            group = found.setdefault((row.embedding, row.case_id), Group(row))
            if row.status in ("pass", "fail"):
                (group.passed if row.status == "pass" else group.failed).append(row.llm)
        return found

    def _item(self, group: Group, chunks: RunChunks) -> Item:
        row, case = group.row, self.results.case(group.row)
        trace, failure = self._trace(group)
        if case is None:
            failure = Failure(type="no_case", message="the suite no longer holds this case; execute the run again")
            case = _stub(row, trace)
        return Item(
            at=self.places.get(case.id, len(self.places)),
            case=case,
            embedding=row.embedding,
            trace=trace,
            document=self.documents.get(case.document_id),
            chunks=chunks.of(case.document_id),
            look_up=chunks.look_up,
            failure=failure,
            failed=tuple(group.failed),
            passed=tuple(group.passed),
            notes=trace.notes,
        )

    def _trace(self, group: Group) -> tuple[Trace, Failure | None]:
        """The first LLM's trace, of an answer that did not fail where there is one; and why there is none."""
        row = group.row
        nothing = Trace(query="", index="", embedding=row.embedding, k=0)
        if not group.answers:
            return nothing, Failure(type="not_executed", message="no answer of any system is there")
        ordered = sorted(group.answers, key=lambda answer: answer.outcome == "failed")
        traced = [answer for answer in ordered if answer.trace is not None]
        if not traced:
            return nothing, Failure(type="no_trace", message="its answers have no trace")
        first = traced[0].trace
        assert first is not None
        if any(_seen(answer.trace) != _seen(first) for answer in traced[1:] if answer.outcome != "failed"):
            self.differing[row.embedding] += 1
        if not first.reveals_chunks:
            return first, Failure(type="not_revealed", message=NO_CHUNKS)
        failed = traced[0].outcome == "failed" and not first.context_ids
        return first, traced[0].failure if failed else None


def _seen(trace: Trace | None) -> dict[str, Any]:
    return trace.model_dump(exclude=_OWN) if trace else {}


def _stub(row: Result, trace: Trace) -> Case:
    """A case that left the suite, from what its answers still say."""
    return Case(
        id=row.case_id,
        key="",
        document_id=row.document_id,
        document_sha256="",
        technique=row.technique,
        type=row.type,
        subtype=row.subtype,
        language=row.language,
        question=trace.query,
        expected_answer="",
        model="",
        prompt_sha256="",
    )
