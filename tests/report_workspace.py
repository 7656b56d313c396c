"""Small workspaces for the report's tests, written from records; texts may be as hostile as a test wants."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ragtester.provenance import sha256_file, sha256_text
from ragtester.records import (
    Answer,
    Call,
    Case,
    Chunk,
    Document,
    Evidence,
    Failure,
    Manifest,
    PrecisionResult,
    Ratings,
    Retrieved,
    Trace,
    Verdict,
)
from ragtester.results import Results, load_results
from ragtester.storage import encode_row, write_json
from ragtester.workspace import Workspace
from tests.builders import precision_figures, precision_result

RUN = "run"
SUITE = "suite"
TEXT = "The pump runs at 40 bar. 🔧 The valve opens at 55 bar. Nobody may stand on the ramp.\n"
EVIL = (
    "</script><script>window.pwned=1</script>",
    '<img src=x onerror="window.pwned=2">',
    "${window.pwned=3}",
    "'\"><svg onload=window.pwned=4>",
    "--><!--<style>*{display:none}</style>",
    "a\u202eb\u2028c\x00d\u2066e",
    "javascript:window.pwned=5",
    "&lt;b&gt; &amp; &#x27;",
)


@dataclass
class Built:
    """What a test changes of the plain workspace."""

    llms: tuple[str, ...] = ("openai:alpha", "openai:beta")
    embeddings: tuple[str, ...] = ("openai:small", "openai:large")
    documents: tuple[str, ...] = ("pumps", "ramps")
    cases: int = 4
    texts: tuple[str, ...] = ("",)
    judged: bool = True
    skip: set[int] = field(default_factory=set)
    """Numbers of answers (counted over all systems) that are not on disk."""
    ungraded: set[int] = field(default_factory=set)
    cost: float | None = 0.001
    seconds: float | None = 1.5
    pages: bool = True

    def text(self, number: int) -> str:
        """A text that a test slips in; ends where there are no more."""
        return self.texts[number % len(self.texts)]


def build(root: Path, built: Built | None = None, run: str = RUN) -> Workspace:
    """Write the workspace: the first LLM passes all but every fourth case, the second all but every second."""
    built = built or Built()
    workspace = Workspace(root)
    (root / "ragtester.toml").write_text(
        f'[workspace]\nsuite = "{SUITE}"\n\n[execute]\nrun = "{run}"\n', encoding="utf-8"
    )
    cases: dict[str, list[Case]] = {}
    documents = []
    for place, name in enumerate(built.documents):
        documents.append(_document(workspace, built, name, place))
        cases[name] = [_case(built, name, number) for number in range(built.cases)]
        _rows(workspace.cases_file(SUITE, "ragtester", name), cases[name])
        _rows(workspace.chunks_file(run, name), _chunks(name))
    _rows(workspace.documents_file(SUITE), documents)
    count = 0
    for llm_place, llm in enumerate(built.llms):
        for embedding in built.embeddings:
            for name in built.documents:
                answers: list[Answer] = []
                verdicts: list[Verdict] = []
                for number, case in enumerate(cases[name]):
                    passed = bool((number + 1) % (4 if llm_place == 0 else 2))
                    answer = _answer(built, run, (llm, embedding), case, number)
                    if count not in built.skip:
                        answers.append(answer)
                        verdicts.append(_verdict(built, answer, count, number, passed=passed))
                    count += 1
                _rows(workspace.answers_file(run, llm, embedding, name), answers)
                if built.judged:
                    _rows(workspace.verdicts_file(run, llm, embedding, name), verdicts)
    _manifests(workspace, built, run)
    return workspace


def audit_of(judge: str) -> PrecisionResult:
    """A precision audit of the plain workspace: of its 12 failures four were drawn, and three confirmed."""
    found = {"population": {"fail": 12, "pass": 20}, "sampled": {"fail": 4}}
    return precision_result(precision_figures(3, 1), run=RUN, judge=judge, **found)


def loaded(workspace: Workspace) -> Results:
    """The joined view."""
    return load_results(workspace, [RUN], SUITE)


def _rows(path: Path, rows: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(map(encode_row, rows)), encoding="utf-8")


def _document(workspace: Workspace, built: Built, name: str, place: int) -> Document:
    path = workspace.text_file(SUITE, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEXT, encoding="utf-8")
    return Document(
        id=name,
        path=f"{name}{built.text(place)}.pdf",
        source="manual",
        format="pdf",
        sha256=sha256_text(name),
        text_sha256=sha256_text(TEXT),
        language="en",
        characters=len(TEXT),
        page_starts=(0, 25, 55) if built.pages else (),
    )


def _chunks(name: str) -> list[Chunk]:
    half = TEXT.index("Nobody")
    spans = ((0, half, (1, 2)), (half, len(TEXT), (3,)))
    return [
        Chunk(id=f"{name}:c:{i}", document_id=name, ordinal=i, start=a, end=b, pages=pages, text=TEXT[a:b])
        for i, (a, b, pages) in enumerate(spans)
    ]


def _case(built: Built, name: str, number: int) -> Case:
    rejection = number % 4 == 2
    start = TEXT.index("The valve")
    return Case(
        id=f"{name}/ragtester/case-{number:03}",
        key=f"{name}{number}",
        document_id=name,
        document_sha256=sha256_text(name),
        technique="ragtester",
        type="rejection" if rejection else "complexity",
        subtype="invented" if rejection else "",
        language="en" if number % 3 else "de",
        question=f"Question {number}: at what pressure does the valve open? {built.text(number)}",
        expected_answer="" if rejection else f"The valve opens at 55 bar. {built.text(number)}",
        keywords=() if rejection else ("55 bar", *([built.text(number)] if built.text(number) else [])),
        evidence=() if rejection else (Evidence(start=start, end=start + 26, pages=(2,)),),
        flesch=None if rejection else 20.0 + 20 * number,
        model="openai:writer",
        prompt_sha256="0",
    )


def _answer(built: Built, run: str, system: tuple[str, str], case: Case, number: int) -> Answer:
    llm, embedding = system
    name = case.document_id
    trace = Trace(
        query=case.question,
        index="i",
        embedding=embedding,
        k=1,
        retrieved=(Retrieved(id=f"{name}:c:0", rank=1, score=0.75),),
        gold_ids=(f"{name}:c:0",) if case.evidence else (),
        context_ids=(f"{name}:c:0",),
        context_characters=55,
        notes=(built.text(number),) if built.text(number) else (),
    )
    return Answer(
        case_id=case.id,
        document_id=name,
        key=f"{case.key} {llm} {embedding}",
        run=run,
        llm=llm,
        embedding=embedding,
        technique=case.technique,
        type=case.type,
        subtype=case.subtype,
        outcome="answered",
        answer=f"The valve opens at 40 bar, says {llm}. {built.text(number)}",
        cited=(f"{name}:c:0",),
        trace=trace if embedding != "none" else None,
        call=Call(model=llm, prompt_tokens=100, completion_tokens=10, cost=built.cost, seconds=built.seconds),
    )


def _verdict(built: Built, answer: Answer, count: int, number: int, *, passed: bool) -> Verdict:
    low: Literal["true", "false"] = "true" if passed else "false"
    ungraded = count in built.ungraded
    text = built.text(number)
    return Verdict(
        case_id=answer.case_id,
        document_id=answer.document_id,
        key=answer.key,
        run=answer.run,
        llm=answer.llm,
        embedding=answer.embedding,
        technique=answer.technique,
        type=answer.type,
        subtype=answer.subtype,
        language="en",
        status="ungraded" if ungraded else "pass" if passed else "fail",
        mean=None if ungraded else 1.0 if passed else 0.4,
        ratings=None
        if ungraded
        else Ratings(faithfulness=low, relevance="true", completeness=low, clarity="true", keyword_match=low),
        reasons={} if ungraded else {"faithfulness": f"Says 40 where the source says 55. {text}"},
        decided_by="judge_failed" if ungraded else "mean",
        outcome=answer.outcome,
        flags=(f"flag{text}",) if not passed else (),
        judge="openai:judge",
        prompt_sha256="0",
        call=Call(model="openai:judge", cost=built.cost, seconds=built.seconds),
        failure=Failure(type="timeout", message=f"no reply {text}") if ungraded else None,
    )


def _manifests(workspace: Workspace, built: Built, run: str) -> None:
    inputs = {
        f"cases ragtester/{name}": sha256_file(workspace.cases_file(SUITE, "ragtester", name))
        for name in built.documents
    }
    executed = Manifest(
        stage="execute",
        name=run,
        inputs={**inputs, **{f"text {name}": sha256_text(TEXT) for name in built.documents}},
        models=dict.fromkeys((*built.llms, *built.embeddings)),
        parameters={
            "suite": SUITE,
            "llms": {name: {} for name in built.llms},
            "embeddings": {name: {} for name in built.embeddings},
        },
        seed=7,
        versions={"ragtester-pipeline": "0.1.0"},
        started="2026-01-01T10:00:00Z",
        ended="2026-01-01T10:03:20Z",
    )
    write_json(workspace.answers(run) / "manifest.json", executed)
    if built.judged:
        files: dict[str, list[str]] = {}
        for path in workspace.answers(run).glob("*__*/*.jsonl"):
            files.setdefault(path.parent.name, []).append(f"{path.name} {sha256_file(path)}")
        hashes = {system: sha256_text("\n".join(sorted(lines))) for system, lines in files.items()}
        judged = executed.model_copy(update={"stage": "judge", "ended": "2026-01-01T10:00:10Z", "inputs": hashes})
        write_json(workspace.verdicts(run) / "manifest.json", judged)
