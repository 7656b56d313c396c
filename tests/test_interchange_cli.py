"""The two commands: options, what is printed where, and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ragtester.cli import app, main
from ragtester.interchange.items import CASE_FIELDS, FIELDS
from ragtester.interchange.plain import ANSWER_COLUMNS, COLUMNS
from ragtester.interchange.shelf import MADE
from ragtester.stages.cases.reading import IMPORTED
from ragtester.stages.compare.questions import MADE_OF_CONTEXTS
from tests.interchange_suite import DATA, case, make_suite


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_suite(tmp_path, [case("How long?", "14 minutes", 0, 46), case("\x1b[31m=1", "@x", 0, 46, 2)])
    return tmp_path


def run(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "-w", str(folder)], env={"COLUMNS": "60"})


def test_import_prints_the_ledger_and_what_was_dropped(folder: Path) -> None:
    done = run(folder, "import", str(DATA / "ragas_testset.csv"), "--technique", "other")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[:2] == [
        "import: 3 planned = 3 ok + 0 failed + 0 skipped + 0 unfilled",
        "cases: 1 baseline/multi_hop_specific_query_synthesizer, 2 baseline/single_hop_specific_query_synthesizer",
    ]
    assert "dropped persona_name: 3 time(s)" in done.stdout
    skipped = run(folder, "import", str(DATA / "promptfoo_tests.yaml"))
    assert skipped.exit_code == 3
    assert "skipped 1: tests in another file (first: 'file://more_tests.yaml')" in skipped.stdout


def test_an_import_that_makes_nothing_names_no_folder(folder: Path) -> None:
    path = folder / "empty.csv"
    path.write_text("question,expected_answer,document\nHow?,So.,not-there\n", encoding="utf-8")
    done = run(folder, "import", str(path), "--technique", "none")
    assert done.exit_code == 3
    assert "import    -> nothing was written" in done.stdout
    assert not list(folder.rglob("none"))


def test_results_say_what_to_do_next(folder: Path) -> None:
    done = run(folder, "import", str(DATA / "ragas_results.csv"), "--system", "acme", "--embedding", "e5")
    assert "run imported-acme: acme × e5" in done.stdout
    assert "ragtester judge --run imported-acme judges the rest" in done.stdout
    graded = ("--system", "acme", "--passes", "answer_correctness=0.5", "--run", "graded")
    assert "3 verdict(s)" in run(folder, "import", str(DATA / "ragas_results.csv"), *graded).stdout


def test_export_writes_data_to_stdout_and_talk_to_stderr(folder: Path) -> None:
    done = run(folder, "export", "--as", "deepeval")
    assert [one["input"] for one in json.loads(done.stdout)] == ["How long?", "\x1b[31m=1"]
    assert "2 record(s) of deepeval" in done.stderr
    out = folder / "x.csv"
    done = run(folder, "export", "--as", "ragas", "--output", str(out))
    assert done.stdout == ""
    assert "dropped language: 2 time(s)" in done.stderr
    assert "1 cell(s) begin like a formula: this file is for ragas" in done.stderr
    assert out.read_text(encoding="utf-8").startswith('"user_input","reference_contexts"')


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["import", "nothing.csv"], "nothing.csv: no such file"),
        (["import", str(DATA / "ragas_testset.csv"), "--column", "question"], "write FIELD=NAME"),
        (["import", str(DATA / "ragas_testset.csv"), "--passes", "x=y"], "write METRIC=0.7"),
        (["import", str(DATA / "ragas_testset.csv"), "--near", "101"], "0 to 100"),
        (["export", "--as", "excel"], "no format is called 'excel'"),
        (["export", "--as", "csv", "--suite", "empty"], "no cases of technique all"),
        (["export", "--as", "csv", "--run", "nothing", "--with-answers"], "no such run"),
        (["export", "--as", "csv", "--run", "nothing"], "no such run"),
    ],
)
def test_expected_errors_are_one_line(
    folder: Path, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["ragtester", *arguments, "-w", str(folder)])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert told in capsys.readouterr().err


def test_names_of_fields_agree() -> None:
    assert set(CASE_FIELDS) | {"contexts"} <= set(COLUMNS)
    assert {"answer", "retrieved_contexts", "passed"} <= set(ANSWER_COLUMNS) & set(FIELDS)
    assert MADE == IMPORTED == MADE_OF_CONTEXTS
