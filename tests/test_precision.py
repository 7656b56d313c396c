"""The precision audit's arithmetic: who is drawn, what votes decide, and what the figures say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from ragtester.records import PanelDecision, PanelVote, SampledCase, Vote
from ragtester.results import Result, Results
from ragtester.settings import AuditSettings
from ragtester.stages.precision.deciding import criterion, decide, decisions, outcome
from ragtester.stages.precision.figures import agreement, all_figures, either_way, figures
from ragtester.stages.precision.sampling import Stratum, draw, stratum_of
from tests.precision_helpers import EMBEDDING, LLM, sampled

PANEL = ("gpt-4o", "gpt-5", "llama-3.1-70b", "qwen-2.5-72b")
MARKS: dict[str, Vote] = {"+": "correct", "-": "incorrect"}


def cast(sample: Sequence[SampledCase], marks: Sequence[str]) -> dict[str, dict[str, PanelVote]]:
    """Votes of the panel: a mark a member and answer, "+" correct, "-" incorrect, "x" failed, " " still open."""
    panel: dict[str, dict[str, PanelVote]] = {name: {} for name in PANEL}
    for row, said in zip(sample, marks, strict=True):
        for name, mark in zip(PANEL, said, strict=True):
            if mark != " ":
                panel[name][row.id] = PanelVote(
                    **row.model_dump(include={"id", "run", "case_id", "document_id", "technique", "type"}),
                    llm=row.llm,
                    embedding=row.embedding,
                    key="k",
                    voter=name,
                    vote=MARKS.get(mark),
                    prompt_sha256="p",
                )
    return panel


def decided(sample: Sequence[SampledCase], marks: Sequence[str], persons: Any = None) -> list[PanelDecision]:
    return decisions(sample, list(cast(sample, marks).values()), 2, persons or {})


def test_the_papers_figures() -> None:
    """302 failures confirmed, 6 ties that a person confirmed, 74 found acceptable, of 382: 80.6 % and 19.4 %."""
    sample = [sampled(number) for number in range(382)]
    marks = ["----"] * 200 + ["-+--"] * 102 + ["+-+-"] * 6 + ["++++"] * 40 + ["++-+"] * 34
    strata = {stratum_of(sample[0]): 41926}
    alone = figures(decided(sample, marks), strata, ("overall", ""), passes=False)
    assert (alone.tp, alone.fp, alone.ambiguous, alone.by_person) == (302, 74, 6, 0)
    person: dict[str, Vote] = {row.id: "incorrect" for row in sample[302:308]}
    rows = decided(sample, marks, person)
    found = figures(rows, strata, ("overall", ""), passes=False)
    assert (found.tp, found.fp, found.ambiguous, found.by_person) == (308, 74, 0, 6)
    assert found.precision.value == pytest.approx(308 / 382)
    assert f"{found.precision.value:.1%} {found.fdr.value:.1%}" == "80.6% 19.4%"
    ends = proportion_confint(308, 382, method="wilson")
    assert (found.precision.low, found.precision.high) == pytest.approx(ends)
    right, wrong = either_way(decided(sample, marks), strata, passes=False)
    assert (right.tp, right.fp, right.ambiguous) == (308, 74, 0)
    assert (wrong.tp, wrong.fp, wrong.ambiguous) == (302, 80, 0)


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ((3, 1, 0), "correct"),
        ((0, 2, 0), "incorrect"),
        ((2, 2, 0), "ambiguous"),
        ((0, 1, 0), "ambiguous"),
        ((0, 0, 0), "ambiguous"),
        ((0, 1, 3), "open"),
        ((1, 1, 2), "open"),
        ((0, 0, 4), "open"),
        ((2, 1, 1), "correct"),
    ],
)
def test_the_majority_of_usable_votes_decides(votes: tuple[int, int, int], expected: str) -> None:
    assert decide(*votes, 2) == expected


def test_a_failed_vote_is_no_vote_and_no_tie_breaker() -> None:
    one, two, three = decided([sampled(1), sampled(2), sampled(3)], ["+-xx", "-xxx", "--x+"])
    assert [row.decision for row in (one, two, three)] == ["ambiguous", "ambiguous", "incorrect"]
    assert (one.correct, one.incorrect, one.failed, one.open) == (1, 1, 2, 0)


def test_a_person_decides_only_what_the_panel_leaves_ambiguous() -> None:
    persons: dict[str, Vote] = {"s001": "correct", "s002": "correct"}
    tie, settled = decided([sampled(1), sampled(2)], ["+-+-", "----"], persons)
    assert (tie.decision, tie.by, tie.outcome) == ("correct", "person", "FP")
    assert (settled.decision, settled.by, settled.outcome) == ("incorrect", "panel", "TP")


def test_positive_is_the_oracles_fail() -> None:
    assert outcome("fail", "incorrect") == "TP"
    assert outcome("fail", "correct") == "FP"
    assert outcome("pass", "incorrect") == "FN"
    assert outcome("pass", "correct") == "TN"
    assert outcome("fail", "ambiguous") == outcome("pass", "open") == ""


def test_a_mean_is_named_after_the_lowest_criteria() -> None:
    assert criterion(sampled(1, decided_by="refusal")) == "refusal"
    assert criterion(sampled(1, decided_by="mean", weakest=("completeness", "keyword_match"))) == (
        "mean (completeness, keyword match)"
    )
    assert criterion(sampled(1, decided_by="mean")) == "mean"


def mixed() -> tuple[list[PanelDecision], dict[Stratum, int]]:
    """100 failures, 10 drawn (8 confirmed), and 900 passes, 30 drawn (3 found wrong)."""
    fails = [sampled(number) for number in range(10)]
    passes = [sampled(number, status="pass") for number in range(10, 40)]
    marks = ["----"] * 8 + ["++++"] * 2 + ["++++"] * 27 + ["----"] * 3
    strata = {stratum_of(fails[0]): 100, stratum_of(passes[0]): 900}
    return decided([*fails, *passes], marks), strata


def test_passes_are_weighted_back_to_their_number() -> None:
    found = figures(*mixed(), ("overall", ""), passes=True)
    assert (found.tp, found.fp, found.fn, found.tn) == (8, 2, 3, 27)
    assert found.recall and found.specificity and found.accuracy
    # 80 TP and 20 FP of 100 failures; 90 FN and 810 TN of 900 passes.
    assert found.recall.value == pytest.approx(80 / 170)
    assert found.specificity.value == pytest.approx(810 / 830)
    assert found.accuracy.value == pytest.approx(890 / 1000)
    for share in (found.recall, found.specificity, found.accuracy):
        assert share.value is not None and share.low is not None and share.high is not None
        assert 0 <= share.low < share.value < share.high <= 1
    assert found.precision.value == 0.8


def test_a_stratum_without_a_decision_is_stood_for_by_the_others_of_its_status() -> None:
    rows, strata = mixed()
    other = ("pass", LLM, EMBEDDING, "ragtester", "coverage")
    found = figures(rows, {**strata, stratum(rows[-1]): 600, other: 300}, ("", ""), passes=True)
    assert found.recall and found.recall.value == pytest.approx(80 / 170)


def test_small_strata_stand_for_others_without_rounding() -> None:
    # 60 passes in 30 strata of 2, a decision in 25 of them: each stands for 2.4, not 2. All those are found wrong.
    fails = [sampled(number) for number in range(30)]
    passes = [sampled(number, status="pass", llm=f"l{number}") for number in range(30, 55)]
    strata = {stratum_of(fails[0]): 30, **{stratum_of(one): 2 for one in passes}}
    strata |= {("pass", f"l{number}", EMBEDDING, "ragtester", "complexity"): 2 for number in range(55, 60)}
    found = figures(decided([*fails, *passes], ["----"] * 55), strata, ("", ""), passes=True)
    assert found.recall and found.recall.value == pytest.approx(30 / 90)
    assert found.accuracy and found.accuracy.value == pytest.approx(30 / 90)


def stratum(row: PanelDecision) -> Stratum:
    return row.status, row.llm, row.embedding, row.technique, row.type


def test_nothing_is_said_of_recall_without_a_decided_pass() -> None:
    rows, strata = mixed()
    fails = [row for row in rows if row.status == "fail"]
    assert figures(fails, strata, ("", ""), passes=False).recall is None
    undecided = figures(fails, strata, ("", ""), passes=True)
    assert undecided.recall and undecided.recall.value is None
    assert undecided.recall.low is None


def test_no_failures_leave_precision_undefined() -> None:
    found = figures([], {}, ("overall", ""), passes=False)
    assert found.precision.value is None
    assert (found.precision.successes, found.precision.n) == (0, 0)


def test_groups_add_up_to_the_whole() -> None:
    sample = [
        sampled(number, llm=f"openai:{number % 3}", type=("coverage", "rejection")[number % 2], decided_by=by)
        for number, by in enumerate(["mean", "refusal", "faithfulness", "mean"] * 6)
    ]
    strata = Counter(map(stratum_of, sample))
    found = all_figures(decided(sample, ["---+", "+-+-", "++++", "    "] * 6), strata, passes=False)
    whole, parts = found[0], found[1:]
    for by in ("system", "type", "technique", "language", "criterion"):
        own = [one for one in parts if one.by == by]
        for name in ("sampled", "tp", "fp", "ambiguous", "open"):
            assert sum(getattr(one, name) for one in own) == getattr(whole, name), (by, name)
    assert len([one for one in parts if one.by == "system"]) == 3


def test_agreement_counts_only_cases_that_both_voted_on() -> None:
    sample = [sampled(number) for number in range(4)]
    panel = cast(sample, ["++++", "----", "+-x+", "- +-"])
    alpha, pairs = agreement(panel, [row.id for row in sample])
    pair = next(one for one in pairs if (one.first, one.second) == PANEL[:2])
    assert (pair.cases, pair.agreed) == (3, 2)
    # Observed 2/3; expected (2/3 · 1/3) + (1/3 · 2/3) = 4/9; (2/3 - 4/9) / (5/9) = 2/5.
    assert pair.kappa == pytest.approx(0.4)
    assert len(pairs) == 6
    assert alpha is not None and 0 < alpha < 1


def test_one_word_throughout_has_no_alpha() -> None:
    sample = [sampled(1), sampled(2)]
    alpha, pairs = agreement(cast(sample, ["++++", "++++"]), [row.id for row in sample])
    assert alpha is None
    assert all(pair.kappa is None and pair.agreed == pair.cases == 2 for pair in pairs)


def result(number: int, status: Any, llm: str, case_type: Any) -> Result:
    return Result(
        run="main",
        case_id=f"c{number}",
        document_id="d1",
        source="manual",
        technique="ragtester",
        type=case_type,
        subtype="",
        language="en",
        llm=llm,
        embedding=EMBEDDING,
        status=status,
    )


def test_the_papers_sample_is_drawn_in_proportion_and_from_failures_alone() -> None:
    rows = [result(n, "fail", "openai:a", "coverage") for n in range(30000)]
    rows += [result(n, "fail", "openai:b", "rejection") for n in range(11926)]
    rows += [result(n, "pass", "openai:c", "rejection") for n in range(1000)]
    rows += [result(n, "ungraded", "openai:d", "rejection") for n in range(1000)]
    found = draw(Results(rows=rows), "main", AuditSettings(), 7)
    assert len(found) == 382
    # 382 · 30000 / 41926 = 273.3
    assert Counter(row.llm for row in found) == {"openai:a": 273, "openai:b": 109}


@given(st.integers(1, 60), st.integers(0, 60), st.integers(0, 5))
def test_the_draw_depends_on_the_rows_and_not_on_their_order(fails: int, passes: int, seed: int) -> None:
    rows = [result(n, "fail", f"openai:{n % 3}", "coverage") for n in range(fails)]
    rows += [result(n, "pass", f"openai:{n % 2}", "rejection") for n in range(fails, fails + passes)]
    audit = AuditSettings(include_passes=True, margin=0.2)
    one = draw(Results(rows=rows), "main", audit, seed)
    two = draw(Results(rows=rows[::-1]), "main", audit, seed)
    assert {row.case_id for row in one} == {row.case_id for row in two}
    # The failures are the same whether passes are drawn or not.
    alone = draw(Results(rows=rows), "main", AuditSettings(margin=0.2), seed)
    assert [row for row in one if row.status == "fail"] == alone
