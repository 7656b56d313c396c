"""What the directions of recall and MRR say together about where to look: one rule for all that compare. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragtester.records import Direction, MetricComparison, Step
from ragtester.tables.cells import p_text

_FELL: dict[Step, str] = {
    "search": "look at chunking, the embedding model or the index",
    "arms": "an arm that found it is not asked any more: look at the arms",
    "depth": "the arms rank it as before and give fewer hits: look at fetch_k and at the reranker, which asks for more",
    "filter": "filters shut the evidence out: look at filters and filter_mode",
    "ranking": "the evidence is still among the candidates: look at the ranking (rerank, fusion, weights, floors)",
    "packing": "the evidence still stands within K before the budget: look at packing",
}
_ROSE: dict[Step, str] = {
    "search": "more evidence is found",
    "arms": "another arm finds more evidence",
    "depth": "more evidence is found, for the arms give more hits",
    "filter": "filters let more of the evidence through, or less before it",
    "ranking": "more of the evidence that was a candidate stands within K",
    "packing": "more of the evidence within K gets through packing",
}
_BURIED = "it is buried: look at the ranking (rerank, fusion weights)"
_CROWDED = "more gets through before it: look at packing"
_SANK = "look at the ranking: rerank, fusion and its weights"
_SANK_BY_FILTERS = "filters changed what stands before the evidence: look at filters and filter_mode"
_SANK_IN_PACKING = "look at packing: before the budget the ranks are no worse"
_CLIMBED = "the ranking is better"
_CLIMBED_BY_FILTERS = "filters leave less before the evidence"
_CLIMBED_IN_PACKING = "packing leaves less before the evidence"
_PLACES: dict[Step, str] = {
    "search": "in the arms' hits",
    "arms": "by the arms that are asked",
    "depth": "by the number of hits",
    "filter": "by the filters",
    "ranking": "in the ranking within K",
    "packing": "in packing",
}
_SAID: dict[Direction, str] = {
    "rose": "rose",
    "fell": "fell",
    "unclear": "did not change beyond chance",
    "same": "is the same for every query",
}
_MANY = 100_000
LEVEL = 0.05
"""Tests below speak against chance."""
NOTHING = "Nothing can be said: no query was measured on both sides."
OTHER_GOLD = "Other chunks are gold now, so the share of the evidence stands for recall."


def reading(metrics: Iterable[MetricComparison], *, same_gold: bool) -> str:
    """A sentence or two. A change is named only where interval and test agree that it is none of chance's.

    It is put down to the step of the query path at which most of the queries that went that way did so first; where
    that is not known, to the search. Where the chunks that count are others on the two sides, the share of the evidence
    takes the place of recall: only that has the same denominator.
    """
    known = {one.metric: one for one in metrics}
    found, rank = rested_on(known, same_gold=same_gold)
    if found is None or rank is None:
        return NOTHING
    subject = "The evidence found" if found.metric == "evidence" else "Recall"
    other = f" {OTHER_GOLD}" if found.metric == "evidence" else ""
    ways = found.direction, rank.direction
    if ways == ("same", "same"):
        return f"{subject} and MRR are the same for every query.{other}"
    if not {"rose", "fell"}.intersection(ways):
        here = _in_these_queries(found, rank, subject)
        if here:
            return f"{here}{other}"
        name = f"{subject[:1].lower()}{subject[1:]}"
        return f"Cannot tell: neither {name} nor MRR changed beyond chance{_needs(found, rank)}.{other}"
    said = f"{subject} {_SAID[found.direction]} and MRR {_SAID[rank.direction]}"
    return f"{said}: {_means(found, rank)}.{_counted(found, rank)}{other}"


def _in_these_queries(found: MetricComparison, rank: MetricComparison, subject: str) -> str:
    """Where the test speaks against chance and the interval over documents holds 0."""
    sure = [
        (name, one)
        for name, one in ((subject, found), ("MRR", rank))
        if one.direction == "unclear" and one.p < LEVEL and one.difference.value
    ]
    if not sure:
        return ""
    said = " and ".join(f"{name} {_way(one)}" for name, one in sure)
    p = p_text(max(one.p for _, one in sure))
    return (
        f"{said} in these queries (p {p if p.startswith('<') else f'= {p}'}), but not alike in all documents: the "
        "interval over documents holds 0, so other documents may not follow. The flips show which do."
        f"{_at_step(sure[0][1], _way(sure[0][1]))}"
    )


def _way(one: MetricComparison) -> str:
    return "rose" if (one.difference.value or 0) > 0 else "fell"


def rested_on(
    metrics: Mapping[str, MetricComparison], *, same_gold: bool
) -> tuple[MetricComparison | None, MetricComparison | None]:
    """Recall (or the share of the evidence, where other chunks are gold) and MRR."""
    name = "evidence" if not same_gold and "evidence" in metrics else "recall"
    return metrics.get(name), metrics.get("reciprocal_rank")


def _means(found: MetricComparison, rank: MetricComparison) -> str:
    packed = _first(rank, "ranking") == "packing"
    if found.direction == "fell":
        step = _first(found, "search")
        tail = {"fell": "; ranks follow recall", "rose": "; what is still found stands earlier"}
        return _FELL[step] + tail.get(rank.direction, "")
    if found.direction == "rose":
        said = _ROSE[_first(found, "search")]
        if rank.direction == "fell":
            return f"{said} and {_CROWDED if packed else _BURIED}"
        return f"{said}, and earlier" if rank.direction == "rose" else said
    sank = rank.direction == "fell"
    if _first(rank, "ranking") == "filter":
        return _SANK_BY_FILTERS if sank else _CLIMBED_BY_FILTERS
    if sank:
        return _SANK_IN_PACKING if packed else _SANK
    return _CLIMBED_IN_PACKING if packed else _CLIMBED


def _first(one: MetricComparison, unknown: Step) -> Step:
    """The step at which most queries changed; the earlier of two that are even."""
    return max(one.steps, key=one.steps.__getitem__) if one.steps else unknown


def _counted(found: MetricComparison, rank: MetricComparison) -> str:
    """How many of the queries that changed did so at the step that is named."""
    one = found if found.direction in ("rose", "fell") else rank
    return _at_step(one, one.direction)


def _at_step(one: MetricComparison, went: str) -> str:
    if not one.steps:
        return ""
    step, total = _first(one, "search"), sum(one.steps.values())
    return f" Of {total} queries that {went}, {one.steps[step]} did so first {_PLACES[step]}."


def _needs(*metrics: MetricComparison) -> str:
    known = [one.more for one in metrics if one.more]
    return f"; {more_text(min(known), 'cases')} would tell, if the difference stays what it is" if known else ""


def more_text(count: int, noun: str) -> str:
    """`about 520 more cases`: two figures are all that such a number is worth."""
    if count > _MANY:
        return f"more than {_MANY:,} more {noun}"
    digits = max(0, len(str(count)) - 2)
    return f"about {round(count, -digits):,} more {noun}"
