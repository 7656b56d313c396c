"""Wilson's interval against statsmodels, scipy, and properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from ragtester.statistics import format_rate, wilson


@pytest.mark.parametrize(("successes", "n"), [(0, 1), (1, 1), (0, 10), (3, 10), (12, 40), (382, 41926), (41926, 41926)])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_agrees_with_statsmodels_and_scipy(successes: int, n: int, confidence: float) -> None:
    found = wilson(successes, n, confidence)
    assert found is not None
    low, high = proportion_confint(successes, n, alpha=1 - confidence, method="wilson")
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)
    exact = binomtest(successes, n).proportion_ci(confidence, method="wilson")
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=1e-12)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_holds_the_share_and_stays_within_0_and_1(pair: tuple[int, int]) -> None:
    found = wilson(*pair)
    assert found is not None
    assert 0 <= found.low <= pair[0] / pair[1] <= found.high <= 1


def test_an_empty_denominator_has_no_interval_and_no_rate() -> None:
    assert wilson(0, 0) is None
    assert format_rate(0, 0) == "0/0 = n/a"


@pytest.mark.parametrize(("successes", "n"), [(-1, 5), (6, 5), (1, 0)])
def test_impossible_counts_are_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="successes of"):
        wilson(successes, n)


def test_a_rate_names_its_count_and_interval() -> None:
    assert format_rate(12, 40) == "12/40 = 30.0 % [18.1, 45.4]"
