"""Ranking metrics of one query, as trec_eval defines them: a ranked list of ids, graded gold, a cut at K.

Hit rate, recall, reciprocal rank, nDCG and average precision are the tool's `Success@K`, `R@K`, `RR@K`, `nDCG@K` and
`AP@K` (Buckley and Voorhees, in TREC: Experiment and Evaluation in Information Retrieval, 2005).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import fsum, log2

from ragtester.records import RankingMetrics


def ranking_metrics(
    ranked: Sequence[str], gold: Mapping[str, int], k: int, evidence: float | None = None
) -> RankingMetrics:
    """All metrics of the first `k` of `ranked`, best first; `gold` maps every relevant id to its grade, 1 or more.

    hit: whether one of them is gold. recall: found gold / all gold. reciprocal_rank: 1 / the rank of the first gold,
    0 where there is none (the mean over queries is MRR). ndcg: Σ grade / log2(rank + 1), over the same sum of the best
    possible order (Järvelin and Kekäläinen, ACM TOIS 20 (2002), with linear gain). average_precision: the precisions at
    the ranks of gold, summed, / all gold.

    precision: found gold / what was given, which may be fewer than k (a budget, a floor, a small index): the share of
    what the model got that is relevant. None where nothing was given. The tools' `P@K` divides by k in every case; it
    is precision × given / k.

    `evidence` is passed on. Raises ValueError without gold, for a grade below 1, for k below 1 and for an id that is
    ranked twice: nothing of that has a value.
    """
    gains = _gains(ranked[:k], gold, k)
    found = sum(map(bool, gains))
    return _same_of(
        found > 0,
        found / len(gold),
        found / len(gains) if gains else None,
        next((1 / rank for rank, gain in enumerate(gains, start=1) if gain), 0.0),
        _discounted(gains) / _discounted(sorted(gold.values(), reverse=True)[:k]),
        _precisions(gains) / len(gold),
        evidence,
    )


@lru_cache(maxsize=4096)
def _same_of(
    hit: bool, recall: float, precision: float | None, rr: float, ndcg: float, ap: float, evidence: float | None
) -> RankingMetrics:
    """Equal metrics are one object: most queries of a run share a few values, at every K of the curve."""
    return RankingMetrics(
        hit=hit,
        recall=recall,
        precision=precision,
        reciprocal_rank=rr,
        ndcg=ndcg,
        average_precision=ap,
        evidence=evidence,
    )


def _gains(ranked: Sequence[str], gold: Mapping[str, int], k: int) -> list[int]:
    """The grades by rank, 0 for what is not gold."""
    if k < 1:
        raise ValueError(f"metrics at K = {k}")
    if not gold or min(gold.values()) < 1:
        raise ValueError(f"metrics need gold, with grades of 1 or more: {dict(gold)}")
    if len(set(ranked)) < len(ranked):
        raise ValueError(f"an id is ranked twice: {list(ranked)}")
    return [gold.get(name, 0) for name in ranked]


def _discounted(gains: Sequence[int]) -> float:
    """DCG: Σ gain / log2(rank + 1)."""
    return fsum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _precisions(gains: Sequence[int]) -> float:
    """Sum of the precisions at the ranks of gold."""
    ranks = [rank for rank, gain in enumerate(gains, start=1) if gain]
    return fsum(number / rank for number, rank in enumerate(ranks, start=1))
