"""Small runs of one suite written from records, for the tests of drift: a test names only what differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragtester.judgement import Judge, answer_hashes, verdict_key
from ragtester.provenance import sha256_file
from ragtester.records import (
    Answer,
    AnswerClaims,
    AuditedQuery,
    Call,
    Case,
    CaseType,
    Chunk,
    Claim,
    Manifest,
    RankingMetrics,
    Record,
    Trace,
    Verdict,
)
from ragtester.storage import write_json, write_rows
from ragtester.workspace import Workspace
from tests import builders

SUITE, LLM, EMBEDDING = "suite", "openai:m-2025-01-01", "embedded:hashing"
STARTED = "2026-01-01T10:00:00Z"
VERSIONS = {"ragtester-pipeline": "0.1.0", "pypdf": "6.0"}


@dataclass(frozen=True)
class Asked:
    """One question of a run: its verdict, what it saw and said, and its claims as (sent, unsupported, contradicted).

    `status` None: no answer stands there. `recall` None: the query was not measured.
    """

    case: str
    status: str | None = "pass"
    text: str = "40 bar"
    context: tuple[str, ...] | None = ("c1", "c2")
    claims: tuple[int, int, int] | None = None
    recall: float | None = None
    seconds: float | None = None
    cost: float | None = None
    coverage: float | None = None
    contradictions: tuple[bool, ...] = ()
    document: str = "pump"
    type: CaseType = "complexity"
    question: str = ""


@dataclass(frozen=True)
class Made:
    """What a run's manifests say where it is not the usual."""

    llm: str = LLM
    embedding: str = EMBEDDING
    served: str | None = LLM
    judge: str = "openai:j-2025-01-01"
    served_judge: str | None = "openai:j-2025-01-01"
    claims_judge: str = "openai:j-2025-01-01"
    pass_mean: float = 0.5
    prompts: Mapping[str, str] = field(default_factory=lambda: {"answer_question": "p" * 64})
    judge_prompt: str = "q" * 64
    parameters: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0})
    inputs: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=lambda: dict(VERSIONS))
    texts: Mapping[str, str] = field(default_factory=lambda: {"pump": "t" * 64, "ramp": "u" * 64})
    chunks: tuple[str, ...] = ("c1", "c2", "c3")
    started: str = STARTED
    dirty: bool = False
    seed: int = 7
    suite: str = SUITE
    index: str = "0123"


def case_of(asked: Asked, changes: Mapping[str, Mapping[str, Any]] | None = None) -> Case:
    return builders.case(
        asked.case,
        document_id=asked.document,
        type=asked.type,
        question=asked.question or f"What is said about {asked.case}?",
        **(changes or {}).get(asked.case, {}),
    )


def write_run(
    root: Path,
    name: str,
    asked: Sequence[Asked],
    made: Made | None = None,
    *,
    changes: Mapping[str, Mapping[str, Any]] | None = None,
) -> Workspace:
    """Write suite, answers, verdicts, manifests, and each audit that one of the questions has a value of.

    `changes` are fields of cases, by id, that the suite has otherwise.
    """
    made, workspace = made or Made(), Workspace(root)
    (root / "ragtester.toml").write_text(f'[workspace]\nsuite = "{SUITE}"\n', encoding="utf-8")
    documents = dict.fromkeys(one.document for one in asked)
    write_rows(workspace.documents_file(made.suite), [builders.document(one) for one in documents])
    cases = {}
    for document in documents:
        own = [one for one in asked if one.document == document]
        path = workspace.cases_file(made.suite, "ragtester", document)
        write_rows(path, [case_of(one, changes) for one in own])
        cases[f"cases ragtester/{document}"] = sha256_file(path)
        rows = {one.case: _answer(one, name, made) for one in own if one.status is not None}
        write_rows(workspace.answers_file(name, made.llm, made.embedding, document), list(rows.values()))
        verdicts = [_verdict(case_of(one, changes), one, rows[one.case], made) for one in own if one.status]
        write_rows(workspace.verdicts_file(name, made.llm, made.embedding, document), verdicts)
        write_rows(workspace.chunks_file(name, document), [_chunk(one, document) for one in made.chunks])
    write_json(workspace.answers(name) / "manifest.json", _executed(name, made, cases))
    files = sorted(path for path in workspace.answers(name).glob("*/*.jsonl") if path.parent.name != "chunks")
    write_json(workspace.verdicts(name) / "manifest.json", _judged(name, made, answer_hashes(files)))
    there = [one for one in asked if one.status is not None]
    _claims(workspace, name, [one for one in there if one.claims is not None], made, answer_hashes(files))
    _retrieval(workspace, name, [one for one in asked if one.recall is not None], made)
    _coverage(workspace, name, [one for one in there if one.coverage is not None or one.contradictions], made)
    return workspace


def _answer(one: Asked, run: str, made: Made) -> Answer:
    trace = None
    if one.context is not None:
        trace = Trace(
            query=case_of(one).question,
            index=made.index,
            embedding=made.embedding,
            k=2,
            context_ids=one.context,
        )
    call = Call(model=made.llm, served_model=made.served, seconds=one.seconds, cost=one.cost, prompt_tokens=1)
    return builders.answer(
        one.case,
        made.llm,
        one.text,
        run=run,
        document_id=one.document,
        embedding=made.embedding,
        type=one.type,
        trace=trace,
        call=call,
    )


