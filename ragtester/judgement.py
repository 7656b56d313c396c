"""What a verdict depends on: for the stage that makes verdicts, and for whoever asks whether they still hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


@dataclass(frozen=True)
class Wanted:
    """What a right answer is: what is expected, what it must hold, and whether the question can be answered at all.

    `hidden` says that the case can be answered, and the user may see none of its evidence: to refuse is then right.
    """

    answerable: bool
    expected: str
    keywords: tuple[str, ...]
    hidden: bool = False


def wanted_of(answer: Answer, case: Case, refusals: tuple[str, ...]) -> Wanted:
    """What is wanted of one answer: what its case says, or a refusal where its user may not see the evidence."""
    if case.type != "rejection" and answer.trace is not None and answer.trace.hides_evidence:
        return Wanted(False, refusals[0], (), hidden=True)
    return Wanted(case.type != "rejection", case.expected_answer, case.keywords)


def verdict_key(answer: Answer, case: Case, judge: Judge) -> str:
    """Key of a verdict: the answer as it stands, its case, whether the user may see its evidence, the judge, its prompt
    and the verdict rule's parameter."""
    context = answer.trace.context_ids if answer.trace else ()
    said = {"text": answer.answer, "outcome": answer.outcome, "refuses": answer.refuses, "context": context}
    # A single judgement keeps the key that it had before there were repeats.
    more: dict[str, Any] = {"repeats": judge.repeats} if judge.repeats > 1 else {}
    wanted = wanted_of(answer, case, judge.refusals)
    if wanted.hidden:
        more["hidden_evidence"] = True
    return row_key(
        answer=answer.key,
        said=said,
        failure=answer.failure.model_dump() if answer.failure else None,
        case=case.key,
        expected=wanted.expected,  # a case may have been edited by hand, which its own key does not know
        keywords=wanted.keywords,
        judge=judge.model,
        prompt=judge.prompt_sha256,
        pass_mean=judge.pass_mean,
        refusals=judge.refusals,
        **more,
    )


def answer_hashes(files: Iterable[Path]) -> dict[str, str]:
    """One hash a system (by its folder's name) over the names and contents of its answer files."""
    systems: dict[str, list[str]] = {}
    for path in files:
        systems.setdefault(path.parent.name, []).append(f"{path.name} {sha256_file(path)}")
    return {system: sha256_text("\n".join(sorted(lines))) for system, lines in sorted(systems.items())}
