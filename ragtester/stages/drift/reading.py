"""Reading a run for a comparison: answers and verdicts, claims, retrieval, coverage, manifests. Writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ragtester.provenance import sha256_file
from ragtester.records import CaseType, Manifest, RankingMetrics
from ragtester.results import Results, load_results
from ragtester.runs import answer_files
from ragtester.stages.drift.rows import (
    AnswerClaimCounts,
    AnswerCover,
    Place,
    Query,
    QueryPlace,
    Row,
    RunData,
    Said,
)
from ragtester.storage import iter_rows, read_json
from ragtester.workspace import Workspace


class _Slim(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Trace(_Slim):
    query: str = ""
    index: str = ""
    context_ids: tuple[str, ...] = ()


class _Call(_Slim):
    served_model: str | None = None


class _OfAnswer(_Slim):
    case_id: str
    technique: str
    llm: str
    embedding: str

    @property
    def place(self) -> Place:
        return self.llm, self.embedding, self.technique, self.case_id


class _Answer(_OfAnswer):
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


class _Mention(_Slim):
    mentioned: bool = False


class _Split(_OfAnswer):
    """What of a row of the claims audit is compared."""

    status: str


class _Claim(_OfAnswer):
    verdict: str | None = None


class _Covered(_OfAnswer):
    """What of a row of the output audit is compared."""

    status: str
    coverage: float | None = None
    supported_coverage: float | None = None
    contradictions: tuple[_Mention, ...] = ()


class _Query(_Slim):
    """What of a row of the retrieval audit is compared."""

    query_id: str
    technique: str
    embedding: str
    document_id: str
    type: CaseType
    metrics: RankingMetrics | None = None


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
    found.questions = {case_id: case.question for (own, case_id), case in results.cases.items() if own == found.suite}
    for (_, _, _, case_id), one in said.items():
        if one.question:
            found.questions[case_id] = one.question
    found.claims = _claims(workspace.claims_audit(name))
    found.queries = _queries(workspace.retrieval_audit(name))
    found.coverage = _coverage(workspace.coverage_audit(name))
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


def _claims(folder: Path) -> dict[Place, AnswerClaimCounts] | None:
    """Claims by answer; answers that could not be split are left out. The denominator is the claims sent."""
    if not (folder / "answers.jsonl").is_file():
        return None
    counts: dict[Place, Counter[str]] = {}
    for claim in iter_rows(folder / "claims.jsonl", _Claim):
        counts.setdefault(claim.place, Counter()).update(("sent", claim.verdict or "ungraded"))
    found = {}
    for row in iter_rows(folder / "answers.jsonl", _Split):
        if row.status != "failed":
            own = counts.get(row.place, Counter())
            found[row.place] = AnswerClaimCounts(own["sent"], own["unsupported"], own["contradicted"])
    return found


def _queries(folder: Path) -> dict[QueryPlace, Query] | None:
    """Metrics of the measured queries; those without gold are in no figure."""
    path = folder / "queries.jsonl"
    if not path.is_file():
        return None
    return {
        (row.embedding, row.technique, row.query_id): Query(row.document_id, row.type, row.metrics)
        for row in iter_rows(path, _Query)
        if row.metrics is not None
    }


def _coverage(folder: Path) -> dict[Place, AnswerCover] | None:
    path = folder / "answers.jsonl"
    if not path.is_file():
        return None
    found = {}
    for row in iter_rows(path, _Covered):
        if row.status == "failed":
            continue
        mentioned = sum(one.mentioned for one in row.contradictions)
        found[row.place] = AnswerCover(row.coverage, row.supported_coverage, len(row.contradictions), mentioned)
    return found
