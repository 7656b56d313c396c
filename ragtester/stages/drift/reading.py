"""Reading a run for a comparison: answers and verdicts, then its audits, manifests. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from ragtester.provenance import sha256_file
from ragtester.records import Manifest
from ragtester.results import Results, load_results
from ragtester.runs import answer_files
from ragtester.stages.drift.reading_audits import (
    OfAnswer,
    Slim,
    of_other_answers,
    read_claims,
    read_coverage,
    read_queries,
    unfinished,
)
from ragtester.stages.drift.rows import (
    Place,
    Row,
    RunData,
    Said,
)
from ragtester.storage import iter_rows, read_json
from ragtester.workspace import Workspace


class _Trace(Slim):
    query: str = ""
    index: str = ""
    context_ids: tuple[str, ...] = ()


class _Call(Slim):
    served_model: str | None = None


class _Answer(OfAnswer):
    """What of an answer row is compared."""

    outcome: str
    answer: str = ""
    refuses: bool | None = None
    trace: _Trace | None = None
    call: _Call | None = None

    def said(self) -> Said:
        ids = self.trace.context_ids if self.trace else None
        return Said(
            question=self.trace.query if self.trace else None,
            context=None if ids is None else hash(ids),
            chunks=None if ids is None else hash(frozenset(ids)),
            text=hash((self.outcome, self.refuses, self.answer)),
            index=self.trace.index if self.trace else "",
            served=self.call.served_model if self.call else None,
        )


def read_run(workspace: Workspace, name: str, suite: str) -> RunData:
    """Everything that is compared of one run; `suite` is that of runs whose manifests do not name one.

    Raises UsageError for a run without answers and DataError for files that do not hold what they should.
    """
    results = load_results(workspace, [name], suite)
    info = results.runs[0]
    found = RunData(name, info.suite, notes=list(results.notes))
    found.manifests = dict(_manifests(workspace, name))
    if "execute" in found.manifests:
        found.started = found.manifests["execute"].started
    said = dict(_said(workspace, name))
    found.rows = _rows(results, said)
    found.notes += unfinished(found) + of_other_answers(workspace, found)
    found.questions = {case_id: case.question for (own, case_id), case in results.cases.items() if own == found.suite}
    for (_, _, _, case_id), one in said.items():
        if one.question:
            found.questions[case_id] = one.question
    found.claims = read_claims(workspace.claims_audit(name))
    found.queries = read_queries(workspace.retrieval_audit(name))
    found.coverage = read_coverage(workspace.coverage_audit(name))
    found.chunk_files = dict(_chunk_files(workspace, name))
    return found


def _rows(results: Results, said: dict[Place, Said]) -> dict[Place, Row]:
    found = {}
    for row in results.open_book:
        place = row.llm, row.embedding, row.technique, row.case_id
        found[place] = Row(row.document_id, row.type, row.status, said.get(place), row.seconds, row.cost)
    return found


def _manifests(workspace: Workspace, run: str) -> Iterator[tuple[str, Manifest]]:
    folders = {
        "execute": workspace.answers(run),
        "judge": workspace.verdicts(run),
        "retrieval": workspace.retrieval_audit(run),
        "claims": workspace.claims_audit(run),
        "coverage": workspace.coverage_audit(run),
    }
    for layer, folder in folders.items():
        made = read_json(folder / "manifest.json", Manifest)
        if made is not None:
            yield layer, made


def _said(workspace: Workspace, run: str) -> Iterator[tuple[Place, Said]]:
    for path in answer_files(workspace, run)[0]:
        for row in iter_rows(path, _Answer):
            yield row.place, row.said()


def _chunk_files(workspace: Workspace, run: str) -> Iterator[tuple[str, tuple[str, int]]]:
    for path in sorted((workspace.answers(run) / "chunks").glob("*.jsonl")):
        with path.open("rb") as file:
            yield path.stem, (sha256_file(path), sum(1 for _ in file))
