"""Tests, effects and needed sizes against statsmodels, scipy, published figures and simulation."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact
from statsmodels.stats.contingency_tables import Table2x2
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.nonparametric import rank_compare_2indep
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    proportion_confint,
    samplesize_proportions_2indep_onetail,
)

from ragtester.errors import MissingPackageError
from ragtester.statistics import (
    fisher,
    format_p,
    holm,
    mcnemar,
    paired_cases_needed,
    paired_difference,
    rate_difference,
    relative_difference,
    unpaired_cases_needed,
    vargha_delaney,
)
from ragtester.statistics.packages import load

count = st.integers(0, 60)


@given(st.integers(0, 300), st.integers(0, 300))
@settings(max_examples=60)
def test_mcnemar_agrees_with_statsmodels(b: int, c: int) -> None:
    found = mcnemar(b, c)
    assert found.n == b + c
    if b + c:
        assert found.p == pytest.approx(reference_mcnemar([[5, b], [c, 5]], exact=True).pvalue)
    if b and c:
        low, high = proportion_confint(b, b + c, method="beta")
        assert found.effect == pytest.approx(b / c)
        assert found.interval is not None
        assert (found.interval.low, found.interval.high) == pytest.approx((low / (1 - low), high / (1 - high)))


def test_mcnemar_by_hand() -> None:
    # 1 against 7: 2 (1 + 8) / 2^8
    assert mcnemar(1, 7).p == pytest.approx(18 / 256)
    nothing = mcnemar(0, 0)
    assert (nothing.p, nothing.effect, nothing.interval) == (1.0, None, None)
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 3)


def test_a_side_without_a_case_keeps_a_finite_interval_and_says_how() -> None:
    found = mcnemar(5, 0)
    assert found.p == pytest.approx(2 / 32)
    assert found.effect == pytest.approx(5.5 / 0.5)
    assert "0.5 added" in found.effect_name
    assert found.interval is not None
    assert 0 < found.interval.low < 11 < found.interval.high < 1e6


@given(count, count, count, count)
@settings(max_examples=80)
def test_fisher_agrees_with_scipy_and_statsmodels(a: int, b: int, c: int, d: int) -> None:
    found = fisher(a, b, c, d)
    if a + b == 0 or c + d == 0:
        assert (found.p, found.effect, found.interval) == (1.0, None, None)
        return
    assert found.p == pytest.approx(min(1, fisher_exact([[a, b], [c, d]]).pvalue))
    shift = 0.0 if min(a, b, c, d) else 0.5  # statsmodels' own shift_zeros puts 0.5 in the empty cells only
    table = Table2x2(np.array([[a, b], [c, d]]) + shift)
    assert found.effect == pytest.approx(table.oddsratio)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(table.oddsratio_confint())
    assert ("0.5 added" in found.effect_name) == (min(a, b, c, d) == 0)


def test_newcombes_paired_difference_as_published() -> None:
    # Newcombe 1998, Statistics in Medicine 17, 2635: the table 36, 12, 2, 0 gives 0.0569 to 0.3404 by method 10.
    found = paired_difference(36, 12, 2, 0)
    assert found is not None
    assert found.interval is not None
    assert found.value == pytest.approx(0.2)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.0569, 0.3404), abs=5e-5)


@given(count, count, count, count)
def test_a_paired_difference_turns_its_sign_with_the_sides(both: int, first: int, second: int, neither: int) -> None:
    found, turned = paired_difference(both, first, second, neither), paired_difference(both, second, first, neither)
    if found is None or turned is None:
        assert both + first + second + neither == 0
        return
    assert found.interval is not None
    assert turned.interval is not None
    assert -1 <= found.interval.low <= found.value <= found.interval.high <= 1
    assert (turned.value, turned.interval.low) == pytest.approx((-found.value, -found.interval.high))


@given(st.integers(1, 80), st.integers(1, 80), st.data())
@settings(max_examples=60)
def test_the_unpaired_difference_agrees_with_statsmodels(n: int, m: int, data: st.DataObject) -> None:
    a, b = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    found = rate_difference((a, n), (b, m))
    assert found is not None
    assert found.interval is not None
    expected = confint_proportions_2indep(a, n, b, m, method="newcomb", compare="diff")
    assert found.value == pytest.approx(a / n - b / m)
    assert (found.interval.low, found.interval.high) == pytest.approx(expected, abs=1e-9)


def test_differences_of_nothing_are_none() -> None:
    assert rate_difference((0, 0), (1, 2)) is None
    assert paired_difference(0, 0, 0, 0) is None


@given(
    st.lists(st.sampled_from([0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=20),
    st.lists(st.sampled_from([0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=20),
)
@settings(max_examples=60)
def test_a12_counts_pairs_and_ties_half(x: list[float], y: list[float]) -> None:
    wins = sum((a > b) + 0.5 * (a == b) for a in x for b in y)
    found = vargha_delaney(x, y)
    assert found.effect is not None
    assert found.effect == pytest.approx(wins / len(x) / len(y))
    assert found.interval is not None
    assert 0 <= found.interval.low <= found.effect <= found.interval.high <= 1
    assert 0 < found.p <= 1
    turned = vargha_delaney(y, x)
    assert turned.interval is not None
    assert (turned.interval.low, turned.p) == pytest.approx((1 - found.interval.high, found.p), abs=1e-9)


def test_the_area_interval_ends_where_hanley_and_mcneils_deviation_says() -> None:
    x, y = [3.0, 5, 7, 8, 9, 11], [1.0, 2, 4, 6, 10]
    found = vargha_delaney(x, y)
    assert found.effect is not None
    assert found.interval is not None
    m, n = len(x), len(y)
    for t in (found.interval.low, found.interval.high):
        q1, q2, size = t / (2 - t), 2 * t * t / (1 + t), (m + n) / 2 - 1
        variance = (t * (1 - t) + size * (q1 - t * t) + size * (q2 - t * t)) / (m * n)
        assert abs(t - found.effect) == pytest.approx(1.959964 * variance**0.5, rel=1e-5)
    reference = rank_compare_2indep(x, y)
    assert found.effect == pytest.approx(reference.prob1)
    low, high = reference.conf_int()
    assert found.interval.low < low + 0.25
    assert found.interval.high > min(high, 1) - 0.25


def test_the_area_interval_holds_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    truth = 0.8025  # P(X > Y) of normals 1.2 apart: Phi(1.2 / sqrt 2) = 0.8019, checked below by the draws' mean
    held, areas = 0, []
    for _ in range(400):
        found = vargha_delaney(list(rng.normal(1.2, 1, 25)), list(rng.normal(0, 1, 30)))
        assert found.interval is not None
        assert found.effect is not None
        areas.append(found.effect)
        held += found.interval.low <= truth <= found.interval.high
    assert np.mean(areas) == pytest.approx(truth, abs=0.01)
    assert held / 400 > 0.93


def test_nothing_to_compare_speaks_against_nothing() -> None:
    assert vargha_delaney([], [1.0]).effect is None
    same = vargha_delaney([1.0, 1.0], [1.0])
    assert (same.p, same.effect) == (1.0, 0.5)


@settings(max_examples=25)
@given(st.lists(st.integers(0, 1000), max_size=12))
def test_holm_agrees_with_statsmodels(thousandths: list[int]) -> None:
    values = [number / 1000 for number in thousandths]
    ps = {f"test {number}": p for number, p in enumerate(values)}
    found = holm(ps)
    assert list(found) == list(ps)
    if values:
        assert list(found.values()) == pytest.approx(list(multipletests(values, method="holm")[1]))


def test_connors_size_reaches_its_power() -> None:
    # psi = 0.3, d = 0.1: (1.95996 sqrt 0.3 + 0.84162 sqrt 0.29)^2 / 0.01 = (1.07352 + 0.45322)^2 / 0.01 = 233.1
    n = paired_cases_needed(20, 10, 100)
    assert n == 234
    draw, seen = random.Random(1), 0
    for _ in range(500):
        b = c = 0
        for _ in range(n):
            chance = draw.random()
            b, c = b + (chance < 0.2), c + (0.2 <= chance < 0.3)
        seen += abs(b - c) / max(1, b + c) ** 0.5 > 1.959964
    assert seen / 500 == pytest.approx(0.8, abs=0.05)
    assert paired_cases_needed(5, 5, 100) is None
    assert paired_cases_needed(0, 0, 0) is None
    with pytest.raises(ValueError, match="discordant"):
        paired_cases_needed(3, 2, 4)


@pytest.mark.parametrize(("p1", "p2"), [(0.6, 0.7), (0.1, 0.05), (0.5, 0.9), (0.0, 0.2), (0.98, 1.0)])
@pytest.mark.parametrize("power", [0.8, 0.9])
def test_two_shares_need_what_statsmodels_says(p1: float, p2: float, power: float) -> None:
    expected = samplesize_proportions_2indep_onetail(p1 - p2, p2, power, alpha=0.05, alternative="two-sided")
    found = unpaired_cases_needed(p1, p2, power)
    assert found is not None
    assert 0 <= found - expected < 1


def test_no_difference_needs_no_number() -> None:
    assert unpaired_cases_needed(0.6, 0.7) == 356  # the textbooks' figure
    assert unpaired_cases_needed(0.4, 0.4) is None
    with pytest.raises(ValueError, match="shares"):
        unpaired_cases_needed(1.4, 0.4)


def test_a_relative_difference_names_its_base() -> None:
    found = [relative_difference(8_880, 7_132, base) for base in ("larger", "smaller")]
    assert [str(item) for item in found] == ["+19.7 % of the larger", "+24.5 % of the smaller"]
    other = relative_difference(20_293, 21_633, "first")
    assert other is not None
    assert (round(100 * other.value, 1), other.base) == (-6.6, "of the first")
    assert relative_difference(3, 0) is None


def test_small_p_is_not_printed_as_zero() -> None:
    assert (format_p(0.0004), format_p(0.0123), format_p(1.0)) == ("p < 0.001", "p = 0.012", "p = 1.000")


def test_a_missing_package_names_what_to_install() -> None:
    with pytest.raises(MissingPackageError, match=r"no_such_package.*'ragtester-pipeline\[study\]'"):
        load("no_such_package.stats")
