"""Every record that crosses a file boundary, and nothing else.

One JSON object a line, keys in the order of the fields below. Identity stands in the record and is never
read from a file name. A failure is a record with a type and a message, never a number and never a missing row.
Offsets are characters of the document's cleaned text, half-open `[start, end)`; pages count from 1.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

CaseType = Literal["complexity", "rejection", "coverage", "baseline"]
SectionKind = Literal["prose", "list", "table", "code", "contents", "references", "garbled"]
Outcome = Literal["answered", "abstained", "refused", "failed"]
Rating = Literal["true", "partially", "false"]
Vote = Literal["correct", "incorrect"]
CRITERIA = ("faithfulness", "relevance", "completeness", "clarity", "keyword_match")
# Answers of the closed-book control: the embedding model's name in their rows, and the ending of their run's name.
NO_RETRIEVAL = "none"
CLOSED_BOOK_SUFFIX = ".closed-book"


class Record(BaseModel):
    """Base: immutable, strict about unknown fields, and never NaN or infinite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Failure(Record):
    """Why something has no result. `type` is a short machine word, `message` one line for a person."""

    type: str
    message: str
    cause: str = ""


class Span(Record):
    """A piece of a document's text, `[start, end)` in characters."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> Span:
        if self.end < self.start:
            raise ValueError(f"span ends ({self.end}) before it starts ({self.start})")
        return self


class Evidence(Span):
    """A span that a case was made from, with the pages it lies on (empty for formats without pages)."""

    pages: tuple[int, ...] = ()


class ParseWarning(Record):
    """Something a later audit should know about how a document was read."""

    type: str
    message: str
    pages: tuple[int, ...] = ()


class Document(Record):
    """A readable document of the corpus. Its text lies beside it as `texts/<id>.txt`."""

    status: Literal["ok"] = "ok"
    id: str
    path: str
    source: Literal["generated", "manual"]
    format: str
    sha256: str
    text_sha256: str
    language: str
    characters: int
    page_starts: tuple[int, ...] = ()
    dropped_characters: int = 0
    warnings: tuple[ParseWarning, ...] = ()
    tags: tuple[str, ...] = ()


class UnreadableDocument(Record):
    """A file of the corpus that gave no text, with its named reason."""

    status: Literal["unreadable"] = "unreadable"
    path: str
    failure: Failure


DocumentRow = Annotated[Document | UnreadableDocument, Field(discriminator="status")]


class Section(Record):
    """A contiguous piece of a document. `flesch` is the raw score; None means no formula or no prose."""

    document_id: str
    ordinal: int
    start: int
    end: int
    kind: SectionKind
    tokens: int
    flesch: float | None = None


class Origin(Record):
    """Where a cross-document rejection question came from: another document's text."""

    document_id: str
    start: int
    end: int


class Case(Record):
    """A test case. `key` holds everything its content depends on; `evidence` gives gold chunks for any chunker."""

    status: Literal["ok"] = "ok"
    id: str
    key: str
    document_id: str
    document_sha256: str
    technique: str
    type: CaseType
    subtype: str = ""
    style: str = ""
    language: str
    question: str
    expected_answer: str
    keywords: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    sections: tuple[int, ...] = ()
    origin: Origin | None = None
    flesch: float | None = None
    lexical_overlap: float | None = None
    model: str
    served_model: str | None = None
    prompt_sha256: str
    attempts: int = 1
    rejected: tuple[str, ...] = ()
    tried: tuple[int, ...] = ()


class UnfilledCase(Record):
    """A case that was asked for and could not be made; it keeps its place in every count."""

    status: Literal["unfilled"] = "unfilled"
    id: str
    key: str
    document_id: str
    technique: str
    type: CaseType
    subtype: str = ""
    attempts: int = 0
    rejected: tuple[str, ...] = ()
    tried: tuple[int, ...] = ()
    failure: Failure


CaseRow = Annotated[Case | UnfilledCase, Field(discriminator="status")]


