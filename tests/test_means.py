"""Means of one value a query, and the same queries before and after a change."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ragtester.statistics import Interval, Quantity, cluster_bootstrap, mcnemar, mean, paired_means
from ragtester.statistics.randomisation import sign_flips

steps = st.integers(-4, 4).map(lambda number: number / 4)


def close(found: Interval | None, low: float, high: float, by: float) -> bool:
    return found is not None and (found.low, found.high) == pytest.approx((low, high), abs=by)


def test_the_mean_is_of_the_values_that_are_there() -> None:
    found = mean([1.0, None, 0.5, 0.0], ["a", "a", "a", "b"])
    assert found is not None
    assert (found.value, found.n) == (0.5, 3)  # 1.5 / 3
    assert mean([None, None], ["a", "b"]) is None
    assert mean([], []) is None
    with pytest.raises(ValueError, match="zip"):
        mean([1.0], ["a", "b"])


def test_documents_are_resampled_where_there_are_several() -> None:
    groups = {"a": [1.0, 0.5, 1.0], "b": [0.0], "c": [0.25, 0.5]}
    values = [value for some in groups.values() for value in some]
    found = mean(values, [name for name, some in groups.items() for _ in some], seed=3)
    assert found == Quantity(3.25 / 6, 6, cluster_bootstrap(groups, seed=3))


def test_queries_are_resampled_where_all_are_of_one_document() -> None:
    # 60 of 100 hits: the deviation of the mean is sqrt(0.6 * 0.4 / 100) = 0.049
    found = mean([1.0] * 60 + [0.0] * 40, ["a"] * 100)
    assert found is not None and found.value == 0.6
    assert close(found.interval, 0.6 - 1.96 * 0.049, 0.6 + 1.96 * 0.049, 0.015)
    values = [number / 30 for number in range(30)]
    theirs = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=5000, rng=2).confidence_interval
    again = mean(values, ["a"] * len(values))
    assert again is not None
    assert close(again.interval, theirs.low, theirs.high, 0.015)
    assert again == mean(values[::-1], ["a"] * len(values))
    alone = mean([1.0, None, 0.0], ["a", "b", "a"])  # b has no value
    assert alone is not None and alone.interval is not None


def test_where_nothing_differs_there_is_no_interval() -> None:
    for clusters in (["a", "a"], ["a", "b"]):
        assert mean([0.5, 0.5], clusters) == Quantity(0.5, 2, None)
    assert mean([0.5], ["a"]) == Quantity(0.5, 1, None)


@settings(deadline=None)
@given(st.lists(st.tuples(steps, st.sampled_from("abc")), min_size=1, max_size=20), st.randoms())
def test_the_order_of_the_queries_does_not_matter(rows: list[tuple[float, str]], draw: random.Random) -> None:
    shuffled = rows[:]
    draw.shuffle(shuffled)
    one, two = (mean([value for value, _ in some], [name for _, name in some]) for some in (rows, shuffled))
    assert one == two


def test_it_holds_the_truth_about_as_often_as_it_says() -> None:
    held = 0
    for seed in range(300):
        draw = np.random.default_rng(seed)
        found = mean([float(value) for value in draw.choice([0, 0.5, 1], 80, p=[0.2, 0.3, 0.5])], ["a"] * 80, seed)
        assert found is not None and found.interval is not None
        held += found.interval.low <= 0.3 * 0.5 + 0.5 <= found.interval.high
    assert 0.91 < held / 300 < 0.985


def test_the_same_queries_before_and_after() -> None:
    found = paired_means([0.0, 0.5, 1.0, None, 0.0], [1.0, 0.5, 0.5, 1.0, None], ["a", "a", "b", "b", "b"])
    assert found is not None
    # the first three have both: 1.5 / 3 before and 2 / 3 after; differences 1, 0 and -1/2
    assert (found.before, found.after) == (0.5, 2 / 3)
    assert found.difference.value == pytest.approx(1 / 6) and found.difference.n == 3
    assert (found.higher, found.lower, found.same) == (1, 1, 1)
    # signs give 1.5, 0.5, -0.5, -1.5: all as far from 0 as 0.5
    assert (found.test.p, found.test.n, found.test.effect) == (1, 3, found.difference.value)
    # a brings +1 and 0, b brings -1/2: means of two draws are 1/2 (aa), 1/6 (ab, ba), -1/2 (bb)
    assert found.difference.interval == found.test.interval == Interval(-0.5, 0.5)
    assert paired_means([None, 1.0], [1.0, None], ["a", "b"]) is None
    with pytest.raises(ValueError, match="zip"):
        paired_means([1.0], [1.0, 0.0], ["a", "b"])


def test_noise_of_floats_is_no_difference() -> None:
    found = paired_means([0.1 + 0.2, 0.5], [0.3, 0.5], ["a", "b"])
    assert found is not None
    assert (found.higher, found.lower, found.same, found.test.p) == (0, 0, 2, 1)


@settings(deadline=None)
@given(st.lists(st.tuples(steps, steps, st.sampled_from("abc")), min_size=1, max_size=12))
def test_the_other_way_round_everything_is_mirrored(rows: list[tuple[float, float, str]]) -> None:
    before, after, clusters = ([row[at] for row in rows] for at in (0, 1, 2))
    one, two = paired_means(before, after, clusters), paired_means(after, before, clusters)  # type: ignore[arg-type]
    assert one is not None and two is not None
    assert (one.before, one.higher, one.same) == (two.after, two.lower, two.same)
    assert one.difference.value == -two.difference.value
    assert one.test.p == two.test.p
    if one.difference.interval and two.difference.interval:
        ends = one.difference.interval
        assert close(two.difference.interval, -ends.high, -ends.low, 1e-9)


def test_signs_counted_by_hand() -> None:
    assert sign_flips([], 1) == sign_flips([0.0, 0.0], 1) == 1
    assert sign_flips([0.5, 0.5, 0.5, 0.5, 1.0], 1) == pytest.approx(2 / 32)  # all one way, or all the other
    # 3, 2 and -1: of the 8 sums 6, 4, 2, 0, 0, -2, -4, -6 four are at least 4 from 0
    assert sign_flips([3.0, 2.0, -1.0, 0.0], 1) == pytest.approx(4 / 8)
    assert sign_flips([0.1, 0.4, 0.9], 1) == pytest.approx(2 / 8)  # whatever floats make of 0.1 + 0.4 + 0.9


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-6, 6).map(lambda number: number / 8), min_size=2, max_size=8))
def test_all_signs_are_those_of_scipy(differences: list[float]) -> None:
    theirs = stats.permutation_test(
        (differences,), lambda values, axis: np.sum(values, axis=axis), permutation_type="samples", vectorized=True
    )
    assert sign_flips(differences, 1) == pytest.approx(min(1.0, float(theirs.pvalue)))


@pytest.mark.parametrize(("b", "c"), [(7, 2), (0, 5), (40, 60), (1200, 1100)])
def test_differences_of_one_size_give_mcnemars_exact_test(b: int, c: int) -> None:
    found = sign_flips([1.0] * b + [-1.0] * c + [0.0] * 10, 1)
    assert found == pytest.approx(mcnemar(b, c).p)


def test_many_different_sizes_are_flipped_at_random() -> None:
    draw = np.random.default_rng(4)
    differences = [float(value) for value in draw.normal(0.25, 1, 61)]
    found = sign_flips(differences, 1)
    # the sum under random signs is nearly normal, with the variance of the sum of squares
    far = abs(sum(differences)) / np.sqrt(np.square(differences).sum())
    assert found == pytest.approx(2 * stats.norm.sf(far), abs=0.015)
    assert found == sign_flips(list(reversed(differences)), 1) != sign_flips(differences, 2)
    assert found == sign_flips([-value for value in differences], 1)
    assert sign_flips([abs(value) for value in differences], 1) == 1 / 10_000  # never 0


def test_without_a_difference_it_is_rarely_sure_of_one() -> None:
    draw = np.random.default_rng(8)
    small = sum(sign_flips([float(value) for value in draw.normal(0, 1, 30)], 1) < 0.05 for _ in range(300))
    assert 4 <= small <= 27  # 15 expected, deviation 3.8
