"""A run of four chunks, and a model that splits and checks as a table says."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragtester.progress import SilentProgress, StageResult
from ragtester.records import (
    Answer,
    AnswerCoverage,
    Call,
    Case,
    Chunk,
    CoverageResult,
    Dropped,
    Failure,
    Manifest,
    Retrieved,
    Trace,
)
from ragtester.settings import Settings, parse_settings
from ragtester.stages import coverage
from ragtester.stages.coverage import Wanted
from ragtester.storage import append_row, read_json, read_rows, write_json, write_rows
from ragtester.tasks import PURPOSE, AnswerSplit, Asked, ClaimChecked, SplitAnswer, SplitClaim, Task
from ragtester.workspace import Workspace

JUDGE = "openai:judge"
TEXTS = {
    "new": "The refund window of annual plans is 30 days.",
    "old": "The refund window of annual plans is 14 days.",
    "fee": "The refund of an annual plan costs a fee of 5 euros.",
    "cats": "Cats sleep all day.",
}
WINDOW, FEE = "The refund window of annual plans is 30 days.", "The refund costs a fee of 5 euros."
QUESTION = "How long is the refund window of annual plans?"
# Which chunk says what of which claim; what does not stand here is unsupported.
VERDICTS = {
    (WINDOW, "new"): "supported",
    (WINDOW, "old"): "contradicted",
    (FEE, "fee"): "supported",
    ("Another notice says that the refund window is 14 days.", "old"): "supported",
    ("Another notice says that the refund window is 14 days.", "new"): "contradicted",
}


class Judge:
    """`splits` maps an answer to its claims with their ids, `verdicts` a claim and a chunk (or several, sorted) to what
    is said; `fail` maps a claim or an answer to a failure. `stop_after` so many requests the budget is spent."""

    def __init__(
        self,
        splits: Mapping[str, list[tuple[str, tuple[str, ...]]]],
        verdicts: Mapping[Any, str] = VERDICTS,
        *,
        fail: Mapping[str, Failure] | None = None,
        stop_after: int | None = None,
        prompt: str = "p1",
    ) -> None:
        self.splits, self.verdicts, self.fail, self.prompt = splits, verdicts, fail or {}, prompt
        self.stop_after = stop_after
        self.asked: list[tuple[str, ...]] = []
        self.purposes: list[str] = []

    async def ask(self, model: str, task: Task[Any, Any], request: Any) -> Asked[Any]:
        await asyncio.sleep(0)
        if self.stop_after is not None and len(self.asked) >= self.stop_after:
            return Asked(None, Call(model=model, attempts=0), Failure(type="budget", message="spent"))
        said = request.answer if isinstance(request, SplitAnswer) else request.claim
        labels = () if isinstance(request, SplitAnswer) else tuple(sorted(one.label for one in request.passages))
        self.asked.append((said, *labels))
        self.purposes.append(PURPOSE.get())
        call = Call(model=model, served_model=f"{model}-2026", prompt_tokens=10, completion_tokens=1, cost=0.5)
        if said in self.fail:
            return Asked(None, call, self.fail[said])
        if isinstance(request, SplitAnswer):
            claims = tuple(SplitClaim(claim=claim, passages=ids) for claim, ids in self.splits[said])
            return Asked(AnswerSplit(claims=claims), call)
        verdict: Any = self.verdicts.get((said, *labels), "unsupported")
        return Asked(ClaimChecked(reason=f"{verdict} by {labels}", verdict=verdict, passages=labels), call)

    def prompt_sha256(self, task: Task[Any, Any]) -> str:
        return f"{self.prompt} {task.name}"


def settings(**audit: Any) -> Settings:
    return parse_settings({"audit_coverage": {"model": JUDGE, **audit}}, "test")


def case(number: int, document: str = "d1", **changes: Any) -> Case:
    values: dict[str, Any] = {
        "id": f"c{number}",
        "key": f"k{number}",
        "document_id": document,
        "document_sha256": "0",
        "technique": "ragtester",
        "type": "complexity",
        "language": "en",
        "question": QUESTION,
        "expected_answer": "30 days",
        "model": "m",
        "prompt_sha256": "p",
    }
    return Case(**values | changes)


def trace(retrieved: tuple[str, ...], context: tuple[str, ...], **changes: Any) -> Trace:
    """One arm's hits in order, of which the first k reached the context."""
    hits = tuple(Retrieved(id=name, rank=rank, score=1 / rank) for rank, name in enumerate(retrieved, start=1))
    values: dict[str, Any] = {"query": QUESTION, "index": "i", "embedding": "e", "k": len(context) or 1}
    return Trace(**values | {"retrieved": hits, "context_ids": context} | changes)


def answer(number: int, text: str, cited: tuple[str, ...], document: str = "d1", **changes: Any) -> Answer:
    every = tuple(TEXTS)
    values: dict[str, Any] = {
        "case_id": f"c{number}",
        "document_id": document,
        "key": f"a{number}",
        "run": "main",
        "llm": "openai:m",
        "embedding": "embedded:hashing",
        "technique": "ragtester",
        "type": "complexity",
        "outcome": "answered",
        "answer": text,
        "cited": cited,
        "trace": trace(every, every),
    }
    return Answer(**values | changes)


def workspace(root: Path, answers: list[Answer], run: str = "main") -> Workspace:
    space = Workspace(root)
    documents = sorted({row.document_id for row in answers} or {"d1"})
    for document in documents:
        numbers = sorted({int(row.case_id[1:]) for row in answers if row.document_id == document})
        write_rows(space.cases_file("main", "ragtester", document), [case(number, document) for number in numbers])
        chunks = [
            Chunk(id=name, document_id=document, ordinal=at, start=0, end=len(text), text=text, sha256=name)
            for at, (name, text) in enumerate(TEXTS.items())
        ]
        write_rows(space.chunks_file(run, document), chunks)
    write_json(
        space.answers(run) / "manifest.json",
        Manifest(stage="execute", name=run, seed=7, started="2026-01-01T00:00:00Z", ended="2026-01-01T00:00:01Z"),
    )
    for row in answers:
        append_row(space.answers_file(run, row.llm, row.embedding, row.document_id), row)
    return space


def audit(space: Workspace, models: Any, wanted: Wanted | None = None, **audit: Any) -> StageResult:
    progress = audit.pop("progress", SilentProgress())
    return asyncio.run(coverage.run(space, settings(**audit), models, progress, wanted or Wanted()))


def rows(space: Workspace, run: str = "main") -> list[AnswerCoverage]:
    return read_rows(space.coverage_audit(run) / "answers.jsonl", AnswerCoverage)


def found(space: Workspace, run: str = "main") -> CoverageResult:
    made = read_json(space.coverage_audit(run) / "result.json", CoverageResult)
    assert made is not None
    return made


def dropped(name: str, at: Any, reason: str = "") -> Dropped:
    return Dropped(id=name, at=at, reason=reason)