class Chunk(Record):
    """What the index stores; id = document id + content hash + ordinal."""

    id: str
    document_id: str
    ordinal: int
    start: int
    end: int
    pages: tuple[int, ...] = ()
    text: str


class Retrieved(Record):
    """One hit of one arm. `score` is a similarity: higher is nearer; never compared across embedding models."""

    id: str
    rank: int
    score: float
    arm: str = "dense"


class Trace(Record):
    """What the query path saw; `context_ids` is what the model really got, in order, after every drop."""

    query: str
    index: str
    embedding: str
    k: int
    retrieved: tuple[Retrieved, ...] = ()
    gold_ids: tuple[str, ...] = ()
    context_ids: tuple[str, ...] = ()
    context_characters: int = 0
    notes: tuple[str, ...] = ()


class Call(Record):
    """What one request to a model cost and gave. Tokens, cost and seconds are None where nothing was measured.

    `seconds` is the model server's latency: None for the embedded engine and scripted replies, which call no server.
    `raw` is kept only where the reply could not be used as it came.
    """

    model: str
    served_model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    finish_reason: str | None = None
    attempts: int = 1
    dropped_parameters: tuple[str, ...] = ()
    raw: str = ""


class Answer(Record):
    """What one system under test said to one case: exactly one row a case and system."""

    case_id: str
    document_id: str
    key: str
    run: str
    llm: str
    embedding: str
    technique: str
    type: CaseType
    subtype: str = ""
    outcome: Outcome
    answer: str = ""
    refuses: bool | None = None
    cited: tuple[str, ...] = ()
    unknown_citations: tuple[str, ...] = ()
    trace: Trace | None = None
    call: Call | None = None
    failure: Failure | None = None


class Ratings(Record):
    """The five criteria of the oracle."""

    faithfulness: Rating
    relevance: Rating
    completeness: Rating
    clarity: Rating
    keyword_match: Rating


class Votes(Record):
    """How the judgements of one answer fell where the judge was asked `asked` times; `means` in the order asked.

    `agreed` counts those with the verdict's own status; it is 0 where the verdict is ungraded.
    """

    asked: int
    agreed: int
    passed: int
    failed: int
    ungraded: int = 0
    means: tuple[float | None, ...] = ()


class Verdict(Record):
    """The judgement of one answer. `ungraded` is neither pass nor fail and stays out of every rate.

    `votes` stands only where the judge was asked more than once; the ratings are then those of one judgement of the
    majority, and `call` is the sum of all.
    """

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
    status: Literal["pass", "fail", "ungraded"]
    mean: float | None = None
    ratings: Ratings | None = None
    reasons: dict[str, str] = {}
    decided_by: str = ""
    outcome: Outcome
    flags: tuple[str, ...] = ()
    missing_keywords: tuple[str, ...] = ()
    judge: str
    served_judge: str | None = None
    prompt_sha256: str
    call: Call | None = None
    failure: Failure | None = None
    votes: Votes | None = Field(default=None, exclude_if=lambda votes: votes is None)


class Ledger(Record):
    """Everything planned is accounted for: `planned = ok + failed + skipped + unfilled`."""

    planned: int
    ok: int = 0
    failed: int = 0
    skipped: int = 0
    unfilled: int = 0

    @model_validator(mode="after")
    def _adds_up(self) -> Ledger:
        total = self.ok + self.failed + self.skipped + self.unfilled
        if total != self.planned:
            raise ValueError(f"planned {self.planned} but {total} accounted for")
        return self


class Proportion(Record):
    """A share, `successes` of `n`, with its Wilson interval (95 %); None where `n` is 0: undefined, never 0."""

    successes: int
    n: int
    share: float | None = None
    low: float | None = None
    high: float | None = None


class Repeat(Verdict):
    """One of several judgements of the same answer, for the stability audit; `repeat` counts from 1."""

    repeat: int = Field(ge=1)


