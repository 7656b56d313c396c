"""A judged run made of rows that a reader can count, for tests of the precision audit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragtester.records import Answer, Case, Chunk, Manifest, SampledCase, Trace, Verdict
from ragtester.storage import write_json, write_rows
from ragtester.workspace import Workspace
from tests import builders

LLM, EMBEDDING = "openai:tested", "embedded:hashing"
EVIDENCE = "The log is kept for six years. Officer Berg signs every page."
Said = tuple[str, str]
"""What the system answered, and the oracle's status."""


def judged_run(root: Path, said: Sequence[Said], *, judge: str = "openai:oracle", llm: str = LLM) -> Workspace:
    """A run "main" of one document and system: one case for each answer; `ragtester.toml` is the caller's."""
    space = Workspace(root)
    write_rows(space.cases_file("main", "ragtester", "d1"), [_case(number) for number in range(len(said))])
    write_rows(
        space.chunks_file("main", "d1"),
        [Chunk(id="d1:0", document_id="d1", ordinal=0, start=0, end=len(EVIDENCE), text=EVIDENCE)],
    )
    answers = [_answer(number, text, llm) for number, (text, _) in enumerate(said)]
    write_rows(space.answers_file("main", llm, EMBEDDING, "d1"), answers)
    verdicts = [_verdict(answer, status, judge) for answer, (_, status) in zip(answers, said, strict=True)]
    write_rows(space.verdicts_file("main", llm, EMBEDDING, "d1"), verdicts)
    ended: dict[str, Any] = {"name": "main", "seed": 7, "started": "2026-01-01T00:00:00Z"}
    ended |= {"ended": "2026-01-01T00:00:01Z"}
    inputs = {"cases ragtester/d1": "0"}
    write_json(space.answers("main") / "manifest.json", Manifest(stage="execute", inputs=inputs, **ended))
    write_json(
        space.verdicts("main") / "manifest.json", Manifest(stage="judge", prompts={"judge_answer": "p"}, **ended)
    )
    return space


def _case(number: int) -> Case:
    return builders.case(
        f"c{number}",
        key=f"k{number}",
        document_id="d1",
        question=f"How long is log {number} kept?",
        expected_answer="It is kept for six years.",
        keywords=("six years",),
    )


def _answer(number: int, text: str, llm: str) -> Answer:
    trace = Trace(query="q", index="i", embedding="e", k=1, context_ids=("d1:0",))
    return builders.answer(
        f"c{number}", llm, text, document_id="d1", key=f"a{number}", embedding=EMBEDDING, trace=trace
    )


def _verdict(answer: Answer, status: str, judge: str) -> Verdict:
    decided_by = "" if status == "ungraded" else "faithfulness"
    return builders.verdict(answer, status, key=f"v{answer.key}", judge=judge, decided_by=decided_by)


def sampled(number: int, **changes: Any) -> SampledCase:
    """A row of a sample of failures."""
    values: dict[str, Any] = {
        "id": f"s{number:03}",
        "run": "main",
        "case_id": f"c{number}",
        "document_id": "d1",
        "technique": "ragtester",
        "type": "complexity",
        "llm": LLM,
        "embedding": EMBEDDING,
        "language": "en",
        "status": "fail",
        "decided_by": "faithfulness",
        "judge": "openai:oracle",
        "population": 1,
        "drawn": 1,
    }
    return SampledCase(**values | changes)
