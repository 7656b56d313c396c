"""Runs that are not whole: every oddity is said once, and no row is lost, doubled or averaged away."""

from __future__ import annotations

import gc
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.study_suite import RUN, SUITE, Shape, build
from ragtester.errors import DataError, UsageError
from ragtester.results import Result, Results, RunInfo, load_results, paired
from ragtester.workspace import Workspace

SHAPE = Shape(documents=3, cases=4, systems=6, gaps=0)
CASES = 2 * 4 * 3
A, B = SHAPE.pairs[:2]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("study")
    assert build(root, SHAPE) == CASES * 6
    return root


@pytest.fixture
def workspace(made: Path, tmp_path: Path) -> Workspace:
    shutil.copytree(made, tmp_path / "ws")
    return Workspace(tmp_path / "ws")


def answers(workspace: Workspace, number: int = 0, system: tuple[str, str] = A) -> Path:
    return workspace.answers_file(RUN, *system, f"manual-{number:03}")


def verdicts(workspace: Workspace, number: int = 0, system: tuple[str, str] = A) -> Path:
    return workspace.verdicts_file(RUN, *system, f"manual-{number:03}")


def change(path: Path, edit: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
    rows = edit([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()])
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def change_manifest(workspace: Workspace, folder: str, **update: Any) -> None:
    path = workspace.root / folder / RUN / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **update}), encoding="utf-8")


def whole(found: Results) -> None:
    """Every planned case and system once."""
    assert len(found.rows) == CASES * 6
    assert len({(row.case_id, row.system) for row in found.rows}) == CASES * 6


def test_a_whole_run_has_nothing_to_say_and_its_suite_comes_from_its_manifests(workspace: Workspace) -> None:
    found = load_results(workspace, [RUN], suite="another")
    whole(found)
    assert found.notes == []
    assert found.runs[0].suite == SUITE
    for row in found.rows:
        case, document = found.case(row), found.document(row)
        assert case is not None
        assert document is not None
        assert (case.technique, document.source) == (row.technique, row.source)
    assert Counter(row.source for row in found.rows) == {"manual": CASES * 4, "generated": CASES * 2}


def test_a_file_that_is_not_there_gives_missing_rows(workspace: Workspace) -> None:
    answers(workspace, 1).unlink()
    found = load_results(workspace, [RUN])
    whole(found)
    assert any("1 verdict file(s) have no answer file (verdicts/study/" in note for note in found.notes)
    missing = [row for row in found.rows if row.reason == "not executed"]
    assert {(row.document_id, row.system, row.status) for row in missing} == {("manual-001", A, "missing")}
    assert len(missing) == 8


def test_a_system_of_a_full_matrix_without_any_answer_is_missing_and_named(workspace: Workspace) -> None:
    shutil.rmtree(answers(workspace).parent)
    found = load_results(workspace, [RUN])
    whole(found)
    assert sum(row.system == A and row.status == "missing" for row in found.rows) == CASES
    assert any("no answer at all from openai:model-a × openai:embed-small" in note for note in found.notes)


def test_a_model_of_an_unknown_matrix_without_any_answer_is_named(workspace: Workspace) -> None:
    manifest = json.loads((workspace.answers(RUN) / "manifest.json").read_text(encoding="utf-8"))
    parameters = {**manifest["parameters"], "llms": {**manifest["parameters"]["llms"], "openai:gone": {}}}
    change_manifest(workspace, "answers", parameters=parameters)
    found = load_results(workspace, [RUN])
    assert len(found.rows) == CASES * 6
    assert any("no answer at all with openai:gone" in note for note in found.notes)


def test_doubled_rows_count_once_and_the_later_one(workspace: Workspace) -> None:
    change(answers(workspace), lambda rows: [*rows, {**rows[0], "outcome": "abstained"}])
    change(
        verdicts(workspace), lambda rows: [*rows, {**rows[0], "outcome": "abstained", "status": "pass", "mean": 0.9}]
    )
    found = load_results(workspace, [RUN])
    whole(found)
    assert any("1 answer row(s) stand there twice" in note for note in found.notes)
    assert any("1 verdict row(s) stand there twice" in note for note in found.notes)
    assert [(row.outcome, row.status) for row in found.rows if row.outcome == "abstained"] == [("abstained", "pass")]


def test_a_case_that_two_files_answer_counts_once(workspace: Workspace) -> None:
    first = json.loads(answers(workspace).read_text(encoding="utf-8").splitlines()[0])
    change(answers(workspace, 1), lambda rows: [*rows, first])
    found = load_results(workspace, [RUN])
    whole(found)
    assert any("1 answer row(s) stand there twice" in note for note in found.notes)


