"""What fails together, counted by hand."""

from __future__ import annotations

from typing import Any

import pytest

from ragtester.results import Result
from ragtester.stages.compare.overlap import section
from ragtester.stages.compare.overlap_systems import MOST_SYSTEMS, system_pairs, system_parts
from ragtester.stages.compare.view import make_view
from ragtester.tables import Paragraph, Rate, Table
from tests.compare_rows import case, results, row

# Evidence: r1 and b1 share characters 10 to 20 of page 1; r2 and b2 stand on page 2, apart from each other; b3 and r3
# are alone on pages 3 and 4. The rejection case stands nowhere.
CASES = [
    case("r1", ((0, 20),), sections=(0,)),
    case("r2", ((200, 210),), sections=(2,), pages=(2,)),
    case("r3", ((400, 410),), sections=(4,), pages=(4,)),
    case("no", type="rejection"),
    case("b1", ((10, 30),), sections=(0,), technique="baseline"),
    case("b2", ((220, 230),), sections=(3,), pages=(2,), technique="baseline"),
    case("b3", ((300, 310),), sections=(3,), pages=(3,), technique="baseline"),
]
KINDS = {one.id: {"technique": one.technique, "type": one.type} for one in CASES}
X = {"r1": "fail", "r2": "fail", "r3": "fail", "no": "fail", "b1": "fail", "b2": "pass", "b3": "fail"}
Y = {"r1": "pass", "r2": "fail", "r3": "pass", "no": "pass", "b1": "fail", "b2": "ungraded", "b3": "pass"}


def answers(statuses: dict[str, str], embedding: str) -> list[Result]:
    return [row(name, status, embedding=embedding, **KINDS[name]) for name, status in statuses.items()]


def parts(rows: list[Result], cases: list[Any] = CASES) -> tuple[str, dict[str, Table]]:
    made = section(results(rows, cases)).parts
    text = " ".join(part.text for part in made if isinstance(part, Paragraph))
    return text, {part.id: part for part in made if isinstance(part, Table)}


def test_techniques_meet_in_sections_and_pages() -> None:
    text, tables = parts(answers(X, "e:x"))
    # Sections: baseline asked 0 and 3 and failed both (b3); ragtester asked and failed 0, 2, 4. Pages: baseline
    # asked 1, 2, 3 and failed 1, 3; ragtester asked and failed 1, 2, 4.
    assert tables["technique-overlap"].rows == (
        ("sections, baseline / ragtester", Rate(1, 4), 1, 1, 2, Rate(1, 4)),
        ("pages, baseline / ragtester", Rate(2, 4), 1, 1, 2, Rate(1, 4)),
    )
    assert "Pages, baseline / ragtester: both fail on 1/4 = 25.0 %" in text


def test_places_of_two_systems_are_apart() -> None:
    _, tables = parts(answers(X, "e:x") + answers(Y, "e:y"))
    # y adds sections 0 (baseline) and 2 (ragtester), each failed by one; asked by both: 0.
    assert tables["technique-overlap"].rows[0] == (
        "sections, baseline / ragtester", Rate(2, 8), 1, 2, 3, Rate(1, 6),
    )  # fmt: skip


def test_failures_on_the_same_evidence() -> None:
    _, tables = parts(answers(X, "e:x"))
    table = tables["evidence-overlap"]
    # b1 meets the failed r1, b3 meets nothing; r1 meets the failed b1, r2 and r3 meet nothing.
    assert table.rows == (
        ("baseline, beside ragtester", Rate(1, 2), Rate(0, 2), Rate(1, 2)),
        ("ragtester, beside baseline", Rate(1, 3), Rate(0, 3), Rate(2, 3)),
    )
    assert table.notes[-1] == "Failures without evidence (rejection cases) are left out: 1 of ragtester."
    _, tables = parts(answers(Y, "e:y"))
    # b1 fails where r1 passed; r2 is alone.
    assert tables["evidence-overlap"].rows == (
        ("baseline, beside ragtester", Rate(0, 1), Rate(1, 1), Rate(0, 1)),
        ("ragtester, beside baseline", Rate(0, 1), Rate(0, 1), Rate(1, 1)),
    )


