"""From rows to the audit's figures. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ragtester.records import (
    CLAIM_VERDICTS,
    AnswerClaims,
    Claim,
    ClaimCross,
    ClaimsResult,
    ContradictedClaim,
    Failure,
    Ledger,
)
from ragtester.results.paying import total
from ragtester.stages.claims.clusters import clusters
from ragtester.stages.claims.counting import NAMES, by_context, costs, counts, grouped, single, type_of
from ragtester.text.normalise import fold

SKIPPED = frozenset({"answer_failed", "provider_refusal"})
"""Failures of an answer itself: there was nothing to audit."""


@dataclass(frozen=True)
class Judged:
    """What all rows of an audit share. `planned` counts the answers of the run."""

    run: str
    judge: str
    planned: int
    prompts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def claims_result(judged: Judged, answers: Iterable[AnswerClaims], claims: Iterable[Claim]) -> ClaimsResult:
    """The figures of the rows that stand; answers without a row are skipped in the ledger."""
    rows, found = list(answers), list(claims)
    questions = {row.case_id: row.question for row in rows}
    ledger = _ledger(judged.planned, rows, found)
    statuses = Counter(row.status for row in rows)
    return ClaimsResult(
        run=judged.run,
        judge=judged.judge,
        served_judges=_served(rows, found),
        prompts=dict(judged.prompts),
        ledger=ledger,
        abstained=statuses["abstained"],
        empty=statuses["empty"],
        cited=counts(found, name="cited chunks"),
        context=counts(found, by_context, name="whole context"),
        cross=_cross(found),
        without_chunks=sum(not claim.chunk_ids and not claim.unknown_ids for claim in found),
        unknown_only=sum(not claim.chunk_ids and bool(claim.unknown_ids) for claim in found),
        clusters=clusters(found, questions),
        systems=grouped(found, NAMES["system"]),
        documents=grouped(found, NAMES["document"]),
        types=grouped(found, single(type_of)),
        questions=grouped(found, NAMES["question"], questions),
        keywords=grouped(found, NAMES["keyword"], _spelled(found)),
        values=grouped(found, NAMES["value"]),
        contradicted=tuple(_shown(claim, questions) for claim in found if claim.verdict == "contradicted"),
        failures=dict(sorted(Counter(one.type for one in _failures(rows, found)).items())),
        complete=len(rows) == judged.planned,
        cost=_cost(rows, found),
        notes=judged.notes,
    )


def _served(rows: Iterable[AnswerClaims], claims: Iterable[Claim]) -> tuple[str, ...]:
    names = {row.served_judge for row in rows} | {claim.served_judge for claim in claims}
    return tuple(sorted(name for name in names if name))


def _failures(rows: Iterable[AnswerClaims], claims: Iterable[Claim]) -> Iterator[Failure]:
    yield from (row.failure for row in rows if row.failure)
    yield from (claim.failure for claim in claims if claim.failure)


def _ledger(planned: int, rows: Sequence[AnswerClaims], claims: Sequence[Claim]) -> Ledger:
    own = sum(row.failure is not None and row.failure.type in SKIPPED for row in rows)
    unchecked = {_answer(claim) for claim in claims if claim.failure}
    failed = sum(row.failure is not None for row in rows) - own + len(unchecked)
    skipped = planned - len(rows) + own
    return Ledger(planned=planned, ok=planned - failed - skipped, failed=failed, skipped=skipped)


def _answer(claim: Claim) -> tuple[str, str, str, str]:
    return claim.llm, claim.embedding, claim.technique, claim.case_id


def _cross(claims: Sequence[Claim]) -> tuple[ClaimCross, ...]:
    """Both columns at once, in the order of the verdicts; pairs that no claim has are left out."""
    found = Counter((claim.verdict, claim.context_verdict) for claim in claims)
    order = (*CLAIM_VERDICTS, None)
    return tuple(
        ClaimCross(cited=cited, context=context, claims=number)
        for cited in order
        for context in order
        if (number := found[cited, context])
    )


def _spelled(claims: Sequence[Claim]) -> dict[str, str]:
    """A folded keyword as it is written where it is first met."""
    found: dict[str, str] = {}
    for claim in claims:
        for word in claim.keywords:
            found.setdefault(fold(word), word)
    return found


def _shown(claim: Claim, questions: Mapping[str, str]) -> ContradictedClaim:
    return ContradictedClaim(
        case_id=claim.case_id,
        question=questions.get(claim.case_id, ""),
        llm=claim.llm,
        embedding=claim.embedding,
        claim_id=claim.claim_id,
        claim=claim.claim,
        reason=claim.reason,
        chunk_ids=claim.chunk_ids,
    )


def _cost(rows: Sequence[AnswerClaims], claims: Sequence[Claim]) -> float | None:
    """US dollars of all calls; None where one is not known, 0 where there was none."""
    known = [*(row.call.cost for row in rows if row.call), *costs(claims)]
    found = total(known) if known else 0.0
    return None if found is None else round(found, 6)
