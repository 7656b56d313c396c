"""Ranking metrics: sums by hand, and trec_eval's own figures on random runs."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, RR, P, R, Success, nDCG

from ragtester.records import RankingMetrics
from ragtester.statistics import ranking_metrics

IDS = [f"d:{number:08x}:{number}" for number in range(12)]


def values(found: RankingMetrics) -> tuple[float | None, ...]:
    return (found.recall, found.precision, found.reciprocal_rank, found.ndcg, found.average_precision)


def test_gold_at_the_second_and_third_rank_of_four() -> None:
    found = ranking_metrics(["x", "b", "a", "y"], {"a": 3, "b": 1, "c": 2}, k=4)
    assert found.hit
    assert found.recall == pytest.approx(2 / 3)  # a and b of a, b, c
    assert found.precision == pytest.approx(2 / 4)
    assert found.reciprocal_rank == pytest.approx(1 / 2)
    # b brings 1 at rank 2, a brings 3 at rank 3; best would be 3, 2, 1
    gained, best = 1 / log2(3) + 3 / log2(4), 3 / log2(2) + 2 / log2(3) + 1 / log2(4)
    assert found.ndcg == pytest.approx(gained / best)
    assert found.ndcg == pytest.approx((0.63093 + 1.5) / (3 + 1.26186 + 0.5), abs=1e-5)
    assert found.average_precision == pytest.approx((1 / 2 + 2 / 3) / 3)  # over all gold, found or not
    assert found.evidence is None


def test_what_lies_behind_k_does_not_count() -> None:
    found = ranking_metrics(["x", "b", "a"], {"a": 3, "b": 1}, k=2, evidence=0.25)
    # of the two best grades 3 and 1, the lower one at rank 2
    assert values(found) == pytest.approx((1 / 2, 1 / 2, 1 / 2, (1 / log2(3)) / (3 + 1 / log2(3)), (1 / 2) / 2))
    assert found.evidence == 0.25


def test_the_best_order_is_one_everywhere_and_no_hit_is_nought() -> None:
    gold = {"a": 60, "b": 40}
    assert values(ranking_metrics(["a", "b"], gold, k=2)) == (1, 1, 1, 1, 1)
    missed = ranking_metrics(["x", "y"], gold, k=2)
    assert not missed.hit
    assert values(missed) == (0, 0, 0, 0, 0)


def test_precision_is_of_what_was_given_where_that_is_less_than_k() -> None:
    assert ranking_metrics(["a"], {"a": 1}, k=4).precision == 1  # P@4 would be 1/4
    assert ranking_metrics([], {"a": 1}, k=4).precision is None
    assert ranking_metrics([], {"a": 1}, k=4).recall == 0


def test_one_of_more_gold_than_k_can_hold() -> None:
    found = ranking_metrics(["a", "b"], {"a": 1, "b": 1, "c": 1, "d": 1}, k=2)
    # nDCG compares with the best two; recall and average precision with all four
    assert values(found) == pytest.approx((2 / 4, 1, 1, 1, (1 + 1) / 4))


@pytest.mark.parametrize(
    ("ranked", "gold", "k", "fault"),
    [
        (["a"], {}, 1, "gold"),
        (["a"], {"a": 0}, 1, "grades of 1"),
        (["a"], {"a": 1}, 0, "K = 0"),
        (["a", "b", "a"], {"a": 1}, 3, "twice"),
    ],
)
def test_what_has_no_value_is_an_error(ranked: list[str], gold: dict[str, int], k: int, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        ranking_metrics(ranked, gold, k)


queries = st.tuples(
    st.lists(st.sampled_from(IDS), unique=True, max_size=len(IDS)),
    st.dictionaries(st.sampled_from(IDS), st.integers(1, 100), min_size=1),
)


@settings(deadline=None)
@given(st.lists(queries, min_size=1, max_size=5), st.integers(1, 14))
def test_the_values_are_those_of_trec_eval(asked: list[tuple[list[str], dict[str, int]]], k: int) -> None:
    measures = [R @ k, P @ k, RR @ k, nDCG @ k, AP @ k, Success @ k]
    theirs: dict[tuple[str, object], float] = {
        (row.query_id, row.measure): row.value for row in ir_measures.iter_calc(measures, *_as_tables(asked))
    }
    for number, (ranked, gold) in enumerate(asked):
        found = ranking_metrics(ranked, gold, k)
        given_ids = len(ranked[:k])
        at_k = 0.0 if found.precision is None else found.precision * given_ids / k
        ours = (found.recall, at_k, found.reciprocal_rank, found.ndcg, found.average_precision, float(found.hit))
        # A query without any result is in no run; the tool counts it as 0.
        assert ours == pytest.approx([theirs.get((f"q{number}", measure), 0.0) for measure in measures], abs=1e-9)


def _as_tables(
    asked: Sequence[tuple[list[str], dict[str, int]]],
) -> tuple[list[ir_measures.Qrel], list[ir_measures.ScoredDoc]]:
    """Qrels and a run whose scores fall strictly with the rank."""
    qrels = [
        ir_measures.Qrel(f"q{number}", name, grade)
        for number, (_, gold) in enumerate(asked)
        for name, grade in gold.items()
    ]
    run = [
        ir_measures.ScoredDoc(f"q{number}", name, float(-rank))
        for number, (ranked, _) in enumerate(asked)
        for rank, name in enumerate(ranked)
    ]
    return qrels, run


@settings(deadline=None)
@given(queries, st.integers(1, 14))
def test_all_values_lie_between_nought_and_one(query: tuple[list[str], dict[str, int]], k: int) -> None:
    ranked, gold = query
    found = ranking_metrics(ranked, gold, k)
    assert all(value is None or 0 <= value <= 1 for value in values(found))
    assert found.hit == (found.reciprocal_rank > 0) == (found.recall > 0) == (found.ndcg > 0)


@settings(deadline=None)
@given(queries, st.integers(1, 14), st.integers(1, 3))
def test_grades_matter_to_ndcg_alone(query: tuple[list[str], dict[str, int]], k: int, factor: int) -> None:
    ranked, gold = query
    found, flat = ranking_metrics(ranked, gold, k), ranking_metrics(ranked, dict.fromkeys(gold, 1), k)
    assert (found.hit, found.recall, found.precision) == (flat.hit, flat.recall, flat.precision)
    assert (found.reciprocal_rank, found.average_precision) == (flat.reciprocal_rank, flat.average_precision)
    scaled = ranking_metrics(ranked, {name: grade * factor for name, grade in gold.items()}, k)
    assert scaled.ndcg == pytest.approx(found.ndcg)  # only their ratios count