def test_two_systems_on_the_cases_that_both_have() -> None:
    view = make_view(results(answers(X, "e:x") + answers(Y, "e:y"), CASES))
    (pair,) = system_pairs(view)
    # b2 is not graded for y. x fails r1 r2 r3 no b1 b3, y fails r2 b1.
    assert (pair.common, pair.both, pair.only_first, pair.only_second) == (6, 2, 4, 0)
    assert pair.jaccard == Rate(2, 6)
    assert pair.by_chance == pytest.approx(6 * 2 / 6)


def test_verdicts_of_two_judges_are_not_set_side_by_side() -> None:
    rows = [
        row("r1", embedding="e:x", judge="j:1"),
        row("r1", embedding="e:y", judge="j:2"),
        row("r2", embedding="e:x", judge="j:1"),
        row("r2", "pass", embedding="e:y", judge="j:1"),
    ]
    (pair,) = system_pairs(make_view(results(rows, CASES)))
    assert (pair.common, pair.both, pair.only_first, pair.only_second) == (1, 0, 1, 0)


def three() -> list[Result]:
    z = {"r1": "fail", "r2": "fail", "r3": "pass", "no": "pass", "b1": "fail", "b2": "pass", "b3": "fail"}
    return answers(X, "e:x") + answers(Y, "e:y") + answers(z, "e:z")


def test_pairs_that_are_as_much_alike_are_a_tie() -> None:
    rows = [line for name in ("e:x", "e:y", "e:z") for line in answers(X, name)]
    text = " ".join(part.text for part in system_parts(make_view(results(rows, CASES))) if isinstance(part, Paragraph))
    assert "failed by both (a tie with 2 other pairs)." in text


def test_most_and_least_alike_are_named_and_the_matrix_counts_every_pair() -> None:
    text, tables = parts(three())
    # x and z share r1 r2 b1 b3 of six; y and z share r2 b1 of r1 r2 b1 b3; x and y 2 of 6.
    assert "Most alike in what they fail: m:a × e:x and m:a × e:z, with 4/6" in text
    assert "Least alike in what they fail: m:a × e:x and m:a × e:y, with 2/6" in text
    assert "Of the 6 cases that were graded for all 3 systems, 6 are failed by at least one, 2 by exactly one" in text
    assert "and 2 by all." in text
    assert tables["system-overlap-matrix"].rows == (
        ("S1 m:a × e:x", "6/7", "4/6", "2/6"),
        ("S2 m:a × e:z", "4/6", "4/7", "2/4"),
        ("S3 m:a × e:y", "2/6", "2/4", "2/6"),
    )
    assert [(cells[0], *cells[3:5]) for cells in tables["system-overlap"].rows] == [
        ("S1, S2", 7, 4),
        ("S3, S2", 6, 2),
        ("S1, S3", 6, 2),
    ]


def test_many_systems_keep_the_extremes_and_say_what_is_left() -> None:
    rows = [
        row(f"c{number}", "fail" if number <= system else "pass", embedding=f"e:{system:02}")
        for system in range(MOST_SYSTEMS + 2)
        for number in range(MOST_SYSTEMS + 2)
    ]
    _, tables = parts(rows, [])
    assert len(tables["system-overlap"].rows) == 20
    assert "of 325 pairs" in tables["system-overlap"].notes[-1]
    assert len(tables["system-overlap-matrix"].rows) == MOST_SYSTEMS
    assert "of 26" in tables["system-overlap-matrix"].notes[-1]


def test_nothing_to_compare_is_said() -> None:
    text, tables = parts([])
    assert "One technique only (none)" in text
    assert "Fewer than two systems" in text
    assert tables == {}
    text, tables = parts([row("r1", "pass", embedding=name, **KINDS["r1"]) for name in ("e:x", "e:y")])
    assert "One technique only (ragtester)" in text
    assert "No two systems have a failure" in text
    assert tables["system-overlap"].rows == ()
    assert tables["system-overlap"].notes[-1] == "1 pairs have no failure on common cases."
