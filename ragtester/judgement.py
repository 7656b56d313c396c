"""What a verdict depends on: for the stage that makes verdicts, and for whoever asks whether they still hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ragtester.provenance import row_key, sha256_file, sha256_text
from ragtester.records import Answer, Case, Manifest
from ragtester.tasks import JUDGE_ANSWER

STAGE = "judge"
_TOLD = frozenset({"judge", "pass_mean", "refusals"})


@dataclass(frozen=True)
class Judge:
    """What the verdicts of one run share."""

    model: str
    prompt_sha256: str
    pass_mean: float
    refusals: tuple[str, ...]
    shared_with: frozenset[str] = frozenset()
    repeats: int = 1

    @classmethod
    def of(cls, made: Manifest) -> Judge | None:
        """The judge that a judgement's manifest speaks of; None where it does not say all of it (an import)."""
        told = made.parameters
        if made.stage != STAGE or JUDGE_ANSWER.name not in made.prompts or not told.keys() >= _TOLD:
            return None
        return cls(
            model=told["judge"],
            prompt_sha256=made.prompts[JUDGE_ANSWER.name],
            pass_mean=told["pass_mean"],
            refusals=tuple(told["refusals"]),
            repeats=told.get("repeats", 1),
        )


def verdict_key(answer: Answer, case: Case, judge: Judge) -> str:
    """Key of a verdict: the answer as it stands, its case, the judge, its prompt and the verdict rule's parameter."""
    context = answer.trace.context_ids if answer.trace else ()
    said = {"text": answer.answer, "outcome": answer.outcome, "refuses": answer.refuses, "context": context}
    # A single judgement keeps the key that it had before there were repeats.
    repeated = {"repeats": judge.repeats} if judge.repeats > 1 else {}
    return row_key(
        answer=answer.key,
        said=said,
        failure=answer.failure.model_dump() if answer.failure else None,
        case=case.key,
        expected=case.expected_answer,  # a case may have been edited by hand, which its own key does not know
        keywords=case.keywords,
        judge=judge.model,
        prompt=judge.prompt_sha256,
        pass_mean=judge.pass_mean,
        refusals=judge.refusals,
        **repeated,
    )


def answer_hashes(files: Iterable[Path]) -> dict[str, str]:
    """One hash a system (by its folder's name) over the names and contents of its answer files."""
    systems: dict[str, list[str]] = {}
    for path in files:
        systems.setdefault(path.parent.name, []).append(f"{path.name} {sha256_file(path)}")
    return {system: sha256_text("\n".join(sorted(lines))) for system, lines in sorted(systems.items())}
