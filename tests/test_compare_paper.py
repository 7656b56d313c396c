"""The published study as a worked example: its totals go in, its shares and relative differences come out.

Figures: the RAG-Tester paper, RQ1 to RQ4. 3,000 cases a technique on 60 documents, 24 combinations; failures of four
OpenAI LLMs with three embedding models (36,000 answers a technique) and of four open-weight LLMs with three others.
"""

from __future__ import annotations

import pytest

from ragtester.records import Ledger, PanelMember, PrecisionResult
from ragtester.results import Results, RunInfo
from ragtester.results.tally import Tally
from ragtester.stages.compare.matrix import matrix_section
from ragtester.stages.compare.oracle import oracle_precision
from ragtester.stages.compare.questions import failures_found, sources_compared
from ragtester.stages.compare.relative import relative, relative_section
from ragtester.stages.compare.view import Place, System, View
from ragtester.tables import Paragraph, Rate, Section, Table
from tests.builders import precision_figures, precision_result

ANSWERS = 36_000
OPENAI, OLLAMA = System("openai:all", "openai:all"), System("ollama:all", "ollama:all")
# (system, technique) -> failures on generated and on brought documents. The paper does not split the baseline.
FAILED = {
    (OPENAI, "ragtester"): {"generated": 3_285, "manual": 5_595},
    (OLLAMA, "ragtester"): {"generated": 4_898, "manual": 7_855},
    (OPENAI, "baseline"): {"": 7_132},
    (OLLAMA, "baseline"): {"": 13_161},
}


@pytest.fixture(scope="module")
def study() -> View:
    view = View(Results(runs=[RunInfo("paper", "paper", None, None)]))
    for (system, technique), sources in FAILED.items():
        view.asked[system], view.graded[system] = {}, {}
        for source, failed in sources.items():
            answers = ANSWERS // len(sources)
            place = Place(system, technique, source, "complexity", "", "all")
            view.cube[place] = Tally(passed=answers - failed, failed=failed)
    return view


def cell(section: Section, table_id: str, line: str, column: str) -> object:
    table = next(table for table in section.tables if table.id == table_id)
    found = next(row for row in table.rows if row[0] == line)
    return found[table.columns.index(column)]


def test_totals_by_provider(study: View) -> None:
    section = matrix_section(study, "baseline")
    openai, ollama = (cell(section, "by-provider", name, "ragtester") for name in ("openai", "ollama"))
    assert openai == Rate(8_880, ANSWERS)
    assert ollama == Rate(12_753, ANSWERS)
    # "OpenAI group averaged 24.67 % failures vs. 35.43 % for Ollama"
    assert Rate(8_880, ANSWERS).share == pytest.approx(0.2467, abs=5e-5)
    assert Rate(12_753, ANSWERS).share == pytest.approx(0.3543, abs=5e-5)
    assert cell(section, "by-provider", "total", "ragtester") == Rate(21_633, 72_000)
    assert cell(section, "by-provider", "total", "baseline") == Rate(20_293, 72_000)
    assert cell(section, "by-provider", "ollama", "ragtester, manual") == Rate(7_855, 18_000)


def test_relative_differences_are_given_of_both_bases_with_their_counts(study: View) -> None:
    techniques, sources = relative_section(study, "baseline").tables
    assert techniques.columns[2:] == (
        "ragtester failed",
        "baseline failed",
        "difference in % of baseline",
        "difference in % of ragtester",
    )
    rows = {line[1]: line[2:] for line in techniques.rows}
    # "+19.68 %" is of the larger number; of the baseline it is 24.5 %.
    assert rows["openai"] == (Rate(8_880, ANSWERS), Rate(7_132, ANSWERS), 25, 20)
    # "6.22 % more" and "6.6 % improvement" are one difference with two bases: 6.60 and 6.19.
    assert rows["all systems"] == (Rate(21_633, 72_000), Rate(20_293, 72_000), 7, 6)
    assert rows["ollama"][2] == -3
    assert sources.rows[0][:2] == ("all", "all systems")


@pytest.mark.parametrize(
    ("failed", "expected"),
    [((12, 10), (pytest.approx(20), pytest.approx(100 / 6))), ((12, 9), (None, None)), ((3, 30), (None, None))],
)
def test_a_relative_difference_needs_ten_failures_on_either_side(
    failed: tuple[int, int], expected: tuple[object, object]
) -> None:
    one, two = (Tally(passed=60 - count, failed=count) for count in failed)
    assert (relative(one, two, "second"), relative(one, two, "first")) == expected


