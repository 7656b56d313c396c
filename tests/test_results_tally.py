"""Counts of joined rows keep graded rows apart from those that count in no rate."""

from __future__ import annotations

from ragtester.results.tally import Tally, by, count
from ragtester.tables import Rate
from tests.compare_rows import row

ROWS = [
    row("c1", "pass"),
    row("c2", "fail", llm="m:b"),
    row("c3", "pass", llm="m:b"),
    row("c4", "ungraded", llm="m:b"),
    row("c5", "missing", llm="m:c"),
]


def test_only_graded_rows_are_in_a_rate_and_the_others_are_counted() -> None:
    found = count(ROWS)
    assert (found.graded, found.left_out) == (3, 2)
    assert (found.pass_rate, found.fail_rate) == (Rate(2, 3), Rate(1, 3))
    assert count([]) == Tally()


def test_groups_stand_in_the_order_they_are_met_and_one_without_a_grade_is_undefined() -> None:
    found = by(ROWS, lambda one: one.llm)
    assert list(found) == ["m:a", "m:b", "m:c"]
    assert found["m:b"] == Tally(passed=1, failed=1, ungraded=1)
    assert found["m:c"].pass_rate == Rate(0, 0)
    assert found["m:c"].pass_rate.share is None


def test_tallies_add_up() -> None:
    one, other = count(ROWS[:2]), count(ROWS[2:])
    one.merge(other)
    assert one == count(ROWS)
    assert one.planned == len(ROWS)
