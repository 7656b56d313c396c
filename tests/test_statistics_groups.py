"""Whether a few groups hold more than chance would put there: by hand, and by dealing the items out."""

from __future__ import annotations

from math import comb
from random import Random

import pytest

from ragtester.statistics.clusters import Cluster, find_cluster


def test_the_choice_of_groups_with_the_smallest_p_is_found() -> None:
    """60 items in 10 groups of 6; bad are 4 of a, 2 of b, 1 of c."""
    bad = {"a": 4, "b": 2, "c": 1}
    items = [((name,), n < bad.get(name, 0)) for name in "abcdefghij" for n in range(6)]
    found = find_cluster(items)
    assert isinstance(found, Cluster)
    assert (found.names, found.bad, found.total, found.inside, found.of) == (("a", "b"), 6, 7, 12, 60)
    # P(X >= 6) where 12 of 60 are drawn and 7 are bad; any 2 of 10 groups, and one, two or three of them
    tail = sum(comb(12, held) * comb(48, 7 - held) for held in (6, 7)) / comb(60, 7)
    assert found.p == pytest.approx(3 * comb(10, 2) * tail)


@pytest.mark.parametrize(
    "items",
    [
        [],
        [(("a",), True)] * 5,
        [(("a",), True), *[(("b",), False)] * 50],
        [((), True)] * 5 + [(("a",), False), (("b",), False)] * 20,
        [((name,), n == 0) for name in "abcdef" for n in range(5)],
    ],
    ids=["nothing", "one group", "one bad item", "bad ones of no group", "one in each"],
)
def test_there_is_none(items: list[tuple[tuple[str, ...], bool]]) -> None:
    assert find_cluster(items) is None


def test_an_item_of_two_groups_counts_once() -> None:
    items = [(("a", "b"), True)] * 4 + [((name,), False) for name in "cdefgh" for _ in range(10)]
    found = find_cluster(items)
    assert found is not None
    assert (found.names, found.bad, found.inside, found.of, found.candidates) == (("a",), 4, 4, 64, 8)


def test_dealt_out_by_chance_less_than_one_in_twenty_is_called_a_cluster() -> None:
    random, names = Random(7), [f"g{n % 8}" for n in range(80)]
    called = 0
    for _ in range(300):
        random.shuffle(names)
        called += find_cluster([((name,), n < 12) for n, name in enumerate(names)]) is not None
    assert called <= 15
