"""From one answer to its claims and their verdicts. Knows no files."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ragtester.claiming import Claims
from ragtester.provenance import now
from ragtester.records import NO_CHUNKS, Answer, AnswerClaims, Case, Chunk, Claim, Failure
from ragtester.stages.claims.rows import claim_key
from ragtester.stages.claims.values import keywords_in, values_in
from ragtester.tasks import (
    CHECK_CLAIM,
    PURPOSE,
    SPLIT_ANSWER,
    STOPPING_FAILURES,
    Asked,
    ClaimChecked,
    SplitClaim,
)
from ragtester.verdict import abstains, ungraded_reason
from ragtester.waiting import all_or_stop

LONG_REASON = 500
"""Characters of a reason that a row keeps."""
Status = Literal["claims", "abstained", "empty", "failed"]
NO_CHUNK = "it cites no chunk"
NO_CONTEXT = "there is no chunk in the context"
NO_REPLY = Failure(type="unknown", message="the model gave neither a reply nor a failure")


@dataclass(frozen=True)
class Item:
    """One answer with its case and the chunks of its final context; `missing` are those that the run lacks."""

    answer: Answer
    case: Case
    chunks: tuple[Chunk, ...]
    missing: tuple[str, ...]
    context_sha256: str
    key: str
    refusals: tuple[str, ...]

    @property
    def query(self) -> str:
        """What was searched."""
        trace = self.answer.trace
        return (trace.rewrite or trace.query) if trace else self.case.question

    def of_answer(self) -> dict[str, Any]:
        """What stands in the answer's row and in those of its claims."""
        names = ("case_id", "document_id", "run", "llm", "embedding", "technique", "type", "subtype")
        found = {name: getattr(self.answer, name) for name in names}
        return {**found, "language": self.case.language, "query": self.query}


def without_asking(item: Item, claims: Claims) -> AnswerClaims | None:
    """The row of an answer that nothing is asked about: it failed, it abstains, or its chunks are lost."""
    reason = ungraded_reason(item.answer.outcome, item.answer.failure)
    if reason is not None:
        if item.answer.outcome == "failed":
            cause = f"{reason.type}: {reason.message}"
            reason = Failure(type="answer_failed", message="the answer itself had failed", cause=cause)
        return _row(item, claims, status="failed", failure=reason)
    if abstains(item.answer.answer, item.answer.refuses, item.refusals, item.case.language):
        return _row(item, claims, status="abstained")
    if item.answer.trace and not item.answer.trace.reveals_chunks:
        # No chunk to hold a claim against is not a chunk that does not support it.
        return _row(item, claims, status="failed", failure=Failure(type="not_revealed", message=NO_CHUNKS))
    if item.missing:
        lost = ", ".join(item.missing)
        failure = Failure(type="chunks_missing", message=f"the run's chunk files do not hold {lost}")
        return _row(item, claims, status="failed", failure=failure)
    return None


async def audit_answer(claims: Claims, item: Item, again: str = "") -> tuple[AnswerClaims, list[Claim]] | Failure:
    """The answer's row and its claims' rows.

    A Failure means that the model was stopped: nothing of this answer is kept but the replies in the journal. `again`
    asks under another purpose, so that a reply that could not be used is not taken from the journal again.
    """
    PURPOSE.set(f"{item.key} split{again}")
    asked = await claims.split(item.answer, item.case, item.chunks)
    if asked.failure and asked.failure.type in STOPPING_FAILURES:
        return asked.failure
    served: dict[str, Any] = {"call": asked.call, "served_judge": asked.call.served_model}
    if asked.reply is None:
        return _row(item, claims, status="failed", failure=asked.failure or NO_REPLY, **served), []
    parts = asked.reply.claims
    made = await all_or_stop(_first(claims, item, number, part) for number, part in enumerate(parts, 1))
    if isinstance(made, Failure):
        return made
    return _row(item, claims, status="claims" if parts else "empty", claims_found=len(parts), **served), made


async def recheck(claims: Claims, item: Item, rows: Sequence[Claim]) -> list[Claim] | Failure:
    """The rows again, with the checks that had failed; a Failure as with `audit_answer`."""
    return await all_or_stop(_check(claims, item, row, " again") for row in rows)


