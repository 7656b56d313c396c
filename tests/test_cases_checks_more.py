"""Faults of the checks that real texts showed."""

from __future__ import annotations

import pytest

from ragtester.stages.cases.checks import unsupported
from ragtester.stages.cases.phrases import YES_NO_ANSWERS


def test_a_line_end_between_number_and_unit_is_no_other_value() -> None:
    assert (
        unsupported("The pump rests for 30 minutes.", "The pump rests for 30\nminutes after each run.", "", "en")
        is None
    )
    assert unsupported("The pump rests for 40 minutes.", "The pump rests for 30\nminutes after each run.", "", "en")


@pytest.mark.parametrize(
    ("answer", "yes_no"),
    [
        ("yes it is", True),
        ("no, it is not", True),
        ("no", True),
        ("no more than five guests", False),
        ("si on paie par carte", False),
        ("si, les deux", True),
        ("non-members pay double", False),
        ("ja", True),
    ],
)
def test_only_a_yes_or_no_is_one(answer: str, yes_no: bool) -> None:
    assert bool(YES_NO_ANSWERS.match(answer)) is yes_no
