"""A small run written by hand: two systems, four cases, hostile texts, an ungraded row and two missing ones."""

from __future__ import annotations

from pathlib import Path

from ragtester.records import Answer, Call, Case, Document, Failure, Manifest, Rating, Ratings, Trace, Verdict
from ragtester.storage import write_json, write_rows
from ragtester.workspace import Workspace

LLMS = ('openai:gpt<4>&"x"', "ollama:b")
EMBEDDING = "embedded:hashing"
DOCUMENT = "manual"
HOSTILE = '=HYPERLINK("http://x")\x00\x1b[31m ]]> <b>&amp;\ufffe\nligne é 日本 \r\t,"\''


def case(number: int, question: str, expected: str = "42 metres") -> Case:
    return Case(
        id=f"{DOCUMENT}/ragtester/complexity-{number:03}",
        key=f"k{number}",
        document_id=DOCUMENT,
        document_sha256="0",
        technique="ragtester",
        type="complexity",
        language="en",
        question=question,
        expected_answer=expected,
        keywords=("42", "metres"),
        flesch=-12.5 if number == 1 else None,
        model="m",
        prompt_sha256="0",
    )


CASES = [case(1, HOSTILE), case(2, "How high?"), case(3, "How deep?"), case(4, "How wide?")]


def rated(rating: Rating) -> Ratings:
    return Ratings(
        faithfulness=rating, relevance="true", completeness=rating, clarity="true", keyword_match="partially"
    )


def answer(llm: str, number: int, text: str, seconds: float | None = 0.5) -> Answer:
    return Answer(
        case_id=CASES[number - 1].id,
        document_id=DOCUMENT,
        key="k",
        run="main",
        llm=llm,
        embedding=EMBEDDING,
        technique="ragtester",
        type="complexity",
        outcome="answered",
        answer=text,
        trace=Trace(query="q", index="i", embedding=EMBEDDING, k=2, gold_ids=("a", "b"), context_ids=("b", "c")),
        call=Call(model=llm, cost=0.25, seconds=seconds, prompt_tokens=100, completion_tokens=7),
    )


def verdict(llm: str, number: int, status: str) -> Verdict:
    graded = status != "ungraded"
    return Verdict.model_validate(
        {
            "case_id": CASES[number - 1].id,
            "document_id": DOCUMENT,
            "key": "k",
            "run": "main",
            "llm": llm,
            "embedding": EMBEDDING,
            "technique": "ragtester",
            "type": "complexity",
            "language": "en",
            "status": status,
            "mean": {"pass": 0.9, "fail": 0.5}.get(status),
            "ratings": rated("true" if status == "pass" else "false") if graded else None,
            "reasons": {"faithfulness": HOSTILE} if graded else {},
            "decided_by": "mean" if graded else "",
            "outcome": "answered",
            "flags": ["speaks_to_judge"] if status == "fail" else [],
            "judge": "j",
            "prompt_sha256": "0",
            "call": None,
            "failure": None if graded else Failure(type="unparseable", message="the judge's reply <was> no JSON"),
        }
    )


def write_run(root: Path) -> Workspace:
    """LLM 1: pass, fail, ungraded, not judged. LLM 2: pass, pass, pass, not executed."""
    workspace = Workspace(root)
    document = Document(
        id=DOCUMENT, path="m.md", source="manual", format="md", sha256="0", text_sha256="0", language="en", characters=9
    )
    write_rows(workspace.documents_file("main"), [document])
    write_rows(workspace.cases_file("main", "ragtester", DOCUMENT), CASES)
    inputs = {f"cases ragtester/{DOCUMENT}": "0", f"text {DOCUMENT}": "0"}
    for stage, folder in (("execute", workspace.answers("main")), ("judge", workspace.verdicts("main"))):
        manifest = Manifest(stage=stage, name="main", inputs=inputs, seed=0, started="then", ended="now")
        write_json(folder / "manifest.json", manifest)
    first, second = LLMS
    answers = {first: [answer(first, n, HOSTILE, None) for n in (1, 2, 3, 4)]}
    answers[second] = [answer(second, n, "42 metres") for n in (1, 2, 3)]
    statuses = {first: ["pass", "fail", "ungraded"], second: ["pass"] * 3}
    for llm in LLMS:
        verdicts = [verdict(llm, number, status) for number, status in enumerate(statuses[llm], start=1)]
        write_rows(workspace.answers_file("main", llm, EMBEDDING, DOCUMENT), answers[llm])
        write_rows(workspace.verdicts_file("main", llm, EMBEDDING, DOCUMENT), verdicts)
    return workspace
