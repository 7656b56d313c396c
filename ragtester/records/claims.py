"""The claims audit: what each answer claims, and whether the chunks bear it out."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from ragtester.records.answers import OfCase
from ragtester.records.base import Call, Failure, Proportion, Record
from ragtester.records.manifest import Ledger

ClaimVerdict = Literal["supported", "unsupported", "contradicted"]
CLAIM_VERDICTS: tuple[ClaimVerdict, ...] = get_args(ClaimVerdict)
ClusterBy = Literal["document", "question", "keyword", "value", "chunk", "system"]


class OfAnswer(OfCase):
    """Identity of what was found about one answer: its case, its system, its run."""

    language: str = ""


class AnswerClaims(OfAnswer):
    """One answer, split into claims: a row of `answers.jsonl`, one a planned answer.

    `query` is what was searched: the rewrite where there was one, else the question. `context_ids` are the chunks of
    the final context in their order, `context_sha256` a hash of their texts, `gold_ids` the case's gold chunks.
    `status`: "claims"; "abstained" (it claims nothing, and is counted apart), "empty"
    (an answer without any claim), "failed" (the answer itself failed, or could not be split; `failure` says why).
    """

    question: str
    query: str
    context_ids: tuple[str, ...] = ()
    context_sha256: str = ""
    gold_ids: tuple[str, ...] = ()
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
    checked. A claim without chunks has `verdict` "unsupported". `document_ids` are the documents of its chunks,
    `keywords` those of the case's keywords that stand in it, `values` the kinds of value that it states. `judge` is the
    model as asked for, `served_judge` as served; `context_call` is None where the claim cites the whole context, which
    was then asked about once. `at` is when it was checked (UTC).
    """

    claim_id: int = Field(ge=1)
    claim: str
    chunk_ids: tuple[str, ...] = ()
    unknown_ids: tuple[str, ...] = ()
    document_ids: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
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
    """Claims of a group by verdict. The denominator is `sent`, not the verdicts that came back.

    `text` says what `name` stands for, where it is an id.
    """

    name: str = ""
    text: str = ""
    sent: int
    supported: int = 0
    unsupported: int = 0
    contradicted: int = 0
    ungraded: int = 0
    unsupported_rate: Proportion
    contradicted_rate: Proportion


class ClaimCross(Record):
    """Claims with one verdict by the chunks they cite and one by the whole context; None: not checked."""

    cited: ClaimVerdict | None = None
    context: ClaimVerdict | None = None
    claims: int


class ClaimCluster(Record):
    """A few groups that hold more of the bad claims than their share of all claims explains.

    `groups` hold `claims` of the `total` claims with this verdict, and `sent` of the `of` claims that were sent; a
    claim in two of them counts once. `different` of `different_total` claims remain where several systems say the same
    of one question; these decide. `candidates` is how many groups there are, `p` the corrected p-value.
    """

    verdict: ClaimVerdict
    by: ClusterBy
    groups: tuple[ClaimCounts, ...]
    claims: int
    total: int
    sent: int
    of: int
    different: int
    different_total: int
    candidates: int
    p: float


class ContradictedClaim(Record):
    """A claim that the chunks it cites contradict, as a report shows it."""

    case_id: str
    question: str
    llm: str
    embedding: str
    claim_id: int
    claim: str
    reason: str
    chunk_ids: tuple[str, ...] = ()


class ClaimsResult(Record):
    """What the audit found: `verdicts/<run>/claims/result.json`.

    `ledger` accounts for the answers of the run: ok are those whose every claim was checked, `abstained` and `empty`
    (no claim) among them; failed are those that could not be split or whose chunks are lost, and those with an
    unchecked claim; skipped those that had failed themselves, and those still open. `cited` counts verdicts by the
    cited chunks, `context` those by the whole context, `cross` both at once. All groups count verdicts by the cited
    chunks. `failures` counts failures of answers and claims by type.
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
    cross: tuple[ClaimCross, ...] = ()
    without_chunks: int = 0
    unknown_only: int = 0
    clusters: tuple[ClaimCluster, ...] = ()
    systems: tuple[ClaimCounts, ...] = ()
    documents: tuple[ClaimCounts, ...] = ()
    types: tuple[ClaimCounts, ...] = ()
    questions: tuple[ClaimCounts, ...] = ()
    keywords: tuple[ClaimCounts, ...] = ()
    values: tuple[ClaimCounts, ...] = ()
    contradicted: tuple[ContradictedClaim, ...] = ()
    failures: dict[str, int] = Field(default_factory=dict)
    complete: bool
    cost: float | None = None
    notes: tuple[str, ...] = ()