def _first(claims: Claims, item: Item, number: int, part: SplitClaim) -> Coroutine[Any, Any, Claim | Failure]:
    """The check of a claim that was just found."""
    named = list(dict.fromkeys(part.passages))
    cited = [chunk for chunk in item.chunks if chunk.id in named]
    known = tuple(chunk.id for chunk in cited)
    unknown = tuple(name for name in named if name not in known)
    claim = " ".join(part.claim.split())
    row = Claim(
        **item.of_answer(),
        key=claim_key(item.key, number, claim, known, unknown),
        claim_id=number,
        claim=claim,
        chunk_ids=known,
        unknown_ids=unknown,
        document_ids=tuple(dict.fromkeys(chunk.document_id for chunk in cited)),
        keywords=keywords_in(claim, item.case.keywords, item.case.language),
        values=values_in(claim, item.case.language),
        judge=claims.model,
        prompt_sha256=claims.prompts[CHECK_CLAIM.name],
        at=now(),
    )
    return _check(claims, item, row, "")


async def _check(claims: Claims, item: Item, row: Claim, again: str) -> Claim | Failure:
    """The row with the verdicts that it lacks: by its cited chunks, then by the whole context."""
    row = row.model_copy(update={"failure": None})
    for lacks, ask in ((row.verdict is None, _by_cited), (row.context_verdict is None, _by_context)):
        if lacks:
            found = await ask(claims, item, row, again)
            if isinstance(found, Failure):
                return found
            row = row.model_copy(update=found)
    return row.model_copy(update={"at": now()})


async def _by_cited(claims: Claims, item: Item, row: Claim, again: str) -> dict[str, Any] | Failure:
    cited = [chunk for chunk in item.chunks if chunk.id in row.chunk_ids]
    if not cited:
        names = ", ".join(row.unknown_ids)
        reason = f"it cites only what was not in the context: {names}" if names else NO_CHUNK
        return {"verdict": "unsupported", "reason": shortened(reason)}
    PURPOSE.set(f"{row.key} cited{again}")
    return _fields("", row, await claims.check(row.claim, item.case, cited))


async def _by_context(claims: Claims, item: Item, row: Claim, again: str) -> dict[str, Any] | Failure:
    """What the claim cites may be the whole context: then there is nothing to ask twice."""
    if not item.chunks:
        return {"context_verdict": "unsupported", "context_reason": NO_CONTEXT}
    if len(row.chunk_ids) == len(item.chunks):
        return {"context_verdict": row.verdict, "context_reason": row.reason}
    PURPOSE.set(f"{row.key} context{again}")
    return _fields("context_", row, await claims.check(row.claim, item.case, item.chunks))


def _fields(column: str, row: Claim, asked: Asked[ClaimChecked]) -> dict[str, Any] | Failure:
    """What a check puts into one column, "" or "context_"; a Failure where the model was stopped."""
    if asked.failure and asked.failure.type in STOPPING_FAILURES:
        return asked.failure
    found: dict[str, Any] = {
        f"{column}call": asked.call,
        "served_judge": row.served_judge or asked.call.served_model,
    }
    if asked.reply is None:
        return {**found, "failure": row.failure or asked.failure or NO_REPLY}
    return {**found, f"{column}verdict": asked.reply.verdict, f"{column}reason": shortened(asked.reply.reason)}


def shortened(reason: str) -> str:
    """A reason on one line."""
    line = " ".join(reason.split())
    return line if len(line) <= LONG_REASON else line[: LONG_REASON - 1] + "…"


def _row(item: Item, claims: Claims, *, status: Status, claims_found: int = 0, **more: Any) -> AnswerClaims:
    trace = item.answer.trace
    return AnswerClaims(
        **item.of_answer(),
        key=item.key,
        question=item.case.question,
        context_ids=trace.context_ids if trace else (),
        context_sha256=item.context_sha256,
        gold_ids=trace.gold_ids if trace else (),
        status=status,
        claims=claims_found,
        judge=claims.model,
        prompt_sha256=claims.prompts[SPLIT_ANSWER.name],
        **more,
    )
