"""JUnit XML, CSV, Parquet and DataFrames hold every row once, typed, whatever its texts contain."""

from __future__ import annotations

import csv
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from ragtester import plots
from ragtester.errors import MissingPackageError, StorageError
from ragtester.exports import COLUMNS, CSV_TYPES, flat, to_frame, write_csv, write_junit, write_parquet
from ragtester.exports.junit import attribute, legal
from ragtester.records import CLOSED_BOOK_SUFFIX, NO_RETRIEVAL
from ragtester.results import Results, load_results
from ragtester.workspace import Workspace
from tests.exports_run import EMBEDDING, HOSTILE, LLMS, write_run

ROOT = Path(__file__).parents[1]
Run = tuple[Workspace, Results]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    workspace = write_run(tmp_path)
    return workspace, load_results(workspace, ["main"])


def parsed(path: Path) -> Any:
    schema = etree.XMLSchema(etree.parse(ROOT / "tests" / "data" / "junit.xsd"))
    tree = etree.parse(path, etree.XMLParser(resolve_entities=False))
    schema.assertValid(tree)
    return tree.getroot()


def test_junit_counts_add_up_and_every_case_stands_under_its_system(run: Run, tmp_path: Path) -> None:
    workspace, results = run
    assert write_junit(results, workspace, tmp_path / "out" / "junit.xml") == 8
    root = parsed(tmp_path / "out" / "junit.xml")
    assert dict(root.attrib) == {"name": "ragtester", "tests": "8", "failures": "1", "errors": "1", "time": "1.500"}
    # Files are read in the order of the systems' folder names: "ollama" before "openai".
    second, first = root.findall("testsuite")
    assert first.get("name") == f"{LLMS[0]} × {EMBEDDING}"
    counts = [(suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped")) for suite in root]
    assert counts == [("4", "0", "0", "1"), ("4", "1", "1", "1")]
    assert [[child.tag for child in case] for case in first] == [[], ["failure"], ["error"], ["skipped"]]
    assert [[child.tag for child in case] for case in second] == [[], [], [], ["skipped"]]
    assert first.get("time") is None  # nothing was measured
    assert (second.get("time"), second[0].get("time")) == ("1.500", "0.500")


def test_junit_says_why(run: Run, tmp_path: Path) -> None:
    workspace, results = run
    write_junit(results, workspace, tmp_path / "junit.xml")
    second, first = parsed(tmp_path / "junit.xml")
    failure, error, skipped = first[1][0], first[2][0], first[3][0]
    assert failure.get("type") == "mean"
    assert failure.get("message").startswith("mean 0.50; faithfulness false, completeness false, keyword_match parti")
    assert "expected: 42 metres\n" in failure.text
    assert "given (answered): =HYPERLINK" in failure.text
    assert (error.get("type"), error.get("message")) == ("unparseable", "the judge's reply <was> no JSON")
    assert skipped.get("message") == "not judged"
    assert second[3][0].get("message") == "not executed"
    assert first[1].get("classname") == f"{LLMS[0]} × {EMBEDDING}.manual.ragtester.complexity"
    assert first[1].get("name") == "How high? [manual/ragtester/complexity-002]"


def test_junit_leaves_the_closed_book_control_out(run: Run, tmp_path: Path) -> None:
    workspace, _ = run
    for stage in ("answers", "verdicts"):
        shutil.copytree(tmp_path / stage / "main", tmp_path / stage / ("main" + CLOSED_BOOK_SUFFIX))
    for path in [*tmp_path.glob(f"*/main{CLOSED_BOOK_SUFFIX}/*/*.jsonl")]:
        text = path.read_text(encoding="utf-8")
        text = text.replace(f'"embedding":"{EMBEDDING}"', f'"embedding":"{NO_RETRIEVAL}"')
        path.write_text(text.replace('"run":"main"', f'"run":"main{CLOSED_BOOK_SUFFIX}"'), encoding="utf-8")
    results = load_results(workspace, ["main"])
    assert len(results.rows) == 16
    assert write_junit(results, workspace, tmp_path / "junit.xml") == 8
    assert to_frame(results)["closed_book"].sum() == 8


@given(st.text(alphabet=st.characters(exclude_categories=[])))
def test_any_text_is_legal_xml(text: str) -> None:
    document = f"<a b={attribute(text)}>{flat_escape(text)}</a>"
    root = etree.fromstring(document.encode("utf-8"))
    kept = re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)
    assert root.get("b") == kept


def flat_escape(text: str) -> str:
    return legal(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def expected_cells(run: Run) -> list[dict[str, Any]]:
    """What stands in the records, straight from the rows of the results, in words of this test."""
    _, results = run
    return [{"llm": row.llm, "case_id": row.case_id, "status": row.status, "mean": row.mean} for row in results.rows]


def test_csv_reads_back_equal(run: Run, tmp_path: Path) -> None:
    workspace, results = run
    assert write_csv(results, workspace, tmp_path / "rows.csv") == 8
    read = pd.read_csv(tmp_path / "rows.csv", dtype=CSV_TYPES, keep_default_na=False, na_values=[""])
    made = to_frame(results, workspace)
    undone = made.copy()
    for name in ("question", "answer"):
        undone.loc[undone[name] == HOSTILE, name] = "'" + HOSTILE.replace("\x00", "\ufffd")
    pd.testing.assert_frame_equal(read, undone)
    assert list(read.columns) == [column.name for column in COLUMNS]


def test_csv_runs_no_formula(run: Run, tmp_path: Path) -> None:
    workspace, results = run
    write_csv(results, workspace, tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    cells = [cell for row in rows for name, cell in row.items() if name != "flesch"]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert {row["flesch"] for row in rows} == {"-12.5", ""}


@given(st.text(alphabet="'=+-@\t\r\n ab\uff1d"))
def test_defusing_can_be_undone(text: str) -> None:
    cell = flat.csv_cell(text)
    assert not re.match(r"[=+\-@\t\r\n\uff1d]", cell)
    assert (cell[1:] if re.match(r"'+[=+\-@\t\r\n\uff1d]", cell) else cell) == text


def test_parquet_reads_back_equal_and_typed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, results = run
    monkeypatch.setattr(flat, "BATCH", 3)
    assert write_parquet(results, workspace, tmp_path / "rows.parquet") == 8
    table = pq.read_table(tmp_path / "rows.parquet")
    assert pq.ParquetFile(tmp_path / "rows.parquet").num_row_groups == 3
    types = {"text": "string", "texts": "list<element: string>", "number": "double", "count": "int64", "flag": "bool"}
    assert [(field.name, str(field.type)) for field in table.schema] == [(c.name, types[c.kind]) for c in COLUMNS]
    rows = table.to_pylist()
    assert [{name: row[name] for name in ("llm", "case_id", "status", "mean")} for row in rows] == expected_cells(run)
    first = next(row for row in rows if row["llm"] == LLMS[0])
    assert first["question"] == first["answer"] == HOSTILE.replace("\x00", "\ufffd")
    assert (first["keywords"], first["flags"]) == (["42", "metres"], [])
    assert (first["gold"], first["gold_seen"], first["cost"], first["prompt_tokens"]) == (2, 1, 0.25, 100)
    assert (first["seconds"], first["source"], first["flesch"]) == (None, "manual", -12.5)
    missing = next(row for row in rows if row["reason"] == "not executed")
    assert {name for name, value in missing.items() if value not in (None, [])} == {
        *("run", "suite", "case_id", "document_id", "source", "technique", "type", "style", "language", "llm"),
        *("embedding", "closed_book", "status", "reason", "question", "expected_answer", "keywords"),
    } - {"style"}


def test_same_run_same_bytes(run: Run, tmp_path: Path) -> None:
    workspace, results = run
    for write, name in ((write_junit, "a.xml"), (write_csv, "a.csv"), (write_parquet, "a.parquet")):
        write(results, workspace, tmp_path / name)
        first = (tmp_path / name).read_bytes()
        write(load_results(workspace, ["main"]), workspace, tmp_path / name)
        assert (tmp_path / name).read_bytes() == first


def test_frame_has_no_nan(run: Run) -> None:
    _, results = run
    frame = to_frame(results)
    assert "answer" not in frame
    assert {str(kind) for kind in frame.dtypes} == {"string", "Float64", "Int64", "boolean"}
    assert frame["reason"][0] is pd.NA
    assert frame["mean"].count() == 5
    assert frame.groupby("status").size().to_dict() == {"pass": 4, "fail": 1, "ungraded": 1, "missing": 2}


def test_an_empty_result_is_a_header(tmp_path: Path) -> None:
    workspace, nothing = Workspace(tmp_path), Results()
    assert write_csv(nothing, workspace, tmp_path / "a.csv") == 0
    assert (tmp_path / "a.csv").read_text(encoding="utf-8").count("\n") == 1
    assert write_parquet(nothing, workspace, tmp_path / "a.parquet") == 0
    assert pq.read_table(tmp_path / "a.parquet").num_rows == 0
    assert write_junit(nothing, workspace, tmp_path / "a.xml") == 0
    assert len(parsed(tmp_path / "a.xml")) == 0
    assert len(to_frame(nothing)) == 0


@pytest.mark.parametrize("write", [write_junit, write_csv, write_parquet])
def test_a_file_that_cannot_be_written_is_named_and_nothing_is_left(run: Run, tmp_path: Path, write: Any) -> None:
    workspace, results = run
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StorageError, match="out"):
        write(results, workspace, tmp_path / "file" / "out")
    assert not list(tmp_path.glob("*.tmp"))


def test_the_page_describes_every_column_in_order() -> None:
    page = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")
    table = page.partition("| column |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| ([^|]+) \|", table, flags=re.M)
    assert rows == [(column.name, column.kind, column.meaning) for column in COLUMNS]


def test_the_page_names_every_plot() -> None:
    page = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| `(\w+)` \|", page.partition("## Plots")[2], flags=re.M)
    assert rows == [(name, plot.__name__) for name, plot in plots.PLOTS.items()]


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")
    for name in ("generated", "answers", "verdicts"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "ragtester.toml", tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in list(plots.PLOTS)[2:]:
        monkeypatch.delitem(plots.PLOTS, name)  # drawing all of them is another test's matter
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", page, flags=re.S):
        exec(block, names)
    assert len(names["frame"]) == 476
    assert len(list((tmp_path / "out" / "plots").iterdir())) == 4


@pytest.mark.parametrize(("package", "call"), [("pyarrow", "parquet"), ("pandas", "frame"), ("matplotlib", "plot")])
def test_a_missing_package_is_named_with_its_extra(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, call: str
) -> None:
    workspace, results = run
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    calls: dict[str, Callable[[], object]] = {
        "parquet": lambda: write_parquet(results, workspace, tmp_path / "a.parquet"),
        "frame": lambda: to_frame(results),
        "plot": lambda: plots.pass_rates(results),
    }
    with pytest.raises(MissingPackageError, match=rf"{package} is not installed.*\[study\]"):
        calls[call]()
    assert not (tmp_path / "a.parquet").exists()
