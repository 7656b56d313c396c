"""Experiments with the query path: what each setting retrieved, what changed against the baseline, what it takes."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ragtester.records.base import Failure, MeanValue, Proportion, Record
from ragtester.records.changes import Direction, QueryChanges
from ragtester.records.retrieval import GoldRank, QueryStatus, RankingMetrics, StepMetrics
from ragtester.records.retrieval_result import QueryLedger
from ragtester.records.suite import CaseType

PointKind = Literal["baseline", "variant", "grid"]


class ExperimentQuery(Record):
    """One case under one setting: a row of `experiments/<name>/queries/`. `gold` leaves out what the user may not see.

    `key` holds everything the row depends on. `metrics` are None unless `status` is "measured"; `candidates` and
    `ranked` tell of the gold among all that any arm found, and within K before the budget.
    """

    query_id: str
    document_id: str
    key: str
    point: str
    embedding: str
    technique: str
    type: CaseType
    language: str
    question: str
    k: int
    status: QueryStatus
    failure: Failure | None = None
    gold: tuple[GoldRank, ...] = ()
    context_ids: tuple[str, ...] = ()
    context_characters: int = 0
    metrics: RankingMetrics | None = None
    candidates: StepMetrics | None = None
    ranked: StepMetrics | None = None
    missed: bool | None = None


class IndexSize(Record):
    """What an index holds, over all its documents, in bytes.

    `vectors` are chunks x `dimension` x 4 (single precision), 0 without a dense arm. `sparse` are the arrays and the
    words of the BM25 index, 0 without that arm. `texts` are the chunks in UTF-8, what is embedded besides where that is
    another text. What a database adds around them is left out: it depends on the database.
    """

    chunks: int
    dimension: int
    vectors: int
    sparse: int
    texts: int

    @property
    def total(self) -> int:
        """Bytes in all."""
        return self.vectors + self.sparse + self.texts


class PointResult(Record):
    """One setting under one embedding model ("" where no dense arm asks one), measured on the suite's cases.

    `also` is its name on the grid where it is the baseline or a variant. `changes` is what differs from the baseline,
    by setting. `metrics` maps a metric's name to its mean over the measured queries; `hit` is a share, `context` the
    mean number of characters that reach a model.
    """

    name: str
    kind: PointKind
    also: str = ""
    embedding: str
    k: int
    changes: dict[str, Any] = Field(default_factory=dict)
    queries: QueryLedger
    hit: Proportion
    metrics: dict[str, MeanValue]
    context: MeanValue
    index: IndexSize | None = None


class AnswerFlip(Record):
    """An answer that passed in one run and failed in the other."""

    query_id: str
    document_id: str
    technique: str
    question: str
    llm: str
    before: Literal["pass", "fail"]
    after: Literal["pass", "fail"]


class GenerationChange(Record):
    """Answers of both runs that were graded, paired by LLM and case: which failed in one run only (McNemar)."""

    run_before: str
    run_after: str
    before: Proportion
    after: Proportion
    difference: MeanValue
    won: int
    lost: int
    p: float
    holm: float
    direction: Direction
    more: int | None = None
    flips: tuple[AnswerFlip, ...] = ()


class Comparison(QueryChanges):
    """A variant against the baseline under one embedding model of the experiment.

    `reading` is what the pair of recall and MRR says, what to look at, and what was changed.
    """

    variant: str
    embedding_before: str
    embedding_after: str
    combination: bool = False
    changes: dict[str, Any] = Field(default_factory=dict)
    generation: GenerationChange | None = None
    reading: str


class ExperimentResult(Record):
    """`experiments/<name>/result.json`: the same inputs give the same bytes; times stand in `times.json`."""

    name: str
    suite: str
    k: int
    baseline: dict[str, Any]
    points: tuple[PointResult, ...]
    comparisons: tuple[Comparison, ...] = ()
    axes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    family: int = 0
    notes: tuple[str, ...] = ()


class PointTimes(Record):
    """Seconds, measured on this machine; None where it was not measured.

    `build`: cutting the texts, embedding and storing the chunks, making the BM25 index. `query`: median over the
    batches (a document's questions each) of the seconds of a query: comparing it with the index, fusion, filter, rerank
    and packing, without embedding the question. `embed`: median over batches of embedding one question.
    """

    name: str
    embedding: str
    build: float | None = None
    query: float | None = None
    embed: float | None = None
    batches: int = 0


class ExperimentTimes(Record):
    """`experiments/<name>/times.json`.

    `front` names the points that no other beats in `quality` (a metric) and in all of `costs`.
    """

    name: str
    points: tuple[PointTimes, ...] = ()
    quality: str = ""
    costs: tuple[str, ...] = ()
    front: tuple[str, ...] = ()


class SourceShares(Record):
    """Of the chunks in the contexts of a period (a run, or the runs of a day): which arms found them.

    `asked` counts for each arm the queries that it was asked, `hits` those that it gave at least one hit to, before its
    floor. `feeds` counts the chunks that it brought into contexts through its floor, alone or with others.
    `alarm` says what is wrong, empty where nothing is.
    """

    period: str
    runs: tuple[str, ...]
    started: str
    queries: int
    chunks: int
    dense_only: Proportion
    bm25_only: Proportion
    both: Proportion
    asked: dict[str, int] = Field(default_factory=dict)
    hits: dict[str, int] = Field(default_factory=dict)
    feeds: dict[str, int] = Field(default_factory=dict)
    alarm: str = ""


class CanaryResult(Record):
    """Shares of fusion sources over time, oldest first, under the settings of the newest run.

    `alarm` is that of the last period. `left_out` says of other runs why they are not compared.
    """

    periods: tuple[SourceShares, ...]
    alarm: str = ""
    left_out: dict[str, str] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