def test_verdicts_of_another_execution_are_left_out_or_missing(workspace: Workspace) -> None:
    change(answers(workspace), lambda rows: [{**rows[0], "outcome": "abstained"}, *rows[2:]])
    found = load_results(workspace, [RUN])
    whole(found)
    assert any("1 verdict(s) belong to no answer" in note for note in found.notes)
    assert any("1 verdict(s) were given for another answer" in note for note in found.notes)
    assert any("answers of 1 of 6 system(s) are not those that were judged" in note for note in found.notes)
    odd = [row for row in found.rows if row.reason == "judged for another answer"]
    assert [(row.status, row.outcome, row.mean) for row in odd] == [("missing", "abstained", None)]
    assert sum(row.reason == "not executed" for row in found.rows) == 1


def test_answers_whose_text_changed_after_the_judgement_are_noticed(workspace: Workspace) -> None:
    change(answers(workspace), lambda rows: [{**rows[0], "answer": "something else"}, *rows[1:]])
    (note,) = load_results(workspace, [RUN]).notes
    assert "are not those that were judged" in note
    assert "ragtester judge" in note


def test_cases_that_left_the_suite_keep_their_rows_and_are_said(workspace: Workspace) -> None:
    path = workspace.cases_file(SUITE, "baseline", "manual-000")
    change(path, lambda rows: rows[1:])
    found = load_results(workspace, [RUN])
    whole(found)
    assert any("6 answer(s) belong to cases that the suite no longer holds" in note for note in found.notes)
    assert any("1 file(s) of cases of suite study changed" in note for note in found.notes)
    assert sum(found.case(row) is None for row in found.rows) == 6


def test_a_suite_that_does_not_know_the_run_is_named(workspace: Workspace) -> None:
    shutil.rmtree(workspace.suite(SUITE))
    found = load_results(workspace, [RUN])
    assert len(found.rows) == CASES * 6
    assert any("suite study holds none of its cases" in note for note in found.notes)


def test_documents_that_changed_are_said(workspace: Workspace) -> None:
    change(workspace.documents_file(SUITE), lambda rows: [{**rows[0], "text_sha256": "0"}, *rows[2:]])
    assert any("2 document(s) of suite study changed" in note for note in load_results(workspace, [RUN]).notes)


def test_imported_verdicts_and_texts_without_a_hash_are_nothing_odd(workspace: Workspace) -> None:
    change_manifest(workspace, "verdicts", stage="import", inputs={})
    inputs = json.loads((workspace.answers(RUN) / "manifest.json").read_text(encoding="utf-8"))["inputs"]
    change_manifest(workspace, "answers", stage="import", inputs={**inputs, "text manual-000": ""})
    change(workspace.documents_file(SUITE), lambda rows: rows[1:])
    found = load_results(workspace, [RUN])
    whole(found)
    assert found.notes == []
    assert {row.source for row in found.rows if row.document_id == "manual-000"} == {""}


def test_a_technique_with_a_long_name_keeps_its_cases(workspace: Workspace) -> None:
    long = "a technique with a name that is much too long to be a folder's name as it stands"
    place = workspace.cases_file(SUITE, long, "manual-000").parent
    (workspace.suite(SUITE) / "baseline").rename(place)
    inputs = json.loads((workspace.answers(RUN) / "manifest.json").read_text(encoding="utf-8"))["inputs"]
    renamed = {name.replace("cases baseline/", f"cases {place.name}/"): digest for name, digest in inputs.items()}
    change_manifest(workspace, "answers", inputs=renamed)
    found = load_results(workspace, [RUN])
    assert found.notes == []
    assert len(found.cases) == CASES


def test_a_run_that_is_named_twice_counts_once(workspace: Workspace) -> None:
    for name in ("answers", "verdicts"):
        shutil.copytree(workspace.root / name / RUN, workspace.root / name / f"{RUN}.closed-book")
    found = load_results(workspace, [RUN, RUN, f"{RUN}.closed-book"])
    assert [info.name for info in found.runs] == [RUN, f"{RUN}.closed-book"]
    assert len(found.rows) == 2 * CASES * 6
    assert any("run study was named 2 times; it counts once" in note for note in found.notes)
    assert any(f"{CASES * 6} answer row(s) carry the name of another run" in note for note in found.notes)
    assert load_results(workspace, RUN).runs[0].name == RUN


def test_runs_of_different_suites_are_said(workspace: Workspace) -> None:
    shutil.copytree(workspace.suite(SUITE), workspace.suite("second"))
    for name in ("answers", "verdicts"):
        shutil.copytree(workspace.root / name / RUN, workspace.root / name / "later")
    path = workspace.verdicts("later") / "manifest.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"suite": "study"', '"suite": "second"'), encoding="utf-8")
    found = load_results(workspace, [RUN, "later"])
    assert any("different suites (study: study; second: later)" in note for note in found.notes)
    assert found.suite_of("later") == "second"
    assert found.suite_of("nowhere") == ""


