"""A small run written by hand: two systems, four cases, hostile texts, an ungraded row and two missing ones."""

from __future__ import annotations

from pathlib import Path

from ragtester.records import Answer, Call, Case, Failure, Manifest, Rating, Ratings, Trace, Verdict
from ragtester.storage import write_json, write_rows
from ragtester.workspace import Workspace
from tests import builders

LLMS = ('openai:gpt<4>&"x"', "ollama:b")
EMBEDDING = "embedded:hashing"
DOCUMENT = "manual"
HOSTILE = '=HYPERLINK("http://x")\x00\x1b[31m ]]> <b>&amp;\ufffe\nligne é 日本 \r\t,"\''


def case(number: int, question: str) -> Case:
    return builders.case(
        f"{DOCUMENT}/ragtester/complexity-{number:03}",
        document_id=DOCUMENT,
        question=question,
        expected_answer="42 metres",
        keywords=("42", "metres"),
        flesch=-12.5 if number == 1 else None,
    )


CASES = [case(1, HOSTILE), case(2, "How high?"), case(3, "How deep?"), case(4, "How wide?")]


def rated(rating: Rating) -> Ratings:
    return Ratings(
        faithfulness=rating, relevance="true", completeness=rating, clarity="true", keyword_match="partially"
    )


def answer(llm: str, number: int, text: str, seconds: float | None = 0.5) -> Answer:
    return builders.answer(
        CASES[number - 1].id,
        llm,
        text,
        document_id=DOCUMENT,
        embedding=EMBEDDING,
        trace=Trace(query="q", index="i", embedding=EMBEDDING, k=2, gold_ids=("a", "b"), context_ids=("b", "c")),
        call=Call(model=llm, cost=0.25, seconds=seconds, prompt_tokens=100, completion_tokens=7),
    )


def verdict(said: Answer, status: str) -> Verdict:
    if status == "ungraded":
        failure = Failure(type="unparseable", message="the judge's reply <was> no JSON")
        return builders.verdict(said, status, failure=failure)
    return builders.verdict(
        said,
        status,
        mean={"pass": 0.9, "fail": 0.5}[status],
        ratings=rated("true" if status == "pass" else "false"),
        reasons={"faithfulness": HOSTILE},
        flags=("speaks_to_judge",) if status == "fail" else (),
    )


def write_run(root: Path) -> Workspace:
    """LLM 1: pass, fail, ungraded, not judged. LLM 2: pass, pass, pass, not executed."""
    workspace = Workspace(root)
    document = builders.document(DOCUMENT, path="m.md", format="md", text_sha256="0", characters=9)
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
        verdicts = [verdict(said, status) for said, status in zip(answers[llm], statuses[llm], strict=False)]
        write_rows(workspace.answers_file("main", llm, EMBEDDING, DOCUMENT), answers[llm])
        write_rows(workspace.verdicts_file("main", llm, EMBEDDING, DOCUMENT), verdicts)
    return workspace
