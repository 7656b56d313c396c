"""Lucky passes: counted by hand on a small control."""

from __future__ import annotations

from typing import Any

from ragtester.results import Result
from ragtester.stages.compare import compare
from ragtester.stages.compare.closed_book import control_of, lucky_cases, lucky_share, section
from ragtester.tables import Estimate, Paragraph, Rate, Table
from tests.compare_rows import results, row


def control(case_id: str, status: str, **values: Any) -> Result:
    return row(case_id, status, embedding="none", gold=0, gold_seen=0, **values)


# Six answerable cases, three a technique, and one rejection case; LLM a knows two by heart, LLM b one of these.
CASES = {"1": "ragtester", "2": "ragtester", "3": "ragtester", "4": "baseline", "5": "baseline", "6": "baseline"}
OPEN_A = {"1": "pass", "2": "pass", "3": "fail", "4": "pass", "5": "fail", "6": "pass"}
CLOSED_A = {"1": "pass", "2": "fail", "3": "fail", "4": "pass", "5": "fail", "6": "ungraded"}
CLOSED_B = {"1": "pass", "2": "fail", "3": "fail", "4": "fail", "5": "fail", "6": "missing"}


def rows() -> list[Result]:
    made = [row(name, OPEN_A[name], technique=CASES[name], document_id=f"d{name}") for name in CASES]
    made += [control(name, CLOSED_A[name], technique=CASES[name]) for name in CASES]
    made += [control(name, CLOSED_B[name], technique=CASES[name], llm="m:b") for name in CASES]
    made += [row("r", "pass", type="rejection"), control("r", "pass", type="rejection")]
    return made


def parts(given: list[Result]) -> tuple[str, dict[str, Table]]:
    made = section(results(given)).parts
    text = " ".join(part.text for part in made if isinstance(part, Paragraph))
    return text, {part.id: part for part in made if isinstance(part, Table)}


def test_lucky_cases_are_a_matter_of_the_llm_and_never_rejections() -> None:
    assert lucky_cases(results(rows())) == {("main", "m:a", "1"), ("main", "m:a", "4"), ("main", "m:b", "1")}
    known = control_of(results(rows()))
    assert known.is_lucky(row("1"))
    assert not known.is_lucky(row("2"))
    assert known.knows(row("2"))
    assert not known.knows(row("6"))  # not graded
    assert not known.knows(row("r", type="rejection"))
    assert not known.is_lucky(row("4", llm="m:b"))


def test_shares_by_llm_and_technique() -> None:
    text, tables = parts(rows())
    assert "pass 3/10 = 30.0 %" in text
    assert "(1 not graded, 1 missing)" in text
    assert "Without any document 1/1 = 100.0 % [20.7, 100.0] of the rejection cases are passed by refusing them" in text
    table = tables["lucky-passes"]
    assert table.columns == ("LLM", "baseline", "ragtester", "all cases")
    assert table.rows == (
        ("m:a", Rate(1, 2), Rate(1, 3), Rate(2, 5)),
        ("m:b", Rate(0, 2), Rate(1, 3), Rate(1, 5)),
        ("all LLMs (answers)", Rate(1, 4), Rate(2, 6), Rate(3, 10)),
        ("at least one LLM (cases)", Rate(1, 2), Rate(1, 3), Rate(2, 5)),
    )
    assert lucky_share(results(rows()), "baseline") == Rate(1, 4)


def test_pass_rates_with_and_without_lucky_cases() -> None:
    _, tables = parts(rows())
    table = tables["pass-without-lucky"]
    # Of 1 to 5 three pass; without 1 and 4 one of three. Case 6 has no graded control.
    (cells,) = table.rows
    assert cells[:3] == ("m:a × e:x", Rate(3, 5), Rate(1, 3))
    change = cells[3]
    assert isinstance(change, Estimate)
    assert round(change.value, 6) == round(100 * (1 / 3 - 3 / 5), 6)
    assert change.interval is not None
    assert change.interval.low <= change.value <= change.interval.high
    assert cells[4] == Rate(2, 3)
    assert table.notes[-1] == "Left out, for their control is not graded: 1 answer."


def test_all_passes_lucky_leaves_nothing_to_divide_by() -> None:
    given = [row("1", "pass"), control("1", "pass")]
    (cells,) = parts(given)[1]["pass-without-lucky"].rows
    assert cells[1:] == (Rate(1, 1), Rate(0, 0), None, Rate(1, 1))


def test_without_a_control_the_command_is_named() -> None:
    text, tables = parts([row("1", "pass")])
    assert "`ragtester execute --closed-book --run main`" in text
    assert "`ragtester judge --closed-book --run main`" in text
    assert tables == {}


def test_an_unjudged_control_names_the_judge_alone() -> None:
    text, tables = parts([row("1", "pass"), control("1", "missing")])
    assert "is not judged: `ragtester judge --closed-book --run main`" in text
    assert "0/0 = n/a" in text
    assert tables == {}


def test_the_embedded_engine_is_shown_and_counted_nowhere() -> None:
    name = "embedded:rules"
    text, tables = parts([row("1", "pass", llm=name), control("1", "fail", llm=name), *rows()])
    assert "embedded engine (embedded:rules) has no memory" in text
    assert "pass 3/10 = 30.0 %" in text
    table = tables["lucky-passes"]
    assert (name, Rate(0, 0), Rate(0, 1), Rate(0, 1)) in table.rows
    assert table.rows[-2][-1] == Rate(3, 10)
    assert [cells[0] for cells in tables["pass-without-lucky"].rows] == ["m:a × e:x"]
    alone = [row("1", "pass", llm=name), control("r", "pass", llm=name, type="rejection")]
    text, _ = parts(alone)
    assert text == (
        "The embedded engine (embedded:rules) has no memory: the control means nothing for it, and it is in no total "
        "here."
    )
    short = [part.text for part in compare(results(alone)).sections[0].parts if isinstance(part, Paragraph)]
    assert f"Closed-book control. {text}" in short
    text, _ = parts([row("1", "pass", llm=name)])
    assert "a control would mean nothing" in text
    assert "`ragtester" not in text
