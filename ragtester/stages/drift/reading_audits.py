"""Reading the audits of a run for a comparison: claims, retrieval, coverage; and what must be known of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ragtester.judgement import answer_hashes
from ragtester.records import CaseType, RankingMetrics
from ragtester.runs import answer_files
from ragtester.stages.drift.rows import AnswerClaimCounts, AnswerCover, Place, Query, QueryPlace, RunData
from ragtester.storage import iter_rows
from ragtester.workspace import Workspace


class Slim(BaseModel):
    """A row of which only what is compared is read."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class OfAnswer(Slim):
    """A row about one answer."""

    case_id: str
    technique: str
    llm: str
    embedding: str

    @property
    def place(self) -> Place:
        """Whose answer to which case."""
        return self.llm, self.embedding, self.technique, self.case_id


class _Mention(Slim):
    mentioned: bool = False


class _Split(OfAnswer):
    """What of a row of the claims audit is compared."""

    status: str


class _Claim(OfAnswer):
    verdict: str | None = None


class _Covered(OfAnswer):
    """What of a row of the output audit is compared."""

    status: str
    coverage: float | None = None
    supported_coverage: float | None = None
    contradictions: tuple[_Mention, ...] = ()


class _Query(Slim):
    """What of a row of the retrieval audit is compared."""

    query_id: str
    technique: str
    embedding: str
    document_id: str
    type: CaseType
    metrics: RankingMetrics | None = None


def read_claims(folder: Path) -> dict[Place, AnswerClaimCounts] | None:
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


def read_queries(folder: Path) -> dict[QueryPlace, Query] | None:
    """Metrics of the measured queries; those without gold are in no figure."""
    path = folder / "queries.jsonl"
    if not path.is_file():
        return None
    return {
        (row.embedding, row.technique, row.query_id): Query(row.document_id, row.type, row.metrics)
        for row in iter_rows(path, _Query)
        if row.metrics is not None
    }


def read_coverage(folder: Path) -> dict[Place, AnswerCover] | None:
    """Coverage by answer; answers that could not be audited are left out."""
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


def unfinished(run: RunData) -> list[str]:
    """Audits that have not ended: their rows are not all there."""
    return [
        f"run {run.name}: its {layer} audit has not ended"
        for layer in ("claims", "coverage", "retrieval")
        if layer in run.manifests and run.manifests[layer].ended is None
    ]


def of_other_answers(workspace: Workspace, run: RunData) -> list[str]:
    """Audits that read other answers than stand there now."""
    made = {layer: run.manifests[layer].inputs for layer in ("claims", "coverage") if layer in run.manifests}
    hashes = answer_hashes(answer_files(workspace, run.name)[0]) if made else {}
    told = []
    for layer, inputs in made.items():
        other = sum(inputs.get(system, digest) != digest for system, digest in hashes.items())
        if other:
            told.append(
                f"run {run.name}: the {layer} audit read other answers of {other} of {len(hashes)} system(s) than "
                f"stand there now; run `ragtester audit {layer}`"
            )
    return told
