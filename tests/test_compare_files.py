"""The command and its files, on the committed run and on damaged copies of it."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ragtester import Project
from ragtester.cli import app
from ragtester.errors import UsageError
from ragtester.stages.compare import tables_folder, write_document
from ragtester.tables import Document, Paragraph, Rate, Section, Table
from tests.test_tables import latex_faults

# What `ragtester judge` prints for the committed run, as the README shows it.
SYSTEMS = {
    "embedded:eager × embedded:hashing": Rate(32, 119),
    "embedded:eager × embedded:wordllama": Rate(27, 119),
    "embedded:rules × embedded:hashing": Rate(18, 119),
    "embedded:rules × embedded:wordllama": Rate(14, 119),
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository's small workspace."""
    root, folder = Path(__file__).parents[1], tmp_path_factory.mktemp("demo")
    for name in ("generated", "answers", "verdicts"):
        shutil.copytree(root / name, folder / name)
    shutil.copy(root / "ragtester.toml", folder)
    return folder


@pytest.fixture(scope="module")
def document(demo: Path) -> Document:
    return Project(demo).compare()


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["compare", *arguments], env={"COLUMNS": "120"})
    assert done.exit_code == code, done.output
    return done.stdout


def test_the_committed_run_gives_the_readmes_figures(document: Document) -> None:
    ranking = document.table("ranking")
    assert {row[0]: row[1] for row in ranking.rows} == SYSTEMS
    techniques = document.table("techniques")
    assert techniques.rows[-1][1:3] == (Rate(62, 236), Rate(29, 240))
    total = document.table("matrix").rows[-1]
    assert total[document.table("matrix").columns.index("baseline")] == Rate(29, 240)
    types = {row[:2]: row[2] for row in document.table("by-type").rows}
    assert types["ragtester", "rejection (invented)"] == Rate(26, 52)
    assert len({table.id for table in document.tables}) == len(list(document.tables))


def test_every_format_holds_the_same_numbers(demo: Path, document: Document) -> None:
    folder = tables_folder(Project(demo).workspace, ["demo"])
    run("-w", str(demo))
    tree = json.loads((folder / "comparison.json").read_text(encoding="utf-8"))
    in_json = {part["id"]: part for section in tree["sections"] for part in section["parts"] if part["kind"] == "table"}
    in_markdown = (folder / "comparison.md").read_text(encoding="utf-8")
    in_latex = (folder / "comparison.tex").read_text(encoding="utf-8")
    assert latex_faults(in_latex) == []
    in_latex = re.sub(r"(?<=\d)\\\\ (?=\d)", " = ", in_latex)  # a narrow column has the count above the share
    for table in document.tables:
        rows = list(csv.reader(io.StringIO((folder / "csv" / f"{table.id}.csv").read_text(encoding="utf-8"))))
        assert len(rows) == len(table.rows) + 1
        assert in_json[table.id]["columns"] == list(table.columns)
        assert (folder / "latex" / f"{table.id}.tex").is_file()
        for row, line in zip(table.rows, rows[1:], strict=True):
            for cell in row:
                if isinstance(cell, Rate) and cell.n:
                    assert f"{cell.successes}/{cell.n} = {100 * cell.successes / cell.n:.1f} %" in in_markdown
                    assert f"{cell.successes}/{cell.n} = {100 * cell.successes / cell.n:.1f} \\%" in in_latex
                    place = line.index(str(cell.successes))
                    assert str(cell.n) in line[place:]
    assert not re.search(r"\b(nan|NaN|inf|None)\b", in_markdown + in_latex)


def test_the_terminal_shows_the_summary_and_full_shows_all(demo: Path) -> None:
    short, full = run("-w", str(demo)), run("-w", str(demo), "--full")
    for text in (short, full):
        assert "Fewest failures: embedded:rules × embedded:wordllama, 14/119" in text
        assert "RQ4. How precise is the oracle?" in text
        assert "The embedded engine took part as system under test" in text
    assert "Systems against each other" in full
    assert "Systems against each other" not in short
    assert max(map(len, short.splitlines())) <= 120


@pytest.mark.parametrize("style", ["markdown", "csv", "latex", "json"])
def test_other_formats_are_printed_and_nothing_is_written(demo: Path, tmp_path: Path, style: str) -> None:
    folder = tmp_path / "work"
    shutil.copytree(demo, folder, ignore=shutil.ignore_patterns("reports"))
    text = run("-w", str(folder), "--format", style)
    assert "26.9" in text or "0.2689" in text
    assert not (folder / "reports").exists()
    if style == "json":
        assert json.loads(text)["format"] == "ragtester-tables/1"


