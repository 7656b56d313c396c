"""Every failed answer is of exactly one kind."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.stages.compare.failure_kinds import KINDS, failure_kind, failure_kinds, section
from ragtester.tables import Paragraph, Rate, Table
from tests.compare_rows import case, ratings, results, row

PARTLY = ratings(completeness="partially", relevance="false", keyword_match="false")
UNFAITHFUL = ratings(faithfulness="false", completeness="false")


@pytest.mark.parametrize(
    ("values", "spans", "kind"),
    [
        ({"type": "rejection", "gold": 0, "gold_seen": 0}, 0, "hallucination"),
        ({"type": "rejection", "gold": None, "gold_seen": None}, 0, "hallucination"),
        ({"gold": None, "gold_seen": None}, 1, "unknown"),
        ({"gold": 0, "gold_seen": 0}, 1, "unknown"),
        ({"gold": 2, "gold_seen": 0}, 1, "retrieval"),
        ({"gold": 1, "gold_seen": 0, "decided_by": "refusal"}, 1, "retrieval"),
        ({"gold": 2, "gold_seen": 1, "ratings": UNFAITHFUL}, 2, "integration"),
        ({"gold": 3, "gold_seen": 3, "ratings": PARTLY}, 3, "integration"),
        # two pieces of evidence that stand in one chunk
        ({"gold": 1, "gold_seen": 1, "ratings": PARTLY}, 2, "integration"),
        ({"gold": 1, "gold_seen": 1, "ratings": PARTLY}, 1, "comprehension"),
        ({"gold": 2, "gold_seen": 2, "ratings": UNFAITHFUL}, 2, "comprehension"),
        ({"gold": 1, "gold_seen": 1, "decided_by": "refusal", "ratings": PARTLY}, 1, "comprehension"),
    ],
)
def test_each_rule(values: dict[str, Any], spans: int, kind: str) -> None:
    made = case("c", tuple((number * 10, number * 10 + 5) for number in range(spans)))
    assert failure_kind(row("c", **values), made) == kind


def test_only_failures_have_a_kind() -> None:
    for status in ("pass", "ungraded", "missing"):
        assert failure_kind(row("c", status), case("c")) is None


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["pass", "fail", "ungraded", "missing"]),
            st.sampled_from(["complexity", "rejection", "coverage", "baseline"]),
            st.integers(0, 3),
            st.integers(0, 3),
        ),
        max_size=30,
    )
)
def test_kinds_add_up_to_the_failures(drawn: list[tuple[Any, Any, int, int]]) -> None:
    rows = [
        row(str(number), status, type=kind, gold=gold, gold_seen=min(gold, seen))
        for number, (status, kind, gold, seen) in enumerate(drawn)
    ]
    counts = failure_kinds(results(rows))
    assert counts.total() == sum(one.status == "fail" for one in rows)
    assert set(counts) <= set(KINDS)


def sample() -> list[Any]:
    return [
        row("a", "fail", type="rejection", subtype="invented", gold=0, gold_seen=0, document_id="one"),
        row("b", "fail", gold=1, gold_seen=0, decided_by="refusal", document_id="one"),
        row("c", "fail", gold=1, gold_seen=1, decided_by="refusal", document_id="one"),
        row("d", "fail", gold=2, gold_seen=1, document_id="two"),
        row("e", "pass", document_id="two"),
        row("f", "ungraded"),
        row("g", "missing", gold=None, gold_seen=None),
        row("a", "fail", type="rejection", subtype="invented", llm="m:b", gold=0, gold_seen=0, document_id="one"),
        # the control is no system
        row("b", "fail", embedding="none", gold=0, gold_seen=0),
    ]


def tables() -> dict[str, Table]:
    return {part.id: part for part in section(results(sample())).parts if isinstance(part, Table)}


def test_the_sentence_names_counts_and_what_is_left_out() -> None:
    text = next(part.text for part in section(results(sample())).parts if isinstance(part, Paragraph))
    assert text.startswith("5 of 6 graded answers failed (1 not graded, 1 missing).")
    assert "hallucination where a refusal was right 2/5 = 40.0 %" in text
    assert "unknown" not in text


def test_tables_count_by_system_type_and_document() -> None:
    made = tables()
    by_system = made["failure-kinds-by-system"]
    assert by_system.columns == (
        "system",
        "failed of graded",
        "hallucination",
        "retrieval",
        "integration",
        "comprehension",
    )
    assert by_system.rows == (
        ("m:a × e:x", Rate(4, 5), Rate(1, 4), Rate(1, 4), Rate(1, 4), Rate(1, 4)),
        ("m:b × e:x", Rate(1, 1), Rate(1, 1), Rate(0, 1), Rate(0, 1), Rate(0, 1)),
    )
    by_type = made["failure-kinds-by-type"]
    assert [cells[:3] for cells in by_type.rows] == [
        ("complexity", Rate(3, 4), Rate(0, 3)),
        ("rejection (invented)", Rate(2, 2), Rate(2, 2)),
    ]
    assert [cells[:2] for cells in made["failure-kinds-by-document"].rows] == [("one", Rate(4, 4)), ("two", Rate(1, 2))]


def test_false_refusals_are_parted_by_what_the_model_had() -> None:
    assert tables()["false-refusals"].rows == (("m:a × e:x", Rate(2, 4), Rate(1, 2), Rate(0, 2), Rate(1, 2)),)


def test_the_worst_documents_are_shown_and_the_rest_counted() -> None:
    rows = [row(f"{name}-{n}", document_id=f"d{name:02}") for name in range(13) for n in range(name + 1)]
    table = next(
        part
        for part in section(results(rows)).parts
        if isinstance(part, Table) and part.id == "failure-kinds-by-document"
    )
    assert [cells[0] for cells in table.rows] == [f"d{name:02}" for name in range(12, 2, -1)]
    assert "3 more" in table.notes[-1]


def test_unknown_kinds_get_a_column() -> None:
    made = section(results([row("a", gold=None, gold_seen=None, decided_by="refusal")]))
    text, by_system, *_, refusals = made.parts
    assert isinstance(text, Paragraph)
    assert "unknown (no trace or no gold chunk) 1/1" in text.text
    assert isinstance(by_system, Table)
    assert isinstance(refusals, Table)
    assert by_system.rows[0][-1] == refusals.rows[0][-1] == Rate(1, 1)


def test_nothing_failed_and_nothing_at_all() -> None:
    for rows in ([row("a", "pass")], []):
        made = section(results(list(rows)))
        assert len(made.parts) == 1
        assert "no failure to sort" in str(made.parts[0])
