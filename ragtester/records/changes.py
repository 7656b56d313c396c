"""The same queries before and after a change of the search: metrics, single queries, and where on their path."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ragtester.records.base import MeanValue, Record

Direction = Literal["rose", "fell", "unclear", "same"]
Step = Literal["search", "arms", "depth", "filter", "ranking", "packing"]


class MetricComparison(Record):
    """A metric before and after, over the queries that were measured on both sides.

    `difference` is after minus before with its 95 % interval, over documents where there are several. `direction` is
    "rose" or "fell" only where that interval excludes 0 and `p` is below 0.05; "same" where no query differs, "unclear"
    otherwise, and then `more` is about how many more cases would tell, None where no number can be named or where the
    test is below 0.05 and only the interval holds 0 (documents differ, and more cases are no more documents). `holm` is
    `p` corrected for all the tests made together.

    `steps` counts the queries that went the way of the mean, by the first step of the query path at which they did:
    "search" (what any arm finds), "ranking" (what stands within K), "packing" (what the budget leaves). Where the arms
    of both sides rank alike, what they find differs by the arms that are asked ("arms") or by how many hits they give
    ("depth"). Where filters alone were changed, "filter" stands for all of these but packing. `steps` is there for
    recall, the evidence and (beyond what is found) the reciprocal rank; empty where the steps of a query are not known.
    """

    metric: str
    before: float | None
    after: float | None
    difference: MeanValue
    test: str
    p: float
    holm: float
    direction: Direction
    more: int | None = None
    steps: dict[Step, int] = Field(default_factory=dict)


class Flip(Record):
    """A query whose hit or recall changed; where other chunks are gold now, whose hit or share of the evidence did.

    `won` says that more was found after the change. `step` is where on its path it first differed so, None where that
    is not known. Ranks are those of the first gold chunk in the context, None where none is. `gold_before` and
    `gold_after` are the chunks that count: another chunker cuts other chunks.
    """

    query_id: str
    document_id: str
    question: str
    won: bool
    hit_before: bool
    hit_after: bool
    recall_before: float
    recall_after: float
    evidence_before: float | None
    evidence_after: float | None
    step: Step | None = None
    gold_before: tuple[str, ...]
    gold_after: tuple[str, ...]
    rank_before: int | None
    rank_after: int | None


class QueryChanges(Record):
    """Two searches for the same queries. `queries` counts those measured on both sides, `apart` those on one only.

    `same_gold` says whether the gold chunks are the same on both sides.
    """

    queries: int
    apart: int
    same_gold: bool
    metrics: tuple[MetricComparison, ...]
    flips: tuple[Flip, ...] = ()
