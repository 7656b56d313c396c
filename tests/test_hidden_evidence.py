"""Answers whose user may see none of the evidence: to refuse is right, and everything that counts goes by it."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ragtester import Project
from ragtester.errors import ChangedInputsError
from ragtester.exports.junit import _details
from ragtester.exports.texts import FullRow
from ragtester.interchange import ExportOptions
from ragtester.judgement import Judge, verdict_key
from ragtester.provenance import row_key, sha256_text
from ragtester.records import Answer, Trace, Verdict
from ragtester.report.kind_rule import kind_rule
from ragtester.report.overview import _key_figures
from ragtester.results import load_results
from ragtester.results.tally import count
from ragtester.settings import AuditSettings, Settings
from ragtester.stages.calibration.sheet import write_sheet
from ragtester.stages.compare.closed_book import control_of, may_be_lucky
from ragtester.stages.compare.failure_kinds import failure_kind, section
from ragtester.stages.judge_summary import render, summarise
from ragtester.stages.precision.sampling import draw, items
from ragtester.storage import append_row, write_rows, write_text
from ragtester.tables import Rate, Table
from ragtester.workspace import Workspace
from tests import builders
from tests import test_stage_judge as stage
from tests.compare_rows import results, row

REFUSAL = "Insufficient information to answer this question"
SAMPLE = Path(__file__).parents[1] / "corpora" / "sample"


def trace(gold: tuple[str, ...], hidden: tuple[str, ...] = ()) -> Trace:
    return Trace(query="q", index="i", embedding="e", k=1, context_ids=("ch1",), gold_ids=gold, hidden_ids=hidden)


HIDDEN = trace(("g1", "g2"), ("g2", "g1"))
VISIBLE = trace(("g1", "g2"))


@pytest.mark.parametrize(
    ("gold", "hidden", "told"),
    [
        (("g1",), ("g1",), True),
        (("g1", "g2"), ("g2",), False),  # a part of it may be seen: the question can be answered
        (("g1",), (), False),
        ((), (), False),
    ],
)
def test_evidence_is_hidden_where_none_of_the_gold_may_be_seen(
    gold: tuple[str, ...], hidden: tuple[str, ...], told: bool
) -> None:
    assert trace(gold, hidden).hides_evidence is told


def judged(root: Path, answers: list[Answer]) -> tuple[list[Verdict], stage.FakeModels, Workspace]:
    space, models = stage.workspace(root, answers), stage.FakeModels()
    stage.run(space, models)
    return stage.verdicts(space), models, space


def test_a_refusal_passes_and_an_answer_fails_where_the_evidence_is_hidden(tmp_path: Path) -> None:
    refused: dict[str, Any] = {"outcome": "abstained", "refuses": True}
    answers = [
        stage.answer(1, REFUSAL, trace=HIDDEN, **refused),
        stage.answer(2, REFUSAL, trace=VISIBLE, **refused),
        stage.answer(3, "six years", trace=HIDDEN),  # what the case expects, and the user may not know
        stage.answer(4, "six years", trace=VISIBLE),
    ]
    found, models, _ = judged(tmp_path, answers)
    assert [(one.status, one.decided_by) for one in found] == [
        ("pass", "refusal"),
        ("fail", "refusal"),
        ("fail", "answered"),
        ("pass", "mean"),
    ]
    assert [one.flags for one in found] == [("hidden_evidence",), (), ("hidden_evidence",), ()]
    assert [one.missing_keywords for one in found] == [(), ("six years",), (), ()]
    assert [(one.answerable, one.expected_answer, one.keywords) for one in models.asked] == [
        (False, REFUSAL, ()),
        (True, "six years", ("six years",)),
    ]


def test_an_answer_that_failed_carries_the_flag_too(tmp_path: Path) -> None:
    (one,), models, _ = judged(tmp_path, [stage.answer(1, "", outcome="failed", trace=HIDDEN)])
    assert (one.status, one.flags) == ("ungraded", ("answer_failed", "hidden_evidence"))
    assert models.asked == []


def test_both_refusal_errors_are_counted_over_what_the_user_may_see(tmp_path: Path) -> None:
    texts = [(REFUSAL, HIDDEN), (REFUSAL, HIDDEN), ("two years", HIDDEN), (REFUSAL, VISIBLE), ("six years", VISIBLE)]
    rows, _, _ = judged(tmp_path, [stage.answer(n, text, trace=seen) for n, (text, seen) in enumerate(texts)])
    found = summarise(rows)
    assert (found.false_refusals.count, found.false_refusals.of) == (1, 2)
    assert (found.answered_unanswerable.count, found.answered_unanswerable.of) == (1, 3)
    console = Console(file=io.StringIO(), width=100)
    render(found, console)
    assert "flag hidden_evidence: 3" in console.file.getvalue()  # type: ignore[attr-defined]


def test_keys_of_runs_without_access_rules_are_those_from_before() -> None:
    judge = Judge("j", "p", 0.5, (REFUSAL,))
    seen, case = stage.answer(1, "six years", trace=VISIBLE), stage.case(1)
    before = row_key(
        answer="a1",
        said={"text": "six years", "outcome": "answered", "refuses": None, "context": ("ch1",)},
        failure=None,
        case="k1",
        expected="six years",
        keywords=("six years",),
        judge="j",
        prompt="p",
        pass_mean=0.5,
        refusals=(REFUSAL,),
    )
    assert verdict_key(seen, case, judge) == before
    assert verdict_key(seen.model_copy(update={"trace": HIDDEN}), case, judge) != before


def test_a_verdict_from_before_the_evidence_was_hidden_does_not_stand(tmp_path: Path) -> None:
    space = stage.workspace(tmp_path, [stage.answer(1, REFUSAL, trace=VISIBLE)])
    stage.run(space, stage.FakeModels())
    path = space.answers_file("main", "embedded:eager", "embedded:hashing", "d1")
    path.unlink()
    append_row(path, stage.answer(1, REFUSAL, trace=HIDDEN))
    with pytest.raises(ChangedInputsError, match=r"1 verdict\(s\) were made from other inputs"):
        stage.run(space, stage.FakeModels())


# What is counted


def hidden(case_id: str, status: str, **values: Any) -> Any:
    return row(case_id, status, flags=("hidden_evidence",), gold=1, gold_seen=0, **values)


ROWS = [
    hidden("1", "pass", decided_by="refusal"),
    hidden("2", "pass", decided_by="refusal"),
    hidden("3", "fail", decided_by="answered"),
    row("4", "fail", decided_by="refusal", gold_seen=0),
    row("5", "pass"),
    row("6", "fail", type="rejection", gold=0, gold_seen=0, decided_by="answered"),
]


def test_kinds_of_failure_and_false_refusals() -> None:
    assert [failure_kind(one, None) for one in ROWS] == [
        None,
        None,
        "hallucination",
        "retrieval",
        None,
        "hallucination",
    ]
    tables = {part.id: part for part in section(results(ROWS)).parts if isinstance(part, Table)}
    assert tables["false-refusals"].rows[0][1] == Rate(1, 2)  # of the two that could be answered
    assert "may see none of the evidence" in kind_rule(ROWS[2], None, "hallucination")
    assert "must be refused" in kind_rule(ROWS[5], None, "hallucination")


def test_the_reports_first_figures() -> None:
    told = {name: words for name, _, words in _key_figures(results(ROWS), count(ROWS))}
    assert told["Wrongly refused"].replace("\u00a0", " ").startswith("1 of 2 answerable")
    assert told["Wrongly answered"].replace("\u00a0", " ").startswith("2 of 4 unanswerable")


def test_a_refusal_of_hidden_evidence_is_no_lucky_pass() -> None:
    control = row("1", "pass", embedding="none", gold=None, gold_seen=None)
    known = control_of(results([*ROWS, control]))
    assert may_be_lucky(control)  # no retrieval, no user: the control is a matter of memory alone
    assert not known.knows(ROWS[0])
    assert not known.is_lucky(ROWS[0])
    assert known.is_lucky(row("1", "pass"))


def test_junit_says_what_was_expected() -> None:
    text = _details(FullRow(ROWS[2], "suite", stage.case(3), answer="two years"))
    assert "expected: a refusal, for the user may see none of the evidence" in text
    assert "six years" not in text


def test_voters_and_labellers_see_a_question_that_must_be_refused(tmp_path: Path) -> None:
    answers = [stage.answer(1, "six years", trace=HIDDEN), stage.answer(2, "two years", trace=VISIBLE)]
    _, _, space = judged(tmp_path, answers)
    loaded = load_results(space, ["main"], "main")
    drawn = draw(loaded, "main", AuditSettings(), 7)
    asked = {one.row.case_id: one.request for one in items(space, loaded, "main", drawn, (REFUSAL,))}
    assert {name: (one.answerable, one.expected_answer, one.keywords) for name, one in asked.items()} == {
        "c1": (False, REFUSAL, ()),
        "c2": (True, "six years", ("six years",)),
    }
    sheet = tmp_path / "sheet.csv"
    write_sheet(space, Settings(), sheet, None, 7)
    lines = sorted(line for line in sheet.read_text(encoding="utf-8-sig").splitlines() if line.startswith("c"))
    assert [REFUSAL in line for line in lines if line[:2] in ("c1", "c2")] == [True, False]


def test_an_export_says_that_others_are_to_refuse(tmp_path: Path) -> None:
    _, _, space = judged(tmp_path, [stage.answer(1, REFUSAL, trace=HIDDEN), stage.answer(2, "x", trace=VISIBLE)])
    write_rows(space.documents_file("main"), [builders.document("d1", text_sha256=sha256_text(stage.TEXT))])
    write_text(space.text_file("main", "d1"), [stage.TEXT])
    found = Project(tmp_path).export_suite(None, ExportOptions("csv", run="main", answers=True))
    assert any(note.startswith("1 answer(s) are of users who may see none") for note in found.notes)


# A real run


TENANTS = """
[cases]
per_document = 8
technique = "ragtester"

