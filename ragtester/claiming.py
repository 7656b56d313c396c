"""Asking a model what an answer claims, and whether chunks bear a claim out: for every layer that looks at claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ragtester.records import Answer, Call, Case, Chunk
from ragtester.settings import Settings
from ragtester.tasks import (
    CHECK_CLAIM,
    SPLIT_ANSWER,
    AnswerSplit,
    Asked,
    CheckClaim,
    ClaimChecked,
    Models,
    Passage,
    SplitAnswer,
)

NO_CHUNKS = "it cites no chunk"


@dataclass(frozen=True)
class Claims:
    """A model that splits answers and checks claims, over the one place that all model traffic passes through."""

    models: Models
    model: str

    async def split(self, answer: Answer, case: Case, chunks: Sequence[Chunk]) -> Asked[AnswerSplit]:
        """The claims of an answer, each with the ids of the chunks that it relies on (not yet checked to be there)."""
        return await self.models.ask(self.model, SPLIT_ANSWER, split_request(answer, case, chunks))

    async def check(self, claim: str, case: Case, chunks: Sequence[Chunk]) -> Asked[ClaimChecked]:
        """The verdict on one claim by these chunks alone. Without a chunk it is unsupported, and nothing is asked."""
        if not chunks:
            reply = ClaimChecked(reason=NO_CHUNKS, verdict="unsupported")
            return Asked(reply, Call(model=self.model, cost=0.0, attempts=0))
        return await self.models.ask(self.model, CHECK_CLAIM, check_request(claim, case, chunks))

    @cached_property
    def prompts(self) -> dict[str, str]:
        """Hashes of both prompts, by task."""
        return {
            SPLIT_ANSWER.name: self.models.prompt_sha256(SPLIT_ANSWER),
            CHECK_CLAIM.name: self.models.prompt_sha256(CHECK_CLAIM),
        }


def split_request(answer: Answer, case: Case, chunks: Sequence[Chunk]) -> SplitAnswer:
    """What is asked to split an answer."""
    return SplitAnswer(
        language=case.language,
        question=case.question,
        answer=answer.answer,
        cited=answer.cited,
        passages=passages(chunks),
    )


def check_request(claim: str, case: Case, chunks: Sequence[Chunk]) -> CheckClaim:
    """What is asked to check a claim; at least one chunk."""
    return CheckClaim(language=case.language, question=case.question, claim=claim, passages=passages(chunks))


def passages(chunks: Sequence[Chunk]) -> tuple[Passage, ...]:
    """Chunks as a prompt has them; the labels are their ids."""
    return tuple(Passage(label=chunk.id, text=chunk.text) for chunk in chunks)


def claims_model(settings: Settings) -> str:
    """The model of the claims audit: its own, else the judge's."""
    return settings.audit_claims.model or settings.judge.model


def coverage_model(settings: Settings) -> str:
    """The model of the output audit: its own, else that of the claims audit."""
    return settings.audit_coverage.model or claims_model(settings)