def test_one_table_alone_can_be_piped(demo: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(run("-w", str(demo), "--format", "csv", "--table", "ranking"))))
    assert {row["system"]: int(row["failed successes"]) for row in rows} == {
        name: rate.successes for name, rate in SYSTEMS.items()
    }
    done = CliRunner().invoke(app, ["compare", "-w", str(demo), "--table", "nothing"])
    assert isinstance(done.exception, UsageError)
    assert "no such table; there are not" not in str(done.exception)
    assert "ranking" in str(done.exception)


def test_a_folder_of_ones_own_and_several_runs(demo: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("-w", str(demo), "--run", "demo", "--run", "demo", "--output", str(out), "--format", "json")
    assert (out / "comparison.md").is_file()
    workspace = Project(demo).workspace
    assert tables_folder(workspace, ["demo"]) == demo.resolve() / "reports" / "demo" / "tables"
    assert tables_folder(workspace, ["a", "b"]) != tables_folder(workspace, ["a-b"])


def test_an_unknown_run_is_named(demo: Path) -> None:
    with pytest.raises(UsageError, match="nowhere: no answers"):
        Project(demo).compare(["nowhere"])


def small(*ids: str) -> Document:
    tables = tuple(Table(name, name, ("a",), (("x",),)) for name in ids)
    return Document("T", (Section("s", "S", (Paragraph("Text."), *tables)),))


def test_tables_of_an_earlier_comparison_go_and_other_files_stay(tmp_path: Path) -> None:
    write_document(small("one", "two"), tmp_path)
    (tmp_path / "csv" / "mine.csv").write_text("a\n", encoding="utf-8")
    write_document(small("two"), tmp_path)
    assert {path.name for path in (tmp_path / "csv").iterdir()} == {"mine.csv", "two.csv", "sentences.csv"}
    assert {path.name for path in (tmp_path / "latex").iterdir()} == {"two.tex"}
    (tmp_path / "comparison.json").write_text("not ours", encoding="utf-8")
    write_document(small("three"), tmp_path)
    assert (tmp_path / "csv" / "two.csv").is_file()


def test_the_same_rows_give_the_same_files(demo: Path, tmp_path: Path, document: Document) -> None:
    write_document(document, tmp_path / "one")
    write_document(Project(demo).compare(), tmp_path / "two")
    for path in (tmp_path / "one").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()


def damaged(demo: Path, folder: Path) -> tuple[Path, Path]:
    """A copy with the answers and verdicts of one system and document at hand."""
    shutil.copytree(demo, folder, ignore=shutil.ignore_patterns("reports"))
    answers = next(folder.glob("answers/demo/*rules*__*hash*/choir*.jsonl"))
    return answers, folder / "verdicts" / "demo" / answers.parent.name / answers.name


def test_missing_and_ungraded_rows_are_counted_beside_the_rates(demo: Path, tmp_path: Path) -> None:
    answers, verdicts = damaged(demo, tmp_path / "work")
    lines = answers.read_text(encoding="utf-8").splitlines(keepends=True)
    answers.write_text("".join(lines[2:]), encoding="utf-8")
    judged: list[dict[str, Any]] = [json.loads(line) for line in verdicts.read_text(encoding="utf-8").splitlines()]
    failure = {"type": "timeout", "message": "no reply", "cause": ""}
    judged[5] |= {"status": "ungraded", "mean": None, "ratings": None, "failure": failure}
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in judged[2:])
    verdicts.write_text(text, encoding="utf-8")
    found = Project(tmp_path / "work").compare()
    whole = found.table("ranking")
    row = next(row for row in whole.rows if row[0] == "embedded:rules × embedded:hashing")
    assert row[whole.columns.index("not counted")] == 3
    assert isinstance(row[1], Rate)
    assert row[1].n == 116
    assert set(found.table("not-counted").rows) == {("missing", "not executed", 2), ("ungraded", "timeout", 1)}


def test_a_run_that_was_never_judged_is_said_and_compared_nowhere(demo: Path, tmp_path: Path) -> None:
    damaged(demo, tmp_path / "work")
    shutil.rmtree(tmp_path / "work" / "verdicts")
    text = run("-w", str(tmp_path / "work"))
    assert "No answer is graded" in text
    assert "judged by nobody yet" in run("-w", str(tmp_path / "work"), "--full")
