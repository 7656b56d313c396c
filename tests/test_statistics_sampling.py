"""Sample sizes, stratified samples and rates weighted back, against hand computation and properties."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.statistics import (
    Stratum,
    allocation,
    sample_size,
    stratified_sample,
    stratum_weights,
    weighted_rate,
    weighted_ratio,
    wilson,
)


@pytest.mark.parametrize(
    ("population", "confidence", "margin", "size"),
    [
        (41_926, 0.95, 0.05, 382),  # the paper's: 384.15 -> 385; 385 / (1 + 384 / 41926) = 381.5 -> 382
        (10**9, 0.95, 0.05, 385),
        (10**9, 0.99, 0.05, 664),  # 2.5758^2 / 4 / 0.05^2 = 663.5
        (1_000, 0.95, 0.05, 279),  # 385 / 1.384 = 278.2
        (1_000, 0.95, 0.03, 517),  # 1067.07 -> 1068; 1068 / 2.067 = 516.7
        (385, 0.95, 0.05, 193),  # 385 / (1 + 384 / 385) = 192.75
        (2, 0.95, 0.05, 2),
        (1, 0.95, 0.05, 1),
        (0, 0.95, 0.05, 0),
        (41_926, 0.95, 1e-300, 41_926),
        (41_926, 0.9999999999999999, 0.05, 5_909),  # z = 8.2924: 6,876.3 -> 6,877 -> 5,908.1
        (41_926, 1e-300, 0.05, 1),
        (1, 1e-300, 0.05, 1),
    ],
)
def test_cochrans_size_with_both_roundings(population: int, confidence: float, margin: float, size: int) -> None:
    assert sample_size(population, confidence, margin) == size


@given(st.integers(0, 10**7), st.floats(0.5, 0.999), st.floats(0.005, 0.5))
def test_a_sample_is_never_larger_than_its_population(population: int, confidence: float, margin: float) -> None:
    size = sample_size(population, confidence, margin)
    assert min(population, 1) <= size <= population


@pytest.mark.parametrize(("population", "confidence", "margin"), [(-1, 0.95, 0.05), (9, 1.0, 0.05), (9, 0.95, 0.0)])
def test_shares_that_are_none_are_refused(population: int, confidence: float, margin: float) -> None:
    with pytest.raises(ValueError, match=r"population|confidence|margin"):
        sample_size(population, confidence, margin)


def test_largest_remainder_by_hand() -> None:
    # 10 of 47, 16, 37: quotas 4.7, 1.6, 3.7 -> 4, 1, 3 and the two largest remainders are .7 and .7
    assert allocation({"a": 47, "b": 16, "c": 37}, 10, seed=1) == {"a": 5, "b": 1, "c": 4}


def test_equal_remainders_do_not_always_go_to_the_first_names() -> None:
    populations = {f"s{number:02}": 3 for number in range(20)}
    winners: Counter[str] = Counter()
    for seed in range(60):
        winners.update(name for name, taken in allocation(populations, 10, seed).items() if taken)
    assert sum(winners.values()) == 600
    assert set(winners) == set(populations)


strata = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(0, 40), max_size=8)


@given(strata, st.integers(0, 200), st.integers(0, 10))
def test_allocation_adds_up_and_stays_within_one_of_the_quota(
    populations: dict[str, int], size: int, seed: int
) -> None:
    total = sum(populations.values())
    taken = allocation(populations, size, seed)
    assert sum(taken.values()) == min(size, total)
    for name, count in populations.items():
        assert 0 <= taken[name] <= count
        assert total == 0 or abs(taken[name] - min(size, total) * count / total) < 1


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.integers(0, 999)), unique=True, max_size=60), st.integers(0, 70))
def test_a_sample_keeps_the_order_and_does_not_depend_on_it(items: list[tuple[str, int]], size: int) -> None:
    sample = stratified_sample(items, lambda item: item[0], size, seed=7)
    positions = [items.index(item) for item in sample]
    assert positions == sorted(set(positions))
    assert len(sample) == min(size, len(items))
    turned = stratified_sample(items[::-1], lambda item: item[0], size, seed=7)
    assert turned == sample[::-1]


def test_each_stratum_draws_evenly_and_by_its_seed() -> None:
    items = [(stratum, number) for stratum in "ab" for number in range(10)]
    drawn: Counter[tuple[str, int]] = Counter()
    for seed in range(400):
        drawn.update(stratified_sample(items, lambda item: item[0], 6, seed))
    # 3 of 10 in each, so each item 120 times of 400; 4.5 standard deviations (9.2) aside
    assert all(80 < drawn[item] < 160 for item in items)


def test_the_same_sample_in_any_process() -> None:
    code = (
        "from ragtester.statistics import stratified_sample\n"
        "items = [(f'm{i % 5}', f't{i % 3}', i) for i in range(300)]\n"
        "print(stratified_sample(items, lambda item: item[:2], 40, seed=7))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1
    assert seen.pop().count("'m") == 40


def test_weights_are_population_over_sample() -> None:
    items = ["a1", "a2", "a3", "b1", "b2", "c1"]
    found = stratum_weights(items, ["a1", "b2", "a3"], lambda item: item[0])
    assert found == {"a": 1.5, "b": 2.0, "c": None}


def test_a_stratum_counts_as_much_as_its_population() -> None:
    # 9 of 10 in a stratum of 900, 2 of 10 in one of 100: (900 * 0.9 + 100 * 0.2) / 1000
    found = weighted_rate([(9, 10, 900), (2, 10, 100)])
    assert found is not None
    assert found.value == pytest.approx(0.83)
    # weights 90 and 10: var = (90^2 (9 * 0.17^2 + 1 * 0.83^2) + 10^2 (2 * 0.17^2 + 8 * 0.83^2)) / 1000^2 = 0.0082438
    assert found.effective_n == pytest.approx(0.83 * 0.17 / 0.0082438, rel=1e-6)
    assert found.interval.low < 0.83 < found.interval.high
    assert (found.n, found.covered, found.population) == (20, 1000, 1000)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=6), st.integers(1, 5), st.randoms(use_true_random=False))
def test_in_proportion_it_is_wilsons_interval(sizes: list[int], times: int, draw: random.Random) -> None:
    strata = [(draw.randint(0, n), n, n * times) for n in sizes]
    found, plain = weighted_rate(strata), wilson(sum(k for k, _, _ in strata), sum(sizes))
    assert found is not None
    assert plain is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((plain.low, plain.high), abs=1e-9)
    assert found.effective_n == pytest.approx(sum(sizes))


def test_all_or_nothing_still_has_a_width_that_unequal_weights_widen() -> None:
    even, uneven = weighted_rate([(10, 10, 100), (10, 10, 100)]), weighted_rate([(10, 10, 10), (10, 10, 990)])
    assert even is not None
    assert uneven is not None
    assert even.value == uneven.value == uneven.interval.high == 1
    assert even.effective_n == pytest.approx(20)
    assert uneven.effective_n == pytest.approx(1000**2 / (1**2 * 10 + 99**2 * 10))
    assert uneven.interval.low < even.interval.low < 1


def test_strata_of_which_nothing_was_sampled_are_named_and_not_guessed() -> None:
    found = weighted_rate([(3, 10, 100), (0, 0, 40)])
    assert found is not None
    assert found.value == pytest.approx(0.3)
    assert (found.covered, found.population) == (100, 140)
    assert weighted_rate([(0, 0, 40)]) is None
    assert weighted_rate([]) is None


def test_recall_weights_numerator_and_denominator() -> None:
    # failures: 100 sampled of 1000, 80 of them true; passes: 50 sampled of 5000, 5 of them were failures really
    found = weighted_ratio([Stratum(80, 80, 100, 1000), Stratum(0, 5, 50, 5000)])
    assert found is not None
    assert found.value == pytest.approx(800 / (800 + 500))
    assert found.n == 85
    assert found.effective_n < 85
    with pytest.raises(ValueError, match="successes"):
        Stratum(3, 2, 5, 9)


def test_the_weighted_interval_holds_the_truth_as_often_as_it_says() -> None:
    draw = random.Random(5)
    truth, populations, sizes = (0.9, 0.4, 0.1), (6000, 3000, 1000), (60, 60, 60)
    rate = sum(p * n for p, n in zip(truth, populations, strict=True)) / sum(populations)
    held = 0
    for _ in range(600):
        strata = [
            (sum(draw.random() < p for _ in range(n)), n, population)
            for p, n, population in zip(truth, sizes, populations, strict=True)
        ]
        found = weighted_rate(strata)
        assert found is not None
        held += found.interval.low <= rate <= found.interval.high
    assert held / 600 > 0.94
