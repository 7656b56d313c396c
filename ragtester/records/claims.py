"""The claims audit: what each answer claims, and whether the chunks bear it out."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from ragtester.records.base import Call, Failure, Proportion, Record
from ragtester.records.manifest import Ledger
from ragtester.records.suite import CaseType

ClaimVerdict = Literal["supported", "unsupported", "contradicted"]
CLAIM_VERDICTS: tuple[ClaimVerdict, ...] = get_args(ClaimVerdict)


class OfAnswer(Record):
    """Identity of what was found about one answer: its case, its system, its run."""

    case_id: str
    document_id: str
    key: str
    run: str
    llm: str
    embedding: str
    technique: str
    type: CaseType
    subtype: str = ""
    language: str = ""


class AnswerClaims(OfAnswer):
    """One answer, split into claims: a row of `answers.jsonl`, one a planned answer.

    `query` is what was searched: the rewrite where there was one, else the question. `context_ids` are the chunks of
    the final context in their order. `status`: "claims"; "abstained" (it claims nothing, and is counted apart), "empty"
    (an answer without any claim), "failed" (the answer itself failed, or could not be split; `failure` says why).
    """

    question: str
    query: str
    context_ids: tuple[str, ...] = ()
    status: Literal["claims", "abstained", "empty", "failed"]
    claims: int = 0
    judge: str
    served_judge: str | None = None
    prompt_sha256: str
    call: Call | None = None
    failure: Failure | None = None


class Claim(OfAnswer):
    """One atomic claim of an answer and what came of its check: a row of `claims.jsonl`.

    `claim_id` counts from 1 within the answer. `chunk_ids` are the chunks of the final context that it relies on,
    `unknown_ids` those that it names and that were not there. `verdict` is that of the cited chunks alone,
    `context_verdict` that of the whole final context; both None where `failure` says why the claim could not be
    checked. A claim without chunks has `verdict` "unsupported". `judge` is the model as asked for, `served_judge` as
    served; `at` is when it was checked (UTC).
    """

    claim_id: int = Field(ge=1)
    claim: str
    chunk_ids: tuple[str, ...] = ()
    unknown_ids: tuple[str, ...] = ()
    query: str
    verdict: ClaimVerdict | None = None
    reason: str = ""
    context_verdict: ClaimVerdict | None = None
    context_reason: str = ""
    judge: str
    served_judge: str | None = None
    prompt_sha256: str
    call: Call | None = None
    context_call: Call | None = None
    failure: Failure | None = None
    at: str


class ClaimCounts(Record):
    """Claims of a group by verdict. The denominator is `sent`, not the verdicts that came back."""

    name: str = ""
    sent: int
    supported: int = 0
    unsupported: int = 0
    contradicted: int = 0
    ungraded: int = 0
    unsupported_rate: Proportion
    contradicted_rate: Proportion


class ClaimsResult(Record):
    """What the audit found: `verdicts/<run>/claims/result.json`.

    `ledger` accounts for the answers of the run: ok are those with claims, `abstained` and `empty` of them apart.
    `cited` counts verdicts by the cited chunks, `context` those by the whole context.
    """

    run: str
    judge: str
    served_judges: tuple[str, ...] = ()
    prompts: dict[str, str] = Field(default_factory=dict)
    ledger: Ledger
    abstained: int = 0
    empty: int = 0
    cited: ClaimCounts
    context: ClaimCounts
    systems: tuple[ClaimCounts, ...] = ()
    documents: tuple[ClaimCounts, ...] = ()
    types: tuple[ClaimCounts, ...] = ()
    complete: bool
    cost: float | None = None
    notes: tuple[str, ...] = ()
