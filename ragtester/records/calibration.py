"""The calibration audit: the judge against people's labels."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ragtester.records.base import Proportion, Record
from ragtester.records.suite import CaseType


class LabelledAnswer(Record):
    """One answer of a run that people labelled; `label` is their majority, None where they are tied."""

    case_id: str
    document_id: str
    llm: str
    embedding: str
    technique: str
    type: CaseType
    language: str
    votes: dict[str, Literal["pass", "fail"]]
    label: Literal["pass", "fail"] | None
    status: Literal["pass", "fail", "ungraded", "missing"]
    mean: float | None = None
    decided_by: str = ""
    criterion: str = ""


class Confusion(Record):
    """The judge's verdicts against people's labels in one group. Positive is a failure that the judge found.

    `tp` both say fail, `fp` only the judge, `fn` only people, `tn` neither. Precision is tp / (tp + fp), FDR its
    complement, recall tp / (tp + fn), specificity tn / (tn + fp). Kappa is Cohen's; None where it is undefined.
    """

    name: str
    tp: int
    fp: int
    fn: int
    tn: int
    precision: Proportion
    fdr: Proportion
    recall: Proportion
    specificity: Proportion
    accuracy: Proportion
    kappa: float | None = None
    kappa_low: float | None = None
    kappa_high: float | None = None


class AnnotatorPair(Record):
    """How two people agree over the answers that both labelled; `kappa` is None where it is undefined."""

    first: str
    second: str
    agreed: Proportion
    kappa: float | None = None


class ThresholdCandidate(Record):
    """A `pass_mean` and how often it would have agreed with people.

    `p` is McNemar's exact one against the best candidate, corrected by Holm; 1 for the best itself and for candidates
    that give every labelled answer the same verdict.
    """

    pass_mean: float
    agreed: Proportion
    p: float
    told_apart: bool


class ThresholdFold(Record):
    """One fold of the cross-validation: the `pass_mean` chosen on the others, and its agreement on this one."""

    documents: tuple[str, ...]
    chosen: float
    agreed: Proportion


class ThresholdFindings(Record):
    """Which `pass_mean` would have agreed best with people. Never applied by itself.

    `decides` counts the labelled answers whose verdict depends on it at all. `current` is the agreement of today's
    `pass_mean`, `best` the in-sample one of the best, `out_of_fold` the honest one of choosing: each answer is judged
    by a threshold that was chosen without its document. None where all labels are of one document.
    """

    pass_mean: float
    suggested: float
    decides: int
    current: Proportion
    best: Proportion
    out_of_fold: Proportion | None = None
    seed: int
    folds: tuple[ThresholdFold, ...] = ()
    candidates: tuple[ThresholdCandidate, ...]
    told_apart: bool
    needed: int | None = None


class CalibrationResult(Record):
    """The judge against people's labels: `audits/<run>/calibration/result.json`.

    Bound to `judge`, `served_judge`, `prompt_sha256`, `languages` and the verdict rule (`pass_mean`, `repeats`): used
    with another it is stale. Every label is accounted for: `labels` = votes that were used or tied, those of
    `unmatched` and `other_answer`, `ungraded` answers' and `repeated` ones; `blank` rows of the file hold no label.
    """

    run: str
    judge: str
    served_judge: str | None = None
    prompt_sha256: str
    languages: tuple[str, ...]
    pass_mean: float
    repeats: int = 1
    labels_file: str
    labels_sha256: str
    labels: int
    blank: int = 0
    repeated: int = 0
    unmatched: tuple[str, ...] = ()
    other_answer: tuple[str, ...] = ()
    answers: int
    tied: tuple[str, ...] = ()
    ungraded: tuple[str, ...] = ()
    unlabelled: dict[str, int] = Field(default_factory=dict)
    annotators: tuple[str, ...] = ()
    alpha: float | None = None
    pairs: tuple[AnnotatorPair, ...] = ()
    overall: Confusion
    systems: tuple[Confusion, ...] = ()
    types: tuple[Confusion, ...] = ()
    criteria: tuple[Confusion, ...] = ()
    threshold: ThresholdFindings | None = None
    notes: tuple[str, ...] = ()
