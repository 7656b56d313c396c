"""A synthetic run of the study's shape: suite, answers with traces and verdicts, the same on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from ragtester.provenance import sha256_file, sha256_text
from ragtester.records import (
    Answer,
    Call,
    Case,
    CaseType,
    Chunk,
    Document,
    Evidence,
    Failure,
    Ledger,
    Manifest,
    Rating,
    Ratings,
    Record,
    Retrieved,
    Trace,
    Verdict,
)
from ragtester.storage import encode_row, write_json
from ragtester.workspace import Workspace

RUN = SUITE = "study"
STARTED = "2026-01-01T00:00:00Z"
JUDGE = "openai:judge-large"
GROUPS = {
    "openai": (("model-a", "model-b", "model-c", "model-d"), ("embed-small", "embed-large", "embed-old")),
    "ollama": (("model-e:8b", "model-f:8b", "model-g:8b", "model-h:3b"), ("embed-x", "embed-y", "embed-z")),
}
SENTENCE = (
    "The {part} of unit {unit} is {verb} every {hours} hours by {people} people, who sign the log of station {log}. "
)
CHUNKS = 30
CHUNK = 900


@dataclass(frozen=True)
class Shape:
    """How large: documents, cases of each technique in a document, systems; `gaps` is the share of rows not there."""

    documents: int = 60
    cases: int = 25
    systems: int = 24
    gaps: float = 0.005

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """LLM and embedding model of each system, as in the paper's two groups."""
        found = [
            (f"{provider}:{llm}", f"{provider}:{embedding}")
            for provider, (llms, embeddings) in GROUPS.items()
            for llm in llms
            for embedding in embeddings
        ]
        return found[: self.systems]


def build(root: Path, shape: Shape, seed: int = 7) -> int:
    """Write the whole workspace; gives the number of answers on disk, for a few of those planned are missing."""
    workspace, draw = Workspace(root), Random(seed)
    (root / "ragtester.toml").write_text(
        f'[workspace]\nsuite = "{SUITE}"\n\n[execute]\nrun = "{RUN}"\n\n[judge]\nmodel = "{JUDGE}"\n', encoding="utf-8"
    )
    inputs: dict[str, str] = {}
    documents, rows = [], 0
    for number in range(shape.documents):
        document = _document(workspace, draw, number)
        documents.append(document)
        inputs[f"text {document.id}"] = document.text_sha256
        cases = []
        for technique in ("baseline", "ragtester"):
            made = [_case(draw, document, technique, count) for count in range(shape.cases)]
            path = workspace.cases_file(SUITE, technique, document.id)
            _write(path, made)
            inputs[f"cases {technique}/{document.id}"] = sha256_file(path)
            cases += made
        hard = draw.uniform(-0.15, 0.15)
        for place, pair in enumerate(shape.pairs):
            rows += _system(workspace, draw, cases, pair, (0.17 + 0.015 * place + hard, shape.gaps))
    _write(workspace.documents_file(SUITE), documents)
    planned = 2 * shape.cases * shape.documents * len(shape.pairs)
    _manifests(workspace, shape, inputs, planned, rows)
    return rows


def _write(path: Path, rows: list[Record] | list[Document] | list[Case] | list[Chunk]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(map(encode_row, rows)), encoding="utf-8")


def _prose(draw: Random, characters: int) -> str:
    text = ""
    while len(text) < characters:
        text += SENTENCE.format(
            part=draw.choice(("pump", "valve", "filter", "gasket", "rotor", "sensor", "cable", "strainer")),
            unit=draw.randint(1, 900),
            verb=draw.choice(("checked", "replaced", "greased", "drained", "calibrated", "bypassed")),
            hours=draw.randint(2, 400),
            people=draw.randint(1, 4),
            log=draw.randint(1, 60),
        )
    return text[:characters].strip()


