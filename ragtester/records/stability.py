"""The stability audit: the same answers judged again and again."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ragtester.records.base import Proportion, Record
from ragtester.records.manifest import Ledger
from ragtester.records.verdicts import Verdict


class Repeat(Verdict):
    """One of several judgements of the same answer, for the stability audit; `repeat` counts from 1."""

    repeat: int = Field(ge=1)


class FlipRate(Record):
    """How often judgements of the same answer differ, in what `name` says (the verdict or a criterion) or group.

    `flipped` counts answers whose graded judgements are not all equal, of those with two or more. `disagreement` is the
    share of differing pairs of judgements of an answer, averaged over answers; its interval resamples documents and is
    that of `flipped` where no pair differs.
    """

    name: str
    flipped: Proportion
    differing: int = 0
    pairs: int = 0
    disagreement: float | None = None
    low: float | None = None
    high: float | None = None


class Straddler(Record):
    """An answer whose mean is at or above `pass_mean` in one judgement and below it in another."""

    case_id: str
    document_id: str
    llm: str
    embedding: str
    verdict: Literal["pass", "fail"]
    means: tuple[float | None, ...]
    passed: int
    failed: int


class StabilityResult(Record):
    """What judging the same answers `repeats` times showed: `audits/<run>/stability/result.json`.

    Of `population` graded answers whose verdict needed the judge `sampled` were judged again; `by_rule` needed none and
    `ungraded` had no verdict: both stay out. `measured` answers have two graded judgements or more, `partial` of them
    fewer than `repeats`; `unmeasured` have fewer than two and are in no rate.
    """

    run: str
    judge: str
    served_judges: tuple[str, ...] = ()
    prompt_sha256: str
    pass_mean: float
    languages: tuple[str, ...] = ()
    repeats: int
    seed: int
    population: int
    by_rule: int = 0
    ungraded: int = 0
    sampled: int
    ledger: Ledger
    complete: bool
    deterministic: bool
    measured: int
    partial: int = 0
    unmeasured: int = 0
    verdict: FlipRate
    criteria: tuple[FlipRate, ...]
    systems: tuple[FlipRate, ...]
    types: tuple[FlipRate, ...]
    overturned: Proportion
    identical: Proportion
    straddling: tuple[Straddler, ...] = ()
    run_judges: tuple[str, ...] = ()
    cost: float | None = None
    notes: tuple[str, ...] = ()
