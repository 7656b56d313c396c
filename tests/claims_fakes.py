"""A judge of claims whose replies a test writes down, and a run whose answers a reader can count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragtester.records import Answer, Call, Chunk, ClaimVerdict, Failure, Manifest, Trace
from ragtester.storage import append_row, write_json, write_rows
from ragtester.tasks import (
    PURPOSE,
    AnswerSplit,
    Asked,
    CheckClaim,
    ClaimChecked,
    SplitAnswer,
    SplitClaim,
    Task,
)
from ragtester.workspace import Workspace
from tests import builders

LLM, EMBEDDING, JUDGE = "openai:tested", "embedded:hashing", "openai:judge"
TIMEOUT = Failure(type="timeout", message="no reply in 120 s")
SPENT = Failure(type="unparseable", message="verdict: not one of supported, unsupported, contradicted")
QUOTA = Failure(type="quota", message="used up")
Parts = Sequence[tuple[str, Sequence[str]]]
Verdicts = Mapping[str, ClaimVerdict | Failure]


class FakeModels:
    """`split` maps an answer to its claims with their labels (or a failure); `check` a claim to its verdict.

    A verdict may stand under "claim @ labels" for what it is checked against. Whatever is not there is supported.
    """

    def __init__(
        self, split: Mapping[str, Parts | Failure], check: Verdicts | None = None, *, prompt: str = "p"
    ) -> None:
        self.split, self.checks, self.prompt = split, dict(check or {}), prompt
        self.splits: list[str] = []
        self.checked: list[str] = []
        self.purposes: list[str] = []

    async def ask(self, model: str, task: Task[Any, Any], request: Any) -> Asked[Any]:
        self.purposes.append(PURPOSE.get())
        call = Call(model=model, served_model=f"{model}-2026", cost=0.5)
        found = self._split(request) if isinstance(request, SplitAnswer) else self._check(request)
        return Asked(None, call, found) if isinstance(found, Failure) else Asked(found, call)

    def _split(self, request: SplitAnswer) -> AnswerSplit | Failure:
        self.splits.append(request.answer)
        parts = self.split[request.answer]
        if isinstance(parts, Failure):
            return parts
        return AnswerSplit(claims=tuple(SplitClaim(claim=text, passages=tuple(named)) for text, named in parts))

    def _check(self, request: CheckClaim) -> ClaimChecked | Failure:
        place = f"{request.claim} @ {' '.join(passage.label for passage in request.passages)}"
        self.checked.append(place)
        verdict = self.checks.get(place, self.checks.get(request.claim, "supported"))
        if isinstance(verdict, Failure):
            return verdict
        return ClaimChecked(reason=f"because of\n{verdict}", verdict=verdict)

    def prompt_sha256(self, task: Task[Any, Any]) -> str:
        return f"{self.prompt} {task.name}"


def answer(name: str, text: str, context: Sequence[str] = ("a", "b"), **changes: Any) -> Answer:
    """An answer to the case `name` of document `d`, from these chunks; "a" is its gold."""
    run = str(changes.get("run", "main"))
    llm = str(changes.pop("llm", LLM))
    trace = Trace(
        query="asked", rewrite="searched", index="i", embedding="e", k=4, context_ids=tuple(context), gold_ids=("a",)
    )
    known: dict[str, Any] = {"document_id": "d", "key": f"k {run} {name} {llm}", "trace": trace}
    return builders.answer(name, llm, text, **(known | changes))


def workspace(root: Path, answers: Sequence[Answer], *, run: str = "main", keywords: Sequence[str] = ()) -> Workspace:
    """A workspace of one document with the chunks a, b and c, one case for every answer."""
    space = Workspace(root)
    names = sorted({row.case_id for row in answers})
    cases = [
        builders.case(name, document_id="d", question=f"Question {name}?", keywords=tuple(keywords)) for name in names
    ]
    write_rows(space.cases_file("main", "ragtester", "d"), cases)
    chunks = [
        Chunk(
            id=name, document_id="d" if name != "c" else "other", ordinal=at, start=at, end=at + 1, text=f"text {name}"
        )
        for at, name in enumerate("abc")
    ]
    write_rows(space.chunks_file(run, "d"), chunks)
    manifest(space, run)
    for row in answers:
        append_row(space.answers_file(run, row.llm, row.embedding, row.document_id), row)
    return space


def manifest(space: Workspace, run: str) -> None:
    made = Manifest(stage="execute", name=run, seed=7, started="2026-01-01T00:00:00Z", ended="2026-01-01T00:00:01Z")
    write_json(space.answers(run) / "manifest.json", made)
