"""What tables leave out and how long names are broken, where there is little room."""

from __future__ import annotations

import pytest

from ragtester.tables import Rate, Table
from ragtester.tables.names import folded


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("stale.r-faq.baseline.baseline-007", ["stale.r-faq.", "baseline.", "baseline-007"]),
        ("models/gpt-4.1-2025-04-14", ["models/gpt-", "4.1-2025-04-", "14"]),
        ("abcdefghijklmnop", ["abcdefghijkl", "mnop"]),
    ],
)
def test_long_names_are_broken_behind_their_marks_and_not_within_numbers(name: str, lines: list[str]) -> None:
    assert folded(name, 12) == lines


def test_columns_that_say_nothing_are_left_out_where_that_is_asked_for() -> None:
    rows = (("a", 0, None, Rate(0, 0), Rate(0, 5), 0), ("b", 0, None, Rate(0, 0), Rate(0, 5), 1))
    table = Table("t", "T", ("name", "none", "undefined", "of nothing", "of five", "some"), rows, ("note",), keys=1)
    short = table.without_empty("none", "undefined", "of nothing", "of five", "some")
    assert short.columns == ("name", "of five", "some")
    assert short.rows == (("a", Rate(0, 5), 0), ("b", Rate(0, 5), 1))
    assert (short.id, short.notes, short.keys) == ("t", ("note",), 1)
    assert table.without_empty("of five", "some") is table
    assert table.without_empty("name").columns == table.columns