def _verdict(case: Case, one: Asked, answer: Answer, made: Made) -> Verdict:
    judge = Judge(made.judge, made.judge_prompt, made.pass_mean, ("I don't know",))
    known = {"judge": made.judge, "prompt_sha256": made.judge_prompt, "key": verdict_key(answer, case, judge)}
    return builders.verdict(answer, one.status or "ungraded", **known)


def _chunk(name: str, document: str) -> Chunk:
    return Chunk(id=f"{document}:{name}", document_id=document, ordinal=0, start=0, end=1, text=name)


def _manifest(stage: str, name: str, made: Made, **values: Any) -> Manifest:
    known: dict[str, Any] = {
        "seed": made.seed,
        "versions": dict(made.versions),
        "dirty": made.dirty,
        "started": made.started,
        "ended": made.started,
    }
    return Manifest(stage=stage, name=name, **(known | values))


def _executed(name: str, made: Made, cases: Mapping[str, str]) -> Manifest:
    return _manifest(
        "execute",
        name,
        made,
        inputs={**{f"text {one}": digest for one, digest in made.texts.items()}, **cases, **made.inputs},
        prompts=dict(made.prompts),
        models={made.llm: made.served, made.embedding: None},
        parameters={
            "suite": made.suite,
            "k": 2,
            "scope": "document",
            "chunker": {"version": "recursive-1", "chunk_size": 1000},
            "retrieval": {"rrf_constant": 60},
            "refusals": ["I don't know"],
            "llms": {made.llm: dict(made.options)},
            "embeddings": {made.embedding: {"model": made.embedding}},
            **made.parameters,
        },
    )


def _judged(name: str, made: Made, inputs: Mapping[str, str]) -> Manifest:
    return _manifest(
        "judge",
        name,
        made,
        inputs=dict(inputs),
        models={made.judge: made.served_judge},
        prompts={"judge_answer": made.judge_prompt},
        parameters={
            "suite": made.suite,
            "judge": made.judge,
            "pass_mean": made.pass_mean,
            "repeats": 1,
            "refusals": ["I don't know"],
        },
    )


def _of_answer(one: Asked, run: str, made: Made) -> dict[str, Any]:
    return {
        "case_id": one.case,
        "document_id": one.document,
        "key": "k",
        "run": run,
        "llm": made.llm,
        "embedding": made.embedding,
        "technique": "ragtester",
        "type": one.type,
        "judge": made.claims_judge,
        "prompt_sha256": "p",
    }


def _claims(workspace: Workspace, run: str, asked: Sequence[Asked], made: Made, inputs: Mapping[str, str]) -> None:
    if not asked:
        return
    answers: list[Record] = []
    claims: list[Record] = []
    for one in asked:
        sent, unsupported, contradicted = one.claims or (0, 0, 0)
        known = _of_answer(one, run, made)
        known |= {"query": "", "question": ""}
        status = "claims" if sent else "abstained"
        answers.append(AnswerClaims.model_validate({**known, "status": status, "claims": sent}))
        del known["question"]
        for number in range(sent):
            verdict = "unsupported" if number < unsupported else "supported"
            verdict = "contradicted" if unsupported <= number < unsupported + contradicted else verdict
            told = {"claim_id": number + 1, "claim": "x", "verdict": verdict, "at": made.started}
            claims.append(Claim.model_validate(known | told))
    folder = workspace.claims_audit(run)
    write_rows(folder / "answers.jsonl", answers)
    write_rows(folder / "claims.jsonl", claims)
    models = {made.claims_judge: made.claims_judge}
    read: dict[str, Any] = {"models": models, "prompts": {"check_claim": "c"}, "inputs": dict(inputs)}
    write_json(folder / "manifest.json", _manifest("audit claims", run, made, **read))


def _retrieval(workspace: Workspace, run: str, asked: Sequence[Asked], made: Made) -> None:
    rows: list[Record] = [
        AuditedQuery(
            query_id=one.case,
            document_id=one.document,
            embedding=made.embedding,
            technique="ragtester",
            type=one.type,
            language="en",
            question="",
            k=2,
            status="measured",
            metrics=RankingMetrics(
                hit=bool(one.recall),
                recall=one.recall or 0.0,
                precision=0.5,
                reciprocal_rank=float(bool(one.recall)),
                ndcg=one.recall or 0.0,
                average_precision=0.5,
            ),
        )
        for one in asked
    ]
    if rows:
        write_rows(workspace.retrieval_audit(run) / "queries.jsonl", rows)


def _coverage(workspace: Workspace, run: str, asked: Sequence[Asked], made: Made) -> None:
    from ragtester.records import AnswerCoverage, Contradiction

    rows: list[Record] = [
        AnswerCoverage(
            **_of_answer(one, run, made),
            status="measured",
            coverage=one.coverage,
            supported_coverage=one.coverage,
            contradictions=tuple(
                Contradiction(chunk_id="c9", claim_id=1, claim="x", mentioned=told) for told in one.contradictions
            ),
        )
        for one in asked
    ]
    if rows:
        write_rows(workspace.coverage_audit(run) / "answers.jsonl", rows)