class FlipRate(Record):
    """How often judgements of the same answer differ, in what `name` says (the verdict or a criterion) or group.

    `flipped` counts answers whose graded judgements are not all equal, of those with two or more. `disagreement` is the
    share of differing pairs of judgements of an answer, averaged over answers; its interval resamples documents.
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
    `unmatched`, `ungraded` answers' and `repeated` ones; `blank` rows of the file hold no label.
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
    answers: int
    tied: tuple[str, ...] = ()
    ungraded: tuple[str, ...] = ()
    unlabelled: dict[str, int] = {}
    annotators: tuple[str, ...] = ()
    alpha: float | None = None
    pairs: tuple[AnnotatorPair, ...] = ()
    overall: Confusion
    systems: tuple[Confusion, ...] = ()
    types: tuple[Confusion, ...] = ()
    criteria: tuple[Confusion, ...] = ()
    threshold: ThresholdFindings | None = None
    notes: tuple[str, ...] = ()


class Manifest(Record):
    """What produced a folder of rows. `inputs` maps a name to a hash; `parameters` is what may not change."""

    stage: str
    name: str
    inputs: dict[str, str] = {}
    prompts: dict[str, str] = {}
    models: dict[str, str | None] = {}
    floating_aliases: tuple[str, ...] = ()
    parameters: dict[str, Any] = {}
    seed: int
    versions: dict[str, str] = {}
    revision: str | None = None
    dirty: bool | None = None
    ledger: Ledger | None = None
    counts: dict[str, Any] = {}
    started: str
    ended: str | None = None


class GeneratedDocument(Record):
    """A document that was written (D_gen): its files, and everything it was made from. File names lie beside the row.

    `missing_characters` have no font on the machine and were drawn as U+FFFD; `fonts_checked` is False where the
    installed fonts could not be asked. `cleaned_characters` counts control characters that were removed.
    """

    status: Literal["ok"] = "ok"
    ordinal: int
    key: str
    name: str
    file: str
    markdown: str
    facts: str = ""
    profile: str
    language: str
    seed: int
    topic: str | None = None
    pages: int
    pdf_sha256: str
    markdown_sha256: str
    missing_characters: str = ""
    fonts_checked: bool = True
    cleaned_characters: int = 0
    notes: tuple[str, ...] = ()
    model: str
    prompt_sha256: str
    call: Call | None = None


class UngeneratedDocument(Record):
    """A document that was asked for and could not be written; the Markdown of a reply is kept as `markdown`."""

    status: Literal["failed"] = "failed"
    ordinal: int
    key: str
    profile: str
    language: str
    seed: int
    topic: str | None = None
    markdown: str = ""
    model: str
    prompt_sha256: str
    call: Call | None = None
    failure: Failure


GeneratedRow = Annotated[GeneratedDocument | UngeneratedDocument, Field(discriminator="status")]


class SampledCase(Record):
    """An answer that the panel votes on, drawn before anyone votes. `id` also holds what the panel sees of it.

    `population` and `drawn` count the graded answers of its stratum (status, system, technique, case type) and those
    of them in the sample. Nothing here but `id` reaches a voter.
    """

    id: str
    run: str
    case_id: str
    document_id: str
    technique: str
    type: CaseType
    llm: str
    embedding: str
    language: str
    status: Literal["pass", "fail"]
    decided_by: str
    weakest: tuple[str, ...] = ()
    judge: str
    population: int
    drawn: int


class PanelVote(Record):
    """One vote of one panel member; `vote` is None where it failed, and `failure` then says why."""

    id: str
    run: str
    case_id: str
    document_id: str
    technique: str
    type: CaseType
    llm: str
    embedding: str
    key: str
    voter: str
    served_voter: str | None = None
    vote: Vote | None = None
    reason: str = ""
    prompt_sha256: str
    call: Call | None = None
    failure: Failure | None = None


class PanelDecision(Record):
    """What came of one sampled answer.

    `decision` is "ambiguous" for a tie or too few votes until a person decides, and "open" where votes are still to
    come. The positive class is the oracle's "fail": TP is a failure that the panel confirms.
    """

    id: str
    run: str
    case_id: str
    document_id: str
    technique: str
    type: CaseType
    llm: str
    embedding: str
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
