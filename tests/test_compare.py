"""The comparison on small runs whose figures a reader can work out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from ragtester.errors import UsageError
from ragtester.records import Manifest
from ragtester.results import Result, Results, RunInfo
from ragtester.stages.compare import brief, compare
from ragtester.stages.compare.contrasts import make_contrast
from ragtester.stages.compare.offers import Offer, budget_sentences, make_offers, quantile
from ragtester.stages.compare.pairs import compare_pair, make_family
from ragtester.stages.compare.ranking import make_rankings
from ragtester.stages.compare.view import Spend, System, View, make_view
from ragtester.tables import Cell, Document, Paragraph, Rate, Table
from tests.compare_rows import case, document, results, row

A, B, C = System("m:a", "e:x"), System("m:b", "e:x"), System("n:c", "e:x")


def asked(system: System, outcomes: str, **values: object) -> list[Result]:
    """One row a letter: p pass, f fail, u ungraded, m missing; cases 00, 01, …, two cases a document."""
    status = {"p": "pass", "f": "fail", "u": "ungraded", "m": "missing"}
    rows = []
    for place, letter in enumerate(outcomes):
        known: dict[str, object] = {"document_id": f"doc-{place // 2}", "judge": "j:j", "outcome": "answered"}
        known |= {"reason": "timeout" if letter == "u" else "not executed" if letter == "m" else ""} | values
        rows.append(row(f"case-{place:02}", status[letter], llm=system.llm, embedding=system.embedding, **known))
    return rows


def text_of(document: Document, section_id: str) -> str:
    section = next(section for section in document.sections if section.id == section_id)
    return "\n".join(part.text for part in section.parts if isinstance(part, Paragraph))


def column(table: Table, name: str) -> dict[Cell, Cell]:
    place = table.columns.index(name)
    return {line[0]: line[place] for line in table.rows}


def test_ungraded_and_missing_rows_are_in_no_rate_and_beside_every_one() -> None:
    document = compare(results(asked(A, "ppffum") + asked(B, "ppppff")))
    ledger = {line[0]: line[2:] for line in document.table("ledger").rows}
    assert ledger[A.name] == (6, 4, Rate(2, 4), 1, 1)
    assert ledger[B.name] == (6, 6, Rate(2, 6), 0, 0)
    assert column(document.table("ranking"), "not counted") == {A.name: 2, B.name: 0}
    assert document.table("not-counted").rows == (("missing", "not executed", 1), ("ungraded", "timeout", 1))
    for section in document.sections[:9]:
        if section.id not in ("scope",):
            assert "10 graded of 12 planned answers: 1 ungraded, 1 missing" in text_of(document, section.id), section.id


def test_pairs_are_counted_on_cases_that_both_have_graded() -> None:
    # 12 cases; A alone fails 1, B alone fails 8, both fail 1, neither 1; one is ungraded with A.
    view = make_view(results(asked(A, "f" + "p" * 8 + "fpu") + asked(B, "p" + "f" * 8 + "fpf")))
    pair = compare_pair(view, A, B)
    assert (pair.cases, pair.both, pair.only_first, pair.only_second) == (11, 1, 1, 8)
    # Exact binomial: 2 * (C(9,0) + C(9,1)) / 2**9
    assert pair.test.p == pytest.approx(20 / 512)
    assert pair.rates == (Rate(2, 11), Rate(9, 11))


def test_holm_runs_over_every_pair_of_the_ranking() -> None:
    # A against B: 1 and 8 discordant (p 20/512); A against C: none; B against C: 8 and 1.
    rows = asked(A, "f" + "p" * 9) + asked(B, "p" + "f" * 8 + "p") + asked(C, "f" + "p" * 9)
    family = make_family(make_view(results(rows)), [A, C, B])
    assert len(family.pairs) == 3
    pair = family.of(B, A)
    assert pair is not None
    assert pair.corrected == pytest.approx(3 * 20 / 512)  # smallest of three
    assert not pair.told_apart
    assert [family.ranks(system) for system in (A, C, B)] == [(1, 3)] * 3
    apart = make_family(make_view(results(rows)), [A, B])
    assert apart.of(A, B).corrected == pytest.approx(20 / 512)  # type: ignore[union-attr]
    assert [apart.ranks(system) for system in (A, B)] == [(1, 1), (2, 2)]


def test_what_the_data_cannot_tell_is_said_with_what_it_would_need() -> None:
    text = text_of(compare(results(asked(A, "ffpppppppp") + asked(B, "pfffpppppp"))), "ranking")
    assert f"cannot tell {A.name} from {B.name}: of 10 common cases 1 failed with both, 1 only with the first" in text
    assert "McNemar exact p = 1.000" in text
    # Connor 1987 by hand: psi 0.3, d 0.1: ((1.96 sqrt(.3) + .8416 sqrt(.29)) / .1)^2 = 233.1 -> 234, less the 10.
    assert "needs about 224 more cases" in text
    same = text_of(compare(results(asked(A, "fppppp") + asked(B, "pppppf"))), "ranking")
    assert "they failed equally often" in same


def test_the_fewest_failures_come_first_and_the_budget_is_said() -> None:
    rows = asked(A, "pppppppppf", cost=0.02, seconds=2.0) + asked(B, "ppfffppppf", cost=0.01, seconds=1.0)
    rows += asked(C, "ppppppppff", cost=0.03, seconds=3.0)
    document = compare(results(rows))
    assert [line[:2] for line in document.table("ranking").rows] == [
        (A.name, Rate(1, 10)),
        (C.name, Rate(2, 10)),
        (B.name, Rate(4, 10)),
    ]
    pareto = document.table("pareto")
    assert column(pareto, "dominated by") == {A.name: "none", B.name: "none", C.name: A.name}
    costs = column(pareto, "cost of 100 answers")
    assert [getattr(costs[system.name], "value", None) for system in (A, B, C)] == pytest.approx([2.0, 1.0, 3.0])
    text = text_of(document, "short")
    assert f"For a budget: from $1 per 100 answers {B.name}, 4/10 failed; from $2 per 100 answers {A.name}" in text
    # Wilson's interval of 1/10 ends at 40.4 %, so that 4/10 still lies within.
    assert f"Cheapest within the best's interval: {B.name}" in text


def offers_of(costs: dict[System, tuple[int, float | None]]) -> list[Offer]:
    """Systems with so many failures of 10 and such a cost of every answer."""
    view = View(Results())
    for system, (_, cost) in costs.items():
        view.spent[system] = Spend(10, costs=[] if cost is None else [cost] * 10)
    ranked = sorted(
        ((system, Rate(failed, 10)) for system, (failed, _) in costs.items()), key=lambda one: one[1].successes
    )
    return make_offers(view, ranked)


def test_an_unknown_cost_is_not_free() -> None:
    offers = {offer.system: offer for offer in offers_of({A: (1, None), B: (5, 0.0), C: (6, 0.5)})}
    assert offers[A].cost is None
    assert offers[A].dominated_by is None
    assert offers[B].dominated_by is None
    assert offers[C].dominated_by == B
    text = " ".join(budget_sentences(list(offers.values())))
    assert "The cost of 1 of 3 systems is unknown" in text
    assert f"{A.name}, free" not in text


def test_a_latency_that_is_known_of_one_alone_dominates_nobody() -> None:
    view = View(Results())
    for system, seconds in ((A, [1.0]), (B, []), (C, [2.0])):
        view.spent[system] = Spend(1, costs=[0.01], seconds=seconds)
    offers = make_offers(view, [(A, Rate(1, 10)), (B, Rate(2, 10)), (C, Rate(3, 10))])
    assert [offer.dominated_by for offer in offers] == [None, None, A]


def test_a_tie_for_the_fewest_failures_is_called_one_and_so_is_one_of_cost() -> None:
    rows = [line for system in (A, B) for line in asked(system, "pf" * 5, cost=0.01)] + asked(C, "f" * 10, cost=0.01)
    text = text_of(compare(results(rows)), "short")
    tie = f"a tie of 2 systems: {A.name} and {B.name}, each 5/10 = 50.0 % [23.7, 76.3] of its graded answers."
    assert f"Fewest failures, {tie}" in text
    assert f"Cheapest within the best's interval: a tie of {A.name} and {B.name}, $1 per 100 answers, 5/10" in text
    uneven = text_of(compare(results(asked(A, "pf" * 5) + asked(B, "pf" * 4 + "uu"))), "ranking")
    assert f"a tie of 2 systems: {A.name} (5/10 = 50.0 % [23.7, 76.3]) and {B.name} (4/8" in uneven


def test_too_few_common_cases_make_no_ranking() -> None:
    # 2 / 2**5 = 0.0625: five cases can tell nobody apart, even if one system fails all of them and the other none.
    document = compare(results(asked(A, "ppppp", cost=0.0) + asked(B, "fffff", cost=0.0)))
    text = text_of(document, "short")
    assert f"No ranking can be made of {A.name} and {B.name}: they share 5 cases, and with fewer than 6" in text
    assert "Fewest" not in text
    assert "Cheapest" not in text
    assert set(column(document.table("pareto"), "dominated by").values()) == {None}
    assert "Fewest failures: m:a" in text_of(compare(results(asked(A, "p" * 6) + asked(B, "f" * 6))), "short")


def test_a_run_of_a_few_of_the_cases_costs_the_others_none() -> None:
    few = [replace(line, case_id=f"case-{place:02}") for place, line in enumerate(asked(C, "fpf"))]
    document = compare(results(asked(A, "p" * 9 + "f") + asked(B, "f" * 10) + few))
    assert [line[:2] for line in document.table("ranking-1").rows] == [(A.name, Rate(1, 10)), (B.name, Rate(10, 10))]
    text = text_of(document, "short")
    assert "share no case that one judge graded, or fewer than 6" in text
    assert f"Group 1 (2 systems, 10 cases). Fewest failures: {A.name}" in text
    assert f"Group 2 (1 system, 3 cases). {C.name} stands alone" in text
    assert document.table("ranking-2").title == "Ranking, group 2"


def test_a_saving_of_next_to_nothing_is_no_step_of_a_budget() -> None:
    text = " ".join(budget_sentences(offers_of({A: (1, 0.100), B: (5, 0.097), C: (8, 0.05)})))
    assert f"from $5 per 100 answers {C.name}, 8/10 failed; from $10 per 100 answers {A.name}" in text
    assert B.name not in text


def test_a_few_answers_without_a_cost_are_left_out_of_the_mean_and_many_make_it_unknown() -> None:
    view = View(Results())
    view.spent[A] = Spend(20, costs=[0.01] * 19)
    view.spent[B] = Spend(20, costs=[0.01] * 18)
    costs = [offer.cost for offer in make_offers(view, [(A, Rate(1, 20)), (B, Rate(1, 20))])]
    assert costs == [pytest.approx(1.0), None]


def test_calls_that_gave_no_answer_are_paid_for_too() -> None:
    rows = asked(A, "pp", cost=0.01) + asked(A, "ppu", cost=0.04, outcome="failed")[2:]
    (offer,) = make_offers(make_view(results(rows)), [(A, Rate(0, 2))])
    assert offer.cost == pytest.approx(100 * (0.01 + 0.01 + 0.04) / 2)


@pytest.mark.parametrize(("share", "expected"), [(0.5, 2), (0.95, 4), (0.25, 1)])
def test_quantiles_are_values_that_occurred(share: float, expected: float) -> None:
    assert quantile([4, 1, 3, 2], share) == expected
    assert quantile([], share) is None


def test_one_system_alone_is_not_ranked() -> None:
    document = compare(results(asked(A, "pf")))
    assert "Only one system here, m:a × e:x: 1/2 = 50.0 % [9.5, 90.5] failed" in text_of(document, "ranking")
    assert "pairs" not in [table.id for table in document.tables]
    assert "Only one LLM took part (m:a)" in text_of(document, "factors")


def test_one_document_alone_has_no_interval_over_documents() -> None:
    rows = asked(A, "pffp", document_id="only") + asked(B, "pppf", document_id="only")
    document = compare(results(rows))
    assert set(column(document.table("ranking"), "over documents").values()) == {None}
    assert "With one document there is no interval over documents" in text_of(document, "ranking")
    assert column(document.table("llm-pairs"), "differ") == {"m:a": "n/a"}


def test_nothing_graded_says_so_everywhere() -> None:
    document = compare(results(asked(A, "um") + asked(B, "mu")))
    assert "No answer is graded" in text_of(document, "ranking")
    assert "No answer is graded" in text_of(document, "rq1")
    assert column(document.table("ranking"), "failed") == {A.name: Rate(0, 0), B.name: Rate(0, 0)}
    assert column(document.table("ranking"), "rank") == {A.name: None, B.name: None}


def test_an_unequal_matrix_is_ranked_on_the_common_cases_only() -> None:
    # B was asked two more cases, both failed: they must not count against it.
    document = compare(results(asked(A, "pppppf") + asked(B, "ppppppff")))
    assert column(document.table("ranking"), "failed") == {A.name: Rate(1, 6), B.name: Rate(0, 6)}
    assert f"Fewest failures on the 6 cases that all systems share: {B.name}, 0/6" in text_of(document, "short")
    assert any(
        "On the 6 cases that all of these systems were asked" in note for note in document.table("ranking").notes
    )
    assert "6 of 8 cases were asked of all" in text_of(document, "scope")
    missing = compare(results(asked(A, "pf") + asked(System("m:b", "e:y"), "pf")))
    assert "The matrix is not full: 2 of 2 × 2 combinations were run" in text_of(missing, "scope")


def test_systems_without_a_common_case_are_not_ranked_against_each_other() -> None:
    other = [replace(one, case_id=f"x{one.case_id}") for one in asked(B, "fff")]
    document = compare(results(asked(A, "ppf") + other))
    for section in ("ranking", "short"):
        assert "fall into 2 groups that share no case that one judge graded" in text_of(document, section)
    assert [table.id for table in document.tables if table.id.startswith("ranking")] == ["ranking-1", "ranking-2"]
    assert {table.id for table in brief(document).tables} >= {"ranking-1", "ranking-2", "pareto-1", "matrix"}


def two_runs(second: Iterable[Result], cases: bool = True) -> Results:
    found = results(asked(A, "pf"))
    found.rows += [replace(one, run="second") for one in second]
    found.runs.append(RunInfo("second", "other", None, None))
    if cases:
        for suite in ("suite", "other"):
            found.cases |= {
                (suite, f"case-{place:02}"): case(f"case-{place:02}", key=f"k{place}") for place in range(4)
            }
    return found


def test_a_case_asked_twice_of_one_system_counts_once_a_run() -> None:
    view = make_view(two_runs(asked(A, "ff")))
    assert [system.name for system in view.systems] == [f"{A.name} (main)", f"{A.name} (second)"]
    assert [view.total(lambda place, own=system: place.system == own).fail_rate for system in view.systems] == [  # type: ignore[misc]
        Rate(1, 2),
        Rate(2, 2),
    ]


def test_the_same_case_in_two_suites_is_the_same_and_an_unknown_one_is_not() -> None:
    assert len(make_rankings(make_view(two_runs(asked(B, "fp"))))) == 1
    assert len(make_rankings(make_view(two_runs(asked(B, "fp"), cases=False)))) == 2


def test_judges_are_not_mixed_within_a_pair() -> None:
    rows = asked(A, "pfpf") + asked(B, "ffff")[:2] + asked(B, "ffff", judge="k:k")[2:]
    document = compare(results(rows))
    pair = compare_pair(make_view(results(rows)), A, B)
    assert (pair.cases, pair.other_judge) == (2, 2)
    assert "2 judges took part (j:j and k:k)" in text_of(document, "short")
    assert any("2 pairs of answers were graded by different judges" in note for note in document.table("pairs").notes)


def test_a_system_of_another_judge_is_ranked_apart_though_it_was_asked_the_same_cases() -> None:
    rows = asked(A, "ffpppp") + asked(B, "pppppp", judge="imported:tool") + asked(C, "fppppp")
    document = compare(results(rows))
    assert [[line[0] for line in document.table(f"ranking-{number}").rows] for number in (1, 2)] == [
        [C.name, A.name],
        [B.name],
    ]
    short = text_of(document, "short")
    assert f"Fewest failures: {C.name}" in short
    assert f"{B.name} stands alone: 0/6 = 0.0 % [0.0, 39.0] failed." in short


def test_what_limits_the_figures_is_said_first() -> None:
    engine = System("embedded:rules", "embedded:hashing")
    rows = asked(engine, "pf", judge="embedded:judge", cost=0.0) + asked(A, "pf", judge="m:a")
    found = results(rows)
    found.notes.append("run main: its judgement has not ended")
    text = text_of(compare(found), "short")
    assert "The embedded engine took part as system under test (embedded:rules)" in text
    assert "costs nothing and has no latency" in text
    assert "The embedded engine judged, by rule" in text
    assert "Judge and system under test are the same model (m:a)" in text
    assert "run main: its judgement has not ended" in text


def test_runs_that_differ_in_more_than_their_models_say_so() -> None:
    found = with_parameters(two_runs(asked(B, "fp")), "k", (4, 8))
    assert "The runs differ in k (main: 4 and second: 8)" in text_of(compare(found), "scope")


def test_documents_that_every_question_got_whole_are_said() -> None:
    found = results(asked(A, "pf"))
    counts = {"whole_documents": {"documents": 6, "whole": 4}}
    manifest = Manifest(stage="execute", name="main", seed=1, started="", counts=counts)
    found.runs[0] = replace(found.runs[0], executed=manifest)
    said = "Run main: on 4 of 6 documents every question got the whole document"
    assert said in text_of(compare(found), "short")
    manifest.counts["whole_documents"]["whole"] = 0
    assert "whole document" not in text_of(compare(found), "short")


def other_cases(rows: list[Result]) -> list[Result]:
    return [replace(one, case_id=f"other-{one.case_id}") for one in rows]


def with_parameters(found: Results, name: str, values: tuple[int, int]) -> Results:
    """The two runs, executed with these values of a parameter."""
    for place, value in enumerate(values):
        manifest = Manifest(stage="execute", name="x", seed=1, started="", parameters={name: value})
        found.runs[place] = replace(found.runs[place], executed=manifest)
    return found


def test_one_system_under_two_setups_is_not_one_rate() -> None:
    # Other cases in each run, so that no case is asked twice: still no average of k = 4 and k = 8.
    found = with_parameters(two_runs(other_cases(asked(A, "ff"))), "k", (4, 8))
    assert [system.name for system in make_view(found).systems] == [f"{A.name} (main)", f"{A.name} (second)"]
    assert "count together" not in text_of(compare(found), "scope")


def test_one_system_graded_by_other_judges_in_other_runs_is_not_one_rate() -> None:
    found = two_runs(other_cases(asked(A, "ff", judge="k:k")))
    assert [system.name for system in make_view(found).systems] == [f"{A.name} (main)", f"{A.name} (second)"]


def test_one_system_under_one_setup_counts_together_and_that_is_said() -> None:
    found = with_parameters(two_runs(other_cases(asked(A, "ff"))), "k", (4, 4))
    view = make_view(found)
    assert (view.systems, view.total().fail_rate) == ([A], Rate(3, 4))
    assert "1 system took part in several runs with the same settings and judge" in text_of(compare(found), "scope")


def test_the_control_without_retrieval_is_no_system() -> None:
    control = [row("case-00", "pass", llm="m:a", embedding="none", judge="j:j")]
    assert make_view(results(asked(A, "pf") + control)).systems == [A]


def technique_rows(first: str, second: str, system: System = A) -> list[Result]:
    """Cases of two techniques, half a document each."""
    one = asked(system, first)
    two = [
        replace(one, case_id=f"b-{one.case_id}", technique="baseline", type="baseline") for one in asked(system, second)
    ]
    return one + two


def test_techniques_are_compared_case_by_case_with_the_base_named() -> None:
    # Fisher's tea: 3 of 4 against 1 of 4, two-sided p = 34/70.
    document = compare(results(technique_rows("fffp", "pppf")))
    table = document.table("techniques")
    (line, total) = table.rows
    cells = dict(zip(table.columns, line, strict=True))
    assert cells["ragtester"] == Rate(3, 4)
    assert cells["baseline"] == Rate(1, 4)
    assert cells["p"].value == pytest.approx(34 / 70)  # type: ignore[union-attr]
    assert cells["odds ratio"].value == pytest.approx(9.0)  # type: ignore[union-attr]
    assert cells["difference"].value == pytest.approx(50.0)  # type: ignore[union-attr]
    assert total[:3] == ("total", Rate(3, 4), Rate(1, 4))
    # A12 by hand: 4 x 4 pairs; 9 greater, 6 equal, 1 smaller: (9 + 3) / 16.
    assert "A12 0.75" in text_of(document, "rq2")


def test_the_family_of_techniques_is_corrected_together() -> None:
    rows = technique_rows("ffffffpp", "pppppppp") + technique_rows("ffffffpp", "pppppppp", B)
    contrast = make_contrast(make_view(results(rows)), lambda place: place.technique, ("ragtester", "baseline"), 7)
    # Fisher: 2 * C(8,6)C(8,0)... = 0.00699 each, two tests: both doubled.
    single = contrast.tests[A].p
    assert single == pytest.approx(2 * 28 / 8008, rel=1e-6)
    assert list(contrast.corrected.values()) == pytest.approx([2 * single, 2 * single])
    assert contrast.significant(1) == [A, B]
    assert contrast.totals[0].fail_rate == Rate(12, 16)


def test_what_is_missing_for_an_answer_is_named_with_its_command() -> None:
    document = compare(results(asked(A, "pf")))
    assert "only one technique is here (ragtester). `ragtester cases --technique all`" in text_of(document, "rq2")
    assert "only brought documents are here; `ragtester documents`" in text_of(document, "rq3")
    assert "`ragtester audit precision`" in text_of(document, "rq4")
    generated = compare(results(asked(A, "pf", source="generated")))
    assert "only generated documents are here; copy documents of your own" in text_of(generated, "rq3")
    other = compare(results(technique_rows("pf", "fp")), baseline="nobody")
    assert "the baseline nobody is not here; the techniques are baseline and ragtester" in text_of(other, "rq2")


def test_systems_with_one_technique_only_are_left_out_and_named() -> None:
    document = compare(results(technique_rows("fp", "pf") + asked(B, "fp")))
    assert f"Left out, for they lack graded answers of one side: {B.name}" in text_of(document, "rq2")
    assert [line[0] for line in document.table("techniques").rows] == [A.name, "total"]


def test_sources_are_compared_over_their_own_documents() -> None:
    text = text_of(compare(results(source_rows("f" * 23 + "p", "p" * 24))), "rq3")
    assert "Brought documents expose more failures than generated documents: 23/24" in text
    assert "over 12 documents" in text
    assert "beyond what chance among documents gives" in text
    few = text_of(compare(results(source_rows("ffpf", "ppppff"))), "rq3")
    assert "over 2 and 3 documents" in few
    alike = text_of(compare(results(source_rows("ffff", "pppp"))), "rq3")
    assert "In these few documents brought documents expose more" in alike
    assert "no spread" in alike
    same = text_of(compare(results(source_rows("pppp", "pppp"))), "rq3")
    assert "These data cannot tell brought documents from generated documents: 0/4" in same


def test_documents_made_of_contexts_are_neither_brought_nor_generated() -> None:
    rows = source_rows("pppp", "pppp") + asked(A, "ffff", document_id="imported-x", source="manual", technique="other")
    made = document("imported-x").model_copy(update={"format": "imported"})
    compared = compare(results(rows, documents=[made]))
    assert [line[1] for line in compared.table("sources").rows] == [Rate(0, 4), Rate(0, 4)]
    assert "4 answers are of documents that an import made of contexts" in text_of(compared, "rq3")


def source_rows(manual: str, generated: str) -> list[Result]:
    """Cases of brought and of generated documents."""
    rows = asked(A, manual, source="manual")
    return rows + [
        replace(one, case_id=f"g-{one.case_id}", document_id=f"g-{one.document_id}")
        for one in asked(A, generated, source="generated")
    ]


def test_models_are_compared_with_the_other_half_held_fixed() -> None:
    rows = asked(A, "ffpp") + asked(B, "pppp") + asked(System("m:a", "e:y"), "pppf")
    document = compare(results(rows))
    (line,) = document.table("llm-pairs").rows
    assert line[:4] == ("m:a", "m:b", Rate(2, 4), Rate(0, 4))  # m:b was never run with e:y
    (line,) = document.table("embedding-pairs").rows
    assert line[:4] == ("e:x", "e:y", Rate(2, 4), Rate(1, 4))
    assert line[4].value == pytest.approx(25.0)  # type: ignore[union-attr]


def test_same_rows_give_the_same_document_in_any_order() -> None:
    rows = technique_rows("ffpppf", "pppfpp") + technique_rows("fppppf", "ppffpp", B)
    one, two = compare(results(rows)), compare(results(rows[::-1]))
    assert one.table("ranking") == two.table("ranking")
    assert one.table("techniques").rows[-1] == two.table("techniques").rows[-1]
    assert one.table("matrix") == two.table("matrix")


def test_a_difference_that_rests_on_one_document_is_told_apart_by_cases_only() -> None:
    # Ten cases of one document of three make the whole difference; the other two documents know none.
    one = [replace(row, document_id="odd") for row in asked(A, "p" * 10)]
    two = [replace(row, document_id="odd") for row in asked(B, "f" * 10)]
    rest = asked(A, "p" * 30)[10:] + asked(B, "p" * 30)[10:]
    rest = [replace(row, document_id=f"rest-{row.case_id[-1] in '01234'}") for row in rest]
    document = compare(results(one + two + rest))
    (line,) = document.table("pairs").rows
    assert line[document.table("pairs").columns.index("told apart")] == "by cases only"
    assert f"With other documents that may not hold for {B.name}" in text_of(document, "short")


def test_a_control_alone_is_nothing_to_compare() -> None:
    with pytest.raises(UsageError, match="name the run itself"):
        compare(results([row("case-00", "pass", embedding="none")]))