[execute]
groups = [{ llms = ["embedded:rules", "embedded:eager"], embeddings = ["embedded:hashing"] }]
index = { scope = "corpus" }

[judge]
model = "embedded:judge"

[access]
documents = [{ path = "acme/**", tags = ["tenant:acme"] }, { path = "globex/**", tags = ["tenant:globex"] }]
user_tags = ["tenant:acme"]
"""


def test_two_tenants_on_the_embedded_engine(tmp_path: Path) -> None:
    for tenant, name in (("acme", "cable-car-operating-rules.md"), ("globex", "kitchen-hygiene-plan.md")):
        folder = tmp_path / "corpora" / tenant
        folder.mkdir(parents=True)
        shutil.copy(SAMPLE / name, folder / name)
    (tmp_path / "ragtester.toml").write_text(TENANTS, encoding="utf-8")
    project = Project(tmp_path)
    project.run()
    answers = {(one.llm, one.case_id): one for one in project.iter_answers()}
    rows = list(project.iter_verdicts())
    barred = [one for one in rows if "kitchen" in one.document_id and one.type != "rejection"]
    assert len(barred) > 4
    assert {one.flags for one in barred} == {("hidden_evidence",)}
    for one in rows:
        assert ("hidden_evidence" in one.flags) == (one in barred)
    for one in barred:
        refuses = answers[one.llm, one.case_id].outcome == "abstained"
        assert (one.status, one.decided_by) == (("pass", "refusal") if refuses else ("fail", "answered"))
    assert {one.status for one in barred} == {"pass", "fail"}  # one of the two LLMs refuses, the other guesses
    found = summarise(rows)
    assert found.false_refusals.of == sum(one.type != "rejection" and one not in barred for one in rows)
    assert found.answered_unanswerable.of == len(rows) - found.false_refusals.of