def _document(workspace: Workspace, draw: Random, number: int) -> Document:
    name = f"manual-{number:03}"
    text = _prose(draw, CHUNK * CHUNKS)
    path = workspace.text_file(SUITE, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    chunks = []
    for ordinal in range(CHUNKS):
        start, end = ordinal * CHUNK, min(len(text), ordinal * CHUNK + CHUNK)
        chunk = Chunk(
            id=f"{name}:{ordinal:08x}:{ordinal}",
            document_id=name,
            ordinal=ordinal,
            start=start,
            end=end,
            pages=(1 + ordinal // 3,),
            text=text[start:end],
        )
        chunks.append(chunk)
    _write(workspace.chunks_file(RUN, name), chunks)
    return Document(
        id=name,
        path=f"{name}.pdf",
        source="generated" if number % 2 else "manual",
        format="pdf",
        sha256=sha256_text(name),
        text_sha256=sha256_text(text),
        language="en",
        characters=len(text),
        page_starts=tuple(range(0, len(text), 3 * CHUNK)),
    )


def _case(draw: Random, document: Document, technique: str, number: int) -> Case:
    kinds: tuple[tuple[CaseType, str], ...] = (("complexity", ""), ("rejection", "invented"), ("coverage", "single"))
    kind, subtype = kinds[number % 3] if technique == "ragtester" else ("baseline", "")
    start = draw.randrange(0, CHUNK * (CHUNKS - 1))
    return Case(
        id=f"{document.id}/{technique}/{kind}-{number:03}",
        key=sha256_text(f"{document.id} {technique} {number}")[:16],
        document_id=document.id,
        document_sha256=document.sha256,
        technique=technique,
        type=kind,
        subtype=subtype,
        style="wh",
        language="en",
        question=_prose(draw, 110) + "?",
        expected_answer=_prose(draw, 160),
        keywords=() if kind == "rejection" else ("every 12 hours", "log"),
        evidence=(Evidence(start=start, end=start + 300, pages=(1 + start // CHUNK // 3,)),),
        sections=(number,),
        flesch=round(draw.uniform(10, 80), 2),
        lexical_overlap=round(draw.random(), 3),
        model="openai:writer",
        prompt_sha256="0" * 64,
    )


def _system(
    workspace: Workspace, draw: Random, cases: list[Case], pair: tuple[str, str], shares: tuple[float, float]
) -> int:
    """Answers and verdicts of one system and document; `shares` are wrong, and not there. 1 % of the calls failed."""
    wrong, gaps = shares
    answers: list[Record] = []
    verdicts: list[Record] = []
    for case in cases:
        if draw.random() < gaps:
            continue
        answer = _answer(draw, case, pair)
        answers.append(answer)
        if draw.random() >= gaps:
            lower = 0.02 if case.technique == "ragtester" else 0.0
            verdicts.append(_verdict(draw, case, answer, draw.random() < wrong + lower))
    _write(workspace.answers_file(RUN, *pair, cases[0].document_id), answers)
    _write(workspace.verdicts_file(RUN, *pair, cases[0].document_id), verdicts)
    return len(answers)


def _answer(draw: Random, case: Case, pair: tuple[str, str]) -> Answer:
    failed = draw.random() < 0.01
    found = [f"{case.document_id}:{ordinal:08x}:{ordinal}" for ordinal in draw.sample(range(CHUNKS), 4)]
    first = case.evidence[0].start // CHUNK
    return Answer(
        case_id=case.id,
        document_id=case.document_id,
        key=f"{draw.getrandbits(64):016x}",
        run=RUN,
        llm=pair[0],
        embedding=pair[1],
        technique=case.technique,
        type=case.type,
        subtype=case.subtype,
        outcome="failed" if failed else "answered",
        answer="" if failed else _prose(draw, draw.randint(60, 600)),
        refuses=None if failed else False,
        cited=tuple(found[:1]),
        trace=Trace(
            query=case.question,
            index="eb318c175e3b0eee",
            embedding=pair[1],
            k=4,
            retrieved=tuple(
                Retrieved(id=name, rank=rank, score=round(draw.random(), 6)) for rank, name in enumerate(found, 1)
            ),
            gold_ids=(f"{case.document_id}:{first:08x}:{first}",),
            context_ids=tuple(found),
            context_characters=4 * CHUNK,
        ),
        call=Call(
            model=pair[0],
            served_model=pair[0],
            prompt_tokens=draw.randint(900, 1300),
            completion_tokens=draw.randint(20, 200),
            cost=round(draw.uniform(0.0001, 0.002), 6),
            seconds=round(draw.uniform(0.3, 6), 3),
            finish_reason="stop",
        ),
        failure=Failure(type="timeout", message="no reply within 60 s") if failed else None,
    )


def _verdict(draw: Random, case: Case, answer: Answer, wrong: bool) -> Verdict:
    bad: tuple[Rating, ...] = ("false", "partially")
    rating: Rating = draw.choice(bad) if wrong else "true"
    ungraded = answer.outcome == "failed"
    return Verdict(
        case_id=case.id,
        document_id=case.document_id,
        key=f"{draw.getrandbits(64):016x}",
        run=RUN,
        llm=answer.llm,
        embedding=answer.embedding,
        technique=case.technique,
        type=case.type,
        subtype=case.subtype,
        language=case.language,
        status="ungraded" if ungraded else "fail" if wrong else "pass",
        mean=None if ungraded else 0.3 if wrong else draw.choice((0.8, 0.9, 1.0)),
        ratings=None
        if ungraded
        else Ratings(
            faithfulness="false" if wrong else "true",
            relevance=rating,
            completeness=rating,
            clarity="true",
            keyword_match=rating,
        ),
        reasons={}
        if ungraded
        else {name: _prose(draw, 90) for name in ("faithfulness", "relevance", "completeness", "clarity")},
        decided_by="" if ungraded else "faithfulness" if wrong else "mean",
        outcome=answer.outcome,
        judge=JUDGE,
        served_judge="" if ungraded else JUDGE,
        prompt_sha256="1" * 64,
        call=None
        if ungraded
        else Call(model=JUDGE, prompt_tokens=1500, completion_tokens=220, cost=0.0021, seconds=2.5),
        failure=answer.failure,
    )


def _manifests(workspace: Workspace, shape: Shape, inputs: dict[str, str], planned: int, rows: int) -> None:
    llms = dict.fromkeys(llm for llm, _ in shape.pairs)
    embeddings = dict.fromkeys(embedding for _, embedding in shape.pairs)
    executed = Manifest(
        stage="execute",
        name=RUN,
        inputs=inputs,
        models=dict.fromkeys([*llms, *embeddings]),
        parameters={
            "k": 4,
            "scope": "document",
            "llms": {name: {} for name in llms},
            "embeddings": {name: {} for name in embeddings},
        },
        seed=7,
        ledger=Ledger(planned=planned, ok=rows, skipped=planned - rows),
        started=STARTED,
        ended=STARTED,
    )
    write_json(workspace.answers(RUN) / "manifest.json", executed)
    judged = Manifest(
        stage="judge",
        name=RUN,
        inputs=dict(_hashes(workspace, shape)),
        models={JUDGE: JUDGE},
        parameters={"suite": SUITE, "judge": JUDGE, "pass_mean": 0.5},
        seed=7,
        started=STARTED,
        ended=STARTED,
    )
    write_json(workspace.verdicts(RUN) / "manifest.json", judged)


def _hashes(workspace: Workspace, shape: Shape) -> Iterator[tuple[str, str]]:
    """One hash a system over its files, as the judge's manifest keeps it."""
    for pair in shape.pairs:
        folder = workspace.answers_file(RUN, *pair, "x").parent
        lines = sorted(f"{path.name} {sha256_file(path)}" for path in folder.glob("*.jsonl"))
        yield folder.name, sha256_text("\n".join(lines))
