"""Techniques side by side, counted by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragtester.records import Manifest
from ragtester.results import Results
from ragtester.stages.compare.suite_costs import Costs, costs_of
from ragtester.stages.compare.suite_figures import coverage, mean, near_duplicates, question_flesch, question_words
from ragtester.stages.compare.suite_quality import read_manifests, section
from ragtester.storage import write_json
from ragtester.tables import Estimate, Paragraph, Rate, Table
from ragtester.workspace import Workspace
from tests.compare_rows import SUITE, case, document, results, row


def manifest(models: dict[str, str | None] | None = None, **counts: Any) -> Manifest:
    return Manifest(
        stage="cases", name=SUITE, models=models or {"m:writer": None}, counts=counts, seed=7, started="2026-01-01"
    )


def covered(**units: tuple[int, int]) -> dict[str, Any]:
    after = {unit: {"covered": part, "total": whole, "share": None} for unit, (part, whole) in units.items()}
    return {"total": {"after": after}}


FULL = covered(sections=(3, 4), characters=(900, 1000), pages=(2, 2), evidence_characters=(30, 1000))
CASES = [
    case("r1", ((0, 20),), question="How heavy is the crane in mode 3?", lexical_overlap=0.5, flesch=60.0),
    case("r2", ((10, 30),), question="How heavy is the crane in mode 4?", lexical_overlap=0.7, flesch=40.0, pages=(2,)),
    case("r3", type="rejection", subtype="invented", question="How heavy is the crane, in mode 3?"),
    case("b1", ((0, 10),), technique="baseline", type="baseline", question="How heavy is the crane in mode 3?"),
]


def sample() -> Results:
    rows = [
        row("r1", "fail", paid=0.01, judge_cost=0.02, outcome="answered"),
        row("r2", "pass", paid=0.01, judge_cost=0.02, outcome="answered"),
        row("r3", "pass", paid=0.01, outcome="abstained", decided_by="refusal", type="rejection"),
        row("r1", "fail", paid=0.01, judge_cost=0.02, outcome="answered", embedding="e:y"),
        row("r2", "ungraded", outcome="failed", decided_by="answer_failed", embedding="e:y"),
        row("r3", "missing", embedding="e:y", type="rejection"),
        row("b1", "fail", paid=None, judge_cost=0.02, outcome="answered", technique="baseline", type="baseline"),
        row("r1", "pass", embedding="none"),
        row("r2", "fail", embedding="none"),
    ]
    found = results(rows, CASES, [document()])
    found.unfilled[SUITE, "ragtester/doc"] = 1
    return found


def columns(found: Results, manifests: dict[tuple[str, str], Manifest]) -> dict[str, dict[str, Any]]:
    table = next(part for part in section(found, manifests).parts if isinstance(part, Table))
    return {
        technique: {str(cells[0]): cells[place] for cells in table.rows}
        for place, technique in enumerate(table.columns)
        if place
    }


def estimate(cell: Any) -> tuple[Any, int]:
    assert isinstance(cell, Estimate)
    return cell.value, cell.n


def test_each_figure_by_hand() -> None:
    sides = columns(sample(), {(SUITE, "ragtester"): manifest(cost=0.05, coverage=FULL)})
    ours, baseline = sides["ragtester"], sides["baseline"]
    assert (ours["cases"], baseline["cases"]) == (3, 1)
    assert (ours["unfilled"], baseline["unfilled"]) == (Rate(1, 4), Rate(0, 1))
    assert [ours[name] for name in ("baseline", "complexity", "rejection (invented)")] == [
        Rate(0, 3),
        Rate(2, 3),
        Rate(1, 3),
    ]
    assert baseline["complexity"] == Rate(0, 1)
    assert ours["sections covered"] == "3 of 4 (75.0 %)"
    assert ours["evidence characters"] == "30 of 1000 (3.0 %)"
    # without a manifest: what the evidence itself says, 10 characters on one of two pages
    assert baseline["sections covered"] is None
    assert baseline["pages with evidence"] == "1 of 2 (50.0 %)"
    assert baseline["evidence characters"] == "10 of 1000 (1.0 %)"
    # mode 3 and mode 4 ask for different things; a comma more does not
    assert ours["near-duplicates"] == Rate(1, 3)
    assert ours["words a question"] == Estimate(8.0, 3, None, "words")
    assert ours["Flesch of section"] == Estimate(50.0, 2)
    assert estimate(ours["lexical overlap"]) == (pytest.approx(0.6), 2)
    assert baseline["lexical overlap"] is None


def test_what_was_found_and_what_it_cost() -> None:
    sides = columns(sample(), {(SUITE, "ragtester"): manifest(cost=0.05)})
    ours, baseline = sides["ragtester"], sides["baseline"]
    assert ours["not graded, missing"] == 2
    assert ours["failures per 100"] == Estimate(50.0, 4)
    assert ours["cases failed by any"] == Rate(1, 3)
    assert ours["cost of cases"] == Estimate(0.05, 3, None, "$")
    # four answers at a cent; three judgements at two cents, for a refusal and a failed answer need no judge
    assert estimate(ours["cost of answers"]) == (pytest.approx(0.04), 6)
    assert estimate(ours["cost of judging"]) == (pytest.approx(0.06), 6)
    assert estimate(ours["failures per dollar"]) == (pytest.approx(2 / 0.15), 2)
    assert baseline["cost of cases"] is None
    assert baseline["cost of answers"] is None
    assert baseline["failures per dollar"] is None
    assert ours["lucky passes"] == Rate(1, 2)
    assert baseline["lucky passes"] == Rate(0, 0)


@pytest.mark.parametrize(
    ("given", "cost"),
    [
        (manifest({"embedded:rules": None}), 0.0),
        (manifest({"embedded:rules": None, "m:writer": None}), None),
        (manifest({"m:writer": None}, cost=0.25), 0.25),
        (manifest({}), None),
    ],
)
def test_cost_of_making_cases(given: Manifest, cost: float | None) -> None:
    assert costs_of([], [given]).cases == cost


def test_nothing_spent_is_nothing_to_divide_by() -> None:
    assert Costs(0.0, 0.0, 0.0).total == 0.0
    assert Costs(0.0, None, 0.0).total is None
    free = [row("r1", "fail", cost=0.0, judge_cost=0.0, outcome="answered")]
    sides = columns(results(free, CASES[:1]), {(SUITE, "ragtester"): manifest({"embedded:rules": None})})
    assert sides["ragtester"]["failures per dollar"] is None


def test_coverage_of_two_suites_is_added_and_a_format_without_pages_has_none() -> None:
    flat = covered(sections=(1, 4), characters=(100, 1000), pages=(0, 0), evidence_characters=(10, 1000))
    both = coverage(results([]), [], [manifest(coverage=FULL), manifest(coverage=flat)])
    assert both["sections covered"] == "4 of 8 (50.0 %)"
    assert both["pages with evidence"] == "2 of 2 (100.0 %)"
    assert coverage(results([]), [], [manifest(coverage=flat)])["pages with evidence"] is None


def test_near_duplicates_are_looked_for_within_a_document() -> None:
    same = [
        case(name, document_id=place, question="What is it?") for name, place in (("1", "a"), ("2", "a"), ("3", "b"))
    ]
    assert near_duplicates(same) == Rate(1, 3)
    assert near_duplicates([]) == Rate(0, 0)


def test_means_have_an_interval_over_documents() -> None:
    cases = [case(str(number), document_id=f"d{number % 3}", question="word " * number) for number in range(1, 10)]
    found = mean(cases, question_words, "words")
    assert found is not None
    assert (found.value, found.n) == (5.0, 9)
    assert found.interval is not None
    # the means of the three documents are 4, 5 and 6
    assert 4.0 <= found.interval.low <= 5.0 <= found.interval.high <= 6.0
    assert mean([], question_words) is None
    assert question_flesch(case("x", language="ja", question="これは何ですか")) is None


def test_the_sentence_and_an_empty_view() -> None:
    text = next(part.text for part in section(sample()).parts if isinstance(part, Paragraph))
    assert "ragtester: 3 cases (1 unfilled), 2/4 = 50.0 %" in text
    (only,) = section(results([])).parts
    assert "no case" in str(only)


def test_manifests_are_read_where_they_are(tmp_path: Path) -> None:
    space = Workspace(tmp_path)
    write_json(space.suite(SUITE) / "baseline" / "manifest.json", manifest(cost=1.0))
    found = read_manifests(space, sample())
    assert list(found) == [(SUITE, "baseline")]
    assert found[SUITE, "baseline"].counts == {"cost": 1.0}
