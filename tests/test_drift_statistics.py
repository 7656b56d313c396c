"""The statistics of drift against other libraries and sums by hand."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import NormalIndPower

from ragtester.statistics import (
    Interval,
    paired_cases_needed,
    smallest_mean_change,
    smallest_paired_change,
    swapped_rates,
)

Pairs = list[tuple[tuple[float, float], tuple[float, float]]]


def scipy_swapped(pairs: Pairs) -> float:
    """The same randomisation test by scipy, over all swaps."""
    before, after = np.array([one for one, _ in pairs]), np.array([two for _, two in pairs])

    def difference(x: Any, y: Any, axis: int) -> Any:
        one, two = x.astype(int), y.astype(int)
        own = np.where((one < len(pairs))[..., None], before[one % len(pairs)], after[one % len(pairs)]).sum(
            axis=axis - 1
        )
        other = np.where((two < len(pairs))[..., None], before[two % len(pairs)], after[two % len(pairs)]).sum(
            axis=axis - 1
        )
        return other[..., 0] / other[..., 1] - own[..., 0] / own[..., 1]

    places = np.arange(len(pairs))
    found = scipy.stats.permutation_test(
        (places, places + len(pairs)),
        difference,
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
        alternative="two-sided",
    )
    return float(found.pvalue)


def test_swapping_is_exact_for_few_answers() -> None:
    # One of two claims is unsupported after, in each of four answers: only the swap of none or of all is as far.
    pairs: Pairs = [((0, 2), (1, 2))] * 4
    assert swapped_rates(pairs, seed=1) == pytest.approx(2 / 2**4)


def test_swapping_keeps_the_claims_of_an_answer_together() -> None:
    # One answer with ten bad claims of ten is one observation, and no ten.
    assert swapped_rates([((0, 10), (10, 10)), ((0, 10), (0, 10))], seed=1) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "pairs",
    [
        [((0, 3), (1, 3)), ((1, 2), (0, 2)), ((0, 4), (2, 4)), ((0, 1), (1, 2)), ((1, 5), (3, 6)), ((0, 3), (1, 1))],
        [((0, 3), (0, 5)), ((2, 4), (0, 1)), ((1, 4), (1, 4)), ((0, 2), (2, 2)), ((0, 6), (1, 3))],
        [((0, 1), (1, 1))] * 3 + [((1, 1), (0, 1))] + [((0, 1), (0, 1))] * 4,
    ],
)
def test_swapping_agrees_with_scipy(pairs: Pairs) -> None:
    assert swapped_rates(pairs, seed=1) == pytest.approx(scipy_swapped(pairs))


def test_random_swaps_agree_with_all_of_them() -> None:
    # Fourteen answers of fourteen kinds have 2^14 swaps, more than are counted; scipy counts them all.
    pairs: Pairs = [((n % 2, 2 + n), (1 + n % 3, 3 + n)) for n in range(14)]
    exact = scipy_swapped(pairs)
    assert swapped_rates(pairs, seed=1) == pytest.approx(exact, abs=4 * sqrt(exact * (1 - exact) / 9999))
    assert swapped_rates(pairs, seed=1) == swapped_rates(pairs, seed=1)


def test_swapping_answers_that_are_alike_says_nothing() -> None:
    assert swapped_rates([((1, 3), (1, 3))] * 5, seed=1) == 1.0


def test_a_side_without_claims_has_no_rate() -> None:
    with pytest.raises(ValueError, match="counts nothing"):
        swapped_rates([((0, 0), (1, 2))], seed=1)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_swapping_gives_a_probability_that_the_order_of_sides_does_not_change(found: list[tuple[int, int]]) -> None:
    pairs: Pairs = [((one, 3), (two, 3)) for one, two in found]
    p = swapped_rates(pairs, seed=1)
    assert 0 < p <= 1
    turned: Pairs = [(two, one) for one, two in pairs]
    assert swapped_rates(turned, seed=1) == pytest.approx(p, abs=0.03)


@pytest.mark.parametrize(("discordant", "n"), [(10, 100), (30, 100), (200, 1000), (3, 40)])
def test_the_smallest_change_needs_as_many_cases_as_there_are(discordant: int, n: int) -> None:
    smallest = smallest_paired_change(discordant, n)
    assert smallest is not None
    # As a number of cases of a million, so that the counts of the other function are fine enough.
    million = 1_000_000
    psi = max(discordant / n, smallest)
    b, c = round((psi + smallest) / 2 * million), round((psi - smallest) / 2 * million)
    needed = paired_cases_needed(b, max(0, c), million)
    assert needed is not None
    assert abs(needed - n) <= 1


@pytest.mark.parametrize(("discordant", "n"), [(20, 200), (60, 400)])
def test_the_smallest_change_has_about_four_fifths_of_power(discordant: int, n: int) -> None:
    smallest = smallest_paired_change(discordant, n)
    assert smallest is not None
    psi = discordant / n
    up = (psi + smallest) / (2 * psi)
    power = 0.0
    for m in range(1, n + 1):
        k = np.arange(m + 1)
        rejected = 2 * scipy.stats.binom.cdf(np.minimum(k, m - k), m, 0.5) < 0.05
        power += scipy.stats.binom.pmf(m, n, psi) * scipy.stats.binom.pmf(k[rejected], m, up).sum()
    # The exact test is a little less powerful than the formula promises.
    assert 0.7 < power < 0.85


def test_where_nothing_differed_all_must_go_one_way() -> None:
    # (1.960 + 0.8416 sqrt(1 - d))^2 / d = (1.960 + 0.8087)^2 / 0.07666 = 100.
    assert smallest_paired_change(0, 100) == pytest.approx(0.07666, abs=1e-5)


def test_too_few_cases_see_no_change_at_all() -> None:
    assert smallest_paired_change(0, 0) is None
    assert smallest_paired_change(0, 3) is None
    with pytest.raises(ValueError, match="discordant"):
        smallest_paired_change(5, 4)


def test_the_smallest_change_of_a_mean_is_that_of_statsmodels() -> None:
    n, deviation = 50, 0.3
    half = scipy.stats.norm.ppf(0.975) * deviation / sqrt(n)
    effect = NormalIndPower(ddof=0).solve_power(nobs1=n, alpha=0.05, power=0.8, ratio=0, alternative="two-sided")
    assert smallest_mean_change(Interval(-half, half)) == pytest.approx(effect * deviation, rel=1e-3)
    assert smallest_mean_change(None) is None