def test_brought_against_generated_documents(study: View) -> None:
    manual, generated = (study.by(lambda place: place.source)[source] for source in ("manual", "generated"))
    assert (manual.failed, generated.failed) == (13_450, 8_183)
    assert relative(manual, generated, "second") == pytest.approx(64.4, abs=0.05)
    openai = study.by(lambda place: place.source, lambda place: place.system == OPENAI)
    assert relative(openai["manual"], openai["generated"], "second") == pytest.approx(70.3, abs=0.05)
    table = next(table for table in sources_compared(study, 7).tables if table.id == "sources-by-technique")
    assert ("ragtester", Rate(13_450, 36_000), Rate(8_183, 36_000)) in table.rows


def test_all_failures_are_those_the_oracle_sample_was_drawn_from(study: View) -> None:
    first = failures_found(study, 7).parts[0]
    assert isinstance(first, Paragraph)
    assert "41926/144000" in first.text
    assert "failures were found in 2 of 2 systems" in first.text


def audit(tp: int, fp: int, ambiguous: int = 0, prompt: str = "p") -> PrecisionResult:
    sampled = tp + fp + ambiguous
    return precision_result(
        precision_figures(tp, fp, name="all", ambiguous=ambiguous, sampled=sampled),
        run="paper",
        judge="openai:gpt-4.1-nano",
        judge_prompt_sha256=prompt,
        population={"fail": 41_926},
        sampled={"fail": 382},
        min_votes=3,
        panel=(PanelMember(model="openai:gpt-4o", correct=1, incorrect=1, failed=0, open=0),),
        alpha=0.5,
        as_right=precision_figures(tp + ambiguous, fp, sampled=sampled),
        as_wrong=precision_figures(tp, fp + ambiguous, sampled=sampled),
        ledger=Ledger(planned=382, ok=tp + fp, skipped=382 - tp - fp),
    )


def texts(section: Section) -> str:
    return "\n".join(part.text for part in section.parts if isinstance(part, Paragraph))


def test_precision_of_the_oracle(study: View) -> None:
    section = oracle_precision(study, [audit(308, 74)])
    text = texts(section)
    assert (
        "of 382 sampled failures that were decided (of 41926 failures), 308 are failures indeed and 74 are not" in text
    )
    # 80.6 % and 19.4 % are published; Wilson's interval of 308/382 is [76.4, 84.3].
    assert "precision 308/382 = 80.6 % [76.4, 84.3]" in text
    assert "false discovery rate 74/382 = 19.4 %" in text
    assert isinstance(section.parts[-2], Table)
    assert section.parts[-2].rows[0][:2] == ("all", Rate(308, 382))


def test_ambiguous_cases_are_in_no_figure_and_counted_either_way(study: View) -> None:
    text = texts(oracle_precision(study, [audit(302, 74, 6)]))
    assert "precision 302/376 = 80.3 %" in text
    assert "6 are ambiguous" in text
    assert "counted for the oracle its precision is 308/382 = 80.6 %" in text
    assert "against it 302/382 = 79.1 %" in text
    assert "`ragtester audit precision --review` settles them" in text


def test_an_audit_that_no_longer_holds_says_so_in_its_first_sentence_and_below_its_table(study: View) -> None:
    reason = "drawn from 62 failures, there are 68 now"
    section = oracle_precision(study, [audit(308, 74)], stale={"paper": (reason,)})
    first = section.parts[0]
    assert isinstance(first, Paragraph)
    assert first.answer
    assert first.text.startswith(f"Run paper: the audit is stale ({reason})")
    assert next(section.tables).notes == (f"Run paper: stale, {reason}.",)
    assert "stale" not in texts(oracle_precision(study, [audit(308, 74)], stale={"paper": ()}))


def test_calibrations_are_told_beside_the_precision(study: View) -> None:
    section = oracle_precision(study, [], ["Calibrated on 50 answers."])
    assert [part.text for part in section.parts if isinstance(part, Paragraph) and part.answer] == [
        "Calibrated on 50 answers."
    ]
    assert "No precision audit of these runs." in texts(section)
    assert "Cannot be answered" not in texts(section)
