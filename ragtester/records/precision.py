"""The precision audit: a panel votes on a sample of the verdicts."""

from __future__ import annotations

from typing import Any, Literal

from ragtester.records.base import Call, Failure, Record
from ragtester.records.manifest import Ledger
from ragtester.records.suite import CaseType

Vote = Literal["correct", "incorrect"]


class SampledAnswer(Record):
    """What every row of the audit knows a sampled answer by."""

    id: str
    run: str
    case_id: str
    document_id: str
    technique: str
    type: CaseType
    llm: str
    embedding: str

    @property
    def names(self) -> dict[str, Any]:
        """These fields, for another row of the same answer."""
        return {name: getattr(self, name) for name in SampledAnswer.model_fields}


class SampledCase(SampledAnswer):
    """An answer that the panel votes on, drawn before anyone votes. `id` also holds what the panel sees of it.

    `population` and `drawn` count the graded answers of its stratum (status, system, technique, case type) and those
    of them in the sample. Nothing here but `id` reaches a voter.
    """

    language: str
    status: Literal["pass", "fail"]
    decided_by: str
    weakest: tuple[str, ...] = ()
    judge: str
    population: int
    drawn: int


class PanelVote(SampledAnswer):
    """One vote of one panel member; `vote` is None where it failed, and `failure` then says why."""

    key: str
    voter: str
    served_voter: str | None = None
    vote: Vote | None = None
    reason: str = ""
    prompt_sha256: str
    call: Call | None = None
    failure: Failure | None = None


class PanelDecision(SampledAnswer):
    """What came of one sampled answer.

    `decision` is "ambiguous" for a tie or too few votes until a person decides, and "open" where votes are still to
    come. The positive class is the oracle's "fail": TP is a failure that the panel confirms.
    """

    language: str
    status: Literal["pass", "fail"]
    criterion: str
    correct: int
    incorrect: int
    failed: int
    open: int
    decision: Literal["correct", "incorrect", "ambiguous", "open"]
    by: Literal["panel", "person", ""] = ""
    outcome: Literal["TP", "FP", "FN", "TN", ""] = ""


class Share(Record):
    """A share of `n` rows with its 95 % interval, None where undefined.

    A share that is weighted back to its population has no `successes`; `effective_n` is the size of the simple random
    sample that would know as much.
    """

    value: float | None
    successes: int | None = None
    n: int
    effective_n: float | None = None
    low: float | None = None
    high: float | None = None


class PrecisionFigures(Record):
    """How the oracle's verdicts fared on one group of sampled answers (`by` "overall": all of them).

    `recall`, `specificity` and `accuracy` are weighted back to all graded answers; None without a sample of passes.
    """

    by: str
    name: str
    sampled: int
    tp: int
    fp: int
    fn: int
    tn: int
    ambiguous: int
    open: int
    by_person: int
    precision: Share
    fdr: Share
    recall: Share | None = None
    specificity: Share | None = None
    accuracy: Share | None = None


class PanelMember(Record):
    """One member of the panel: what its votes came to, and what it shares with the judge or a system under test."""

    model: str
    served: str | None = None
    correct: int
    incorrect: int
    failed: int
    open: int
    cost: float | None = None
    shares: str = ""


class PanelPair(Record):
    """How two members agree over the cases that both voted on; `kappa` is None where it is undefined."""

    first: str
    second: str
    cases: int
    agreed: int
    kappa: float | None


class PrecisionResult(Record):
    """`result.json` of a precision audit: how often the oracle is right, and what that rests on.

    It holds for this judge, this prompt and these languages only. `as_right` and `as_wrong` are the overall figures
    with every ambiguous case counted for and against the oracle.
    """

    run: str
    judge: str
    judge_prompt_sha256: str
    languages: tuple[str, ...]
    confidence: float
    margin: float
    seed: int
    population: dict[str, int]
    sampled: dict[str, int]
    min_votes: int
    panel: tuple[PanelMember, ...]
    alpha: float | None
    pairs: tuple[PanelPair, ...]
    figures: tuple[PrecisionFigures, ...]
    as_right: PrecisionFigures
    as_wrong: PrecisionFigures
    ledger: Ledger
    votes: Ledger
    notes: tuple[str, ...] = ()
