"""The bootstrap over documents, and agreement between voters."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from ragtester.statistics import (
    cluster_bootstrap,
    cluster_bootstrap_difference,
    cohen_kappa,
    krippendorff_alpha,
    wilson,
)


def clustered(seed: int, documents: int, cases: int, spread: float) -> dict[str, list[float]]:
    draw = random.Random(seed)
    found = {}
    for number in range(documents):
        chance = min(1.0, max(0.0, 0.6 + draw.uniform(-spread, spread)))
        found[f"d{number}"] = [float(draw.random() < chance) for _ in range(cases)]
    return found


def test_the_resampled_mean_has_the_spread_of_the_document_means() -> None:
    # documents all right or all wrong, 8 of 20: a share of 0.4 with the deviation sqrt(0.24 / 20) = 0.1095
    groups = {f"d{number}": [float(number < 8)] * 15 for number in range(20)}
    found, plain = cluster_bootstrap(groups, seed=1, repeats=20_000), wilson(120, 300)
    assert found is not None
    assert plain is not None
    assert (found.low, found.high) == pytest.approx((0.4 - 1.96 * 0.1095, 0.4 + 1.96 * 0.1095), abs=0.03)
    assert found.high - found.low > 3 * (plain.high - plain.low)


def test_the_same_seed_and_any_order_give_the_same_interval() -> None:
    groups = {f"d{number}": [number / 7, number % 5] for number in range(12)}
    found = cluster_bootstrap(groups, seed=5)
    assert found == cluster_bootstrap(dict(reversed(groups.items())), seed=5)
    assert found != cluster_bootstrap(groups, seed=6)


def test_it_holds_the_truth_about_as_often_as_it_says() -> None:
    held = 0
    for seed in range(300):
        found = cluster_bootstrap(clustered(seed, 40, 8, 0.4), seed=seed, repeats=400)
        assert found is not None
        held += found.low <= 0.6 <= found.high
    assert 0.89 < held / 300 <= 0.99


@pytest.mark.parametrize(
    "groups", [{}, {"a": []}, {"a": [1.0, 0.0]}, {"a": [1.0], "b": []}, {"a": [1.0, 1.0], "b": [1.0]}]
)
def test_fewer_than_two_documents_or_none_that_differ_give_none(groups: dict[str, list[float]]) -> None:
    assert cluster_bootstrap(groups, seed=1) is None


def pairs(
    one: dict[str, list[float]], two: dict[str, list[float]]
) -> dict[str, list[tuple[float | None, float | None]]]:
    return {name: list(zip(one[name], two[name], strict=True)) for name in one}


def test_paired_data_resample_the_differences() -> None:
    one, two = clustered(3, 25, 6, 0.4), clustered(4, 25, 6, 0.4)
    found = cluster_bootstrap_difference(pairs(one, two), seed=9)
    by_hand = cluster_bootstrap(
        {name: [a - b for a, b in zip(one[name], two[name], strict=True)] for name in one}, seed=9
    )
    assert found is not None
    assert by_hand is not None
    assert (found.low, found.high) == pytest.approx((by_hand.low, by_hand.high))


def test_what_systems_share_in_a_document_cancels_only_in_pairs() -> None:
    # the same documents are hard for both: paired there is no doubt at all, unpaired there is
    groups = {f"d{number}": [float(number < 10)] * 5 for number in range(20)}
    together = cluster_bootstrap_difference(pairs(groups, groups), seed=1)
    apart = cluster_bootstrap_difference(
        {name: [(value, None) for value in values] for name, values in groups.items()}
        | {f"other {name}": [(None, value) for value in values] for name, values in groups.items()},
        seed=1,
    )
    assert together is None  # every draw gives exactly 0
    assert apart is not None
    # two independent means, each with the deviation sqrt(0.25 / 20) = 0.112
    assert (apart.low, apart.high) == pytest.approx((-0.31, 0.31), abs=0.05)


def test_ungraded_values_take_no_part() -> None:
    groups: dict[str, list[tuple[float | None, float | None]]] = {
        "a": [(1.0, None), (None, 0.0), (None, None)],
        "b": [(1.0, 0.0)],
        "c": [(None, None)],
        "d": [],
    }
    assert cluster_bootstrap_difference(groups, seed=1) is None  # 1 against 0 in every draw: no spread, no interval
    groups["b"].append((0.0, 0.0))
    found = cluster_bootstrap_difference(groups, seed=1)
    assert found is not None
    # a alone gives 1 - 0, b alone 1/2 - 0, both 2/3 - 0
    assert (found.low, found.high) == pytest.approx((0.5, 1.0))


def test_a_side_in_one_document_gives_none() -> None:
    assert cluster_bootstrap_difference({"a": [(1.0, 0.0)], "b": [(1.0, None)]}, seed=1) is None
    assert cluster_bootstrap_difference({}, seed=1) is None


def test_draws_without_one_side_are_left_out() -> None:
    groups: dict[str, list[tuple[float | None, float | None]]] = {
        "a": [(1.0, None)],
        "b": [(0.0, 1.0)],
        "c": [(None, 1.0)],
    }
    found = cluster_bootstrap_difference(groups, seed=1)
    assert found is not None
    assert -1 <= found.low <= found.high <= 0


def test_krippendorffs_own_example() -> None:
    # Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C: nominal, 4 observers, 12 units: 0.743
    table = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    votes = [[None if mark == "." else mark for mark in row] for row in table]
    assert krippendorff_alpha(votes) == pytest.approx(0.743, abs=5e-4)


@pytest.mark.parametrize(
    "votes",
    [
        [],
        [[], []],
        [["fail", "pass"]],  # one voter
        [["fail", None], [None, "pass"]],  # no unit with two votes
        [["fail", "fail"], ["fail", "fail"]],  # nobody ever says anything else
        [["fail", "pass"], ["fail", None]],  # the other word stands in a unit that cannot be paired
    ],
)
def test_alpha_is_undefined_without_pairs_or_with_one_word(votes: list[list[str | None]]) -> None:
    assert krippendorff_alpha(votes) is None


def test_alpha_by_hand() -> None:
    # units ab, aa, bb: of the 6 votes 2 disagree; expected: 3 * 3 * 2 / (6 * 5) = 0.6; alpha = 1 - (2 / 6) / 0.6
    assert krippendorff_alpha([["a", "a", "b"], ["b", "a", "b"]]) == pytest.approx(1 - (2 / 6) / 0.6)
    with pytest.raises(ValueError, match="zip"):
        krippendorff_alpha([["a"], ["a", "b"]])


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz")), min_size=1, max_size=40))
def test_kappa_agrees_with_statsmodels(votes: list[tuple[str, str]]) -> None:
    found = cohen_kappa([a for a, _ in votes], [b for _, b in votes])
    table = [[votes.count((a, b)) for b in "xyz"] for a in "xyz"]
    if len({word for pair in votes for word in pair}) == 1:
        assert found is None
    else:
        with np.errstate(invalid="ignore"):  # its standard error may be 0 / 0
            assert found == pytest.approx(cohens_kappa(table).kappa)


def test_kappa_leaves_out_what_one_did_not_vote_on() -> None:
    assert cohen_kappa(["x", None, "y"], ["x", "y", None]) is None
    assert cohen_kappa([None], ["x"]) is None
    assert cohen_kappa(["x", "y", "x", None], ["x", "y", "y", "x"]) == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))