def test_work_that_has_not_ended_or_begun_is_said(workspace: Workspace) -> None:
    change_manifest(workspace, "answers", ended=None, ledger=None)
    shutil.rmtree(workspace.verdicts(RUN))
    found = load_results(workspace, [RUN], suite=SUITE)
    assert found.notes[:2] == [
        f"run {RUN}: its execution has not ended",
        f"run {RUN}: its judgement was never started",
    ]
    assert {row.reason for row in found.rows} == {"not judged"}


def test_broken_rows_of_all_files_are_one_error_with_file_and_line(workspace: Workspace) -> None:
    change(verdicts(workspace), lambda rows: [rows[0], {**rows[1], "status": "perhaps"}, *rows[2:]])
    change(answers(workspace, 2, B), lambda rows: [*rows[:-1], {**rows[-1], "outcome": None}])
    with pytest.raises(DataError) as raised:
        load_results(workspace, [RUN])
    assert gc.isenabled()  # it is off while rows are read
    assert str(raised.value).startswith("2 line(s)")
    assert "manual-000.jsonl:2: status" in raised.value.faults[0]
    assert "manual-002.jsonl:8: outcome" in raised.value.faults[1]


def test_an_unknown_run_is_named_before_anything_is_read(workspace: Workspace) -> None:
    change(verdicts(workspace), lambda rows: [{**row, "status": "perhaps"} for row in rows])
    with pytest.raises(UsageError, match="nowhere"):
        load_results(workspace, [RUN, "nowhere"])


# Two systems side by side


def row(case: str, system: tuple[str, str], status: str = "pass", run: str = "r", **more: Any) -> Result:
    reason = "" if status in ("pass", "fail") else f"{status} why"
    fixed: dict[str, Any] = {
        "document_id": "d",
        "source": "manual",
        "technique": "t",
        "type": "baseline",
        "subtype": "",
    }
    return Result(
        run=run,
        case_id=case,
        language="en",
        llm=system[0],
        embedding=system[1],
        status=status,  # type: ignore[arg-type]
        reason=reason,
        **{**fixed, "judge": "j", **more},
    )


def joined(*rows: Result, suites: dict[str, str] | None = None) -> Results:
    runs = [RunInfo(name, suite, None, None) for name, suite in (suites or {"r": "s"}).items()]
    return Results(runs=runs, rows=list(rows))


def test_pairs_hold_what_both_were_graded_on_and_name_the_rest() -> None:
    found = paired(
        joined(
            *(row(case, A) for case in ("both", "first", "graded otherwise", "a only")),
            *(row(case, A, "fail") for case in ("second", "neither")),
            row("ungraded", A, "ungraded"),
            row("missing", A),
            row("missing", B, "missing"),
            *(row(case, B) for case in ("both", "second", "ungraded", "b only")),
            *(row(case, B, "fail") for case in ("first", "neither")),
            row("graded otherwise", B, judge="another"),
        ),
        A,
        B,
    )
    assert [one.case_id for one, two in found.pairs if one.case_id == two.case_id] == [
        "both",
        "first",
        "second",
        "neither",
    ]
    assert found.counts() == (1, 1, 1, 1)
    assert found.left_out == {
        "asked of the first only": 1,
        "asked of the second only": 1,
        "first ungraded: ungraded why": 1,
        "graded by different judges": 1,
        "second missing: missing why": 1,
    }


def test_cases_of_two_runs_pair_within_a_run_and_across_where_there_is_no_choice() -> None:
    suites = {"r": "s", "q": "s", "other": "o"}
    found = paired(joined(row("1", A, run="r"), row("1", B, run="q"), suites=suites), A, B)
    assert len(found.pairs) == 1
    twice = [row("1", A, run="r"), row("1", A, run="q"), row("1", B, run="r")]
    found = paired(joined(*twice, suites=suites), A, B)
    assert [(one.run, two.run) for one, two in found.pairs] == [("r", "r")]
    assert found.left_out == {"asked in several runs": 1}
    found = paired(joined(row("1", A, run="r"), row("1", B, run="other"), suites=suites), A, B)
    assert found.pairs == []
    assert found.left_out == {"asked of the first only": 1, "asked of the second only": 1}


def test_every_case_of_a_real_matrix_is_paired_or_left_out(workspace: Workspace) -> None:
    found = load_results(workspace, [RUN])
    two = paired(found, A, B)
    assert len(two.pairs) + sum(two.left_out.values()) == CASES
    assert sum(two.counts()) == len(two.pairs) > 0
    assert two.counts()[1:3] == paired(found, B, A).counts()[2:0:-1]
