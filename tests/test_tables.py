"""The same numbers in every format, and hostile names harmless in each."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import html
from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console

from ragtester.statistics import Interval
from ragtester.tables import Cell, Document, Estimate, Paragraph, PValue, Rate, Section, Table
from ragtester.tables.cells import file_names, number, show, show_row
from ragtester.tables.csv_files import csv_files, csv_text
from ragtester.tables.json_text import json_text
from ragtester.tables.latex import latex, latex_files
from ragtester.tables.latex_tables import latex_table
from ragtester.tables.latex_text import escape as latex_escape
from ragtester.tables.markdown import markdown, markdown_table
from ragtester.tables.names import common_names, folded, short_names
from ragtester.tables.terminal import print_document, print_table

HOSTILE = [
    "a|b",
    "back\\slash\\",
    "\\input{/etc/passwd}",
    "\\end{tabular}\\write18{id}",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert)",
    "![x](http://evil.example/x.png)",
    "http://evil.example/ www.evil.example",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\x1b[31mred\x1b]0;title\x07",
    "line\nbreak\r\n| --- |",
    "\u202egnp.exe",
    "half \ud800 pair",
    "`code` *bold* _it_ $x$ ~~s~~ # h",
    "50 % of {a} & b ^ c ~ d",
    "# heading",
    "1. item",
    "- item",
    "* star",
    "[opt]",
    "中文 😀 é ß × … ñ Ż",
    "&lt;b&gt;",
]
KNOWN_COMMANDS = set(
    re.findall(
        r"\w+",
        """providecommand ragtesterchar ifdefined XeTeXversion directlua else fi caption label par smallskip begin end
        centering toprule midrule bottomrule section subsection parbox linewidth footnotesize textbackslash
        resizebox ifdim width begingroup endgroup scriptsize setlength tabcolsep endfirsthead endhead endfoot noindent
        addtocounter table
        textasciicircum textasciitilde textless textgreater textbar char times ldots ss i l L o O c v r H u textendash
        textemdash""",
    )
)
SAMPLE = Table(
    "sample",
    "Failures",
    ("system", "failed", "difference", "p", "count", "score", "reason"),
    (
        ("a:one", Rate(3, 10), Estimate(6.2, 240, Interval(-1.0, 11.3), "points"), PValue(0.0345), 7, 43.25, "x"),
        ("b:two", Rate(0, 0), None, PValue(0.0000001), 0, 0.00123, "y z"),
        ("c:three", Rate(12, 40), Estimate(-0.004, 3, None, "$"), None, None, None, "-"),
    ),
    ("Counts are cases.",),
)


def document(*parts: Table | Paragraph) -> Document:
    return Document("A title", (Section("first", "1. First", parts),))


def printed(table: Table, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    print_table(table, console)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def markdown_cells(text: str) -> list[list[str]]:
    """Rows of the only table, read by another Markdown implementation."""
    tree = html.fromstring(f"<div>{MarkdownIt().enable('table').render(text)}</div>")
    return [[cell.text_content() for cell in row.iter("td", "th")] for row in tree.iter("tr")]


def latex_cells(text: str) -> list[list[str]]:
    """Rows between the rules, split at the marks of LaTeX that are not escaped; groups of columns put together."""
    rows: list[list[str]] = []
    text = re.sub(r"\\begin\{tabular\}\[[bt]\]\{@\{\}.@\{\}\}(.*?)\\end\{tabular\}", r"\1", text)  # lines of a cell
    for body in re.findall(r"\\toprule\n(.*?)\\bottomrule", text, flags=re.DOTALL):
        lines = [line for line in body.splitlines() if line != "\\midrule"]
        cells = [re.split(r"(?<!\\) & ", line.removesuffix(r" \\")) for line in lines]
        rows = [one + more[1:] for one, more in zip(rows, cells, strict=True)] if rows else cells
    return rows


def test_the_text_of_each_kind_of_cell() -> None:
    assert [show(cell) for cell in SAMPLE.rows[0]] == [
        "a:one",
        "3/10 = 30.0 % [10.8, 60.3]",
        "+6.2 points [-1.0, 11.3], n 240",
        "0.035",
        "7",
        "43.2",
        "x",
    ]
    assert [show(cell) for cell in SAMPLE.rows[1]] == ["b:two", "0/0 = n/a", "n/a", "<0.001", "0", "0.00123", "y z"]
    assert show(SAMPLE.rows[2][2]) == "-$0.00400, n 3"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (41926.4, "41926"), (999.6, "1000"), (12.345, "12.3"), (-0.5, "-0.500"), (1.23e-7, "1.2e-07")],
)
def test_numbers_keep_three_figures(value: float, text: str) -> None:
    assert number(value) == text


def test_undefined_and_impossible_numbers_are_refused() -> None:
    for build in (
        lambda: Table("t", "t", ("a",), ((float("nan"),),)),
        lambda: Estimate(float("inf"), 3),
        lambda: PValue(float("nan")),
        lambda: Rate(3, 2),
        lambda: Table("t", "t", ("a", "b"), ((1,),)),
    ):
        with pytest.raises(ValueError, match=r"."):
            build()


def test_csv_has_raw_numbers_in_columns_of_their_own() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text(SAMPLE))))
    assert rows[0]["failed successes"] == "3"
    assert rows[0]["failed n"] == "10"
    assert float(rows[0]["failed share"]) == 0.3
    assert float(rows[0]["failed low"]) == pytest.approx(0.1078, abs=1e-4)  # Wilson, 3 of 10
    assert float(rows[0]["failed high"]) == pytest.approx(0.6032, abs=1e-4)
    assert rows[0]["difference value"] == "6.2"
    assert rows[0]["difference n"] == "240"
    assert rows[0]["difference unit"] == "points"
    assert rows[1]["failed n"] == "0"
    assert rows[1]["failed share"] == ""
    assert float(rows[1]["p p"]) == 1e-7
    assert rows[2]["count"] == ""
    assert list(csv_files(document(SAMPLE, Paragraph("One, two.")))) == ["sample.csv", "sentences.csv"]
    sentences = csv_files(document(SAMPLE, Paragraph("One, two.")))["sentences.csv"]
    assert sentences == 'section,text\nfirst,"One, two."\nfirst,Failures: Counts are cases.\n'


def test_csv_of_a_column_of_several_kinds_has_every_field_once() -> None:
    cells: tuple[Cell, ...] = (Rate(3, 10), Estimate(9.5, 12, Interval(8.0, 11.0)), 7, None)
    text = csv_text(Table("mixed", "Mixed", ("name", "x"), tuple((f"r{n}", cell) for n, cell in enumerate(cells))))
    header = text.splitlines()[0].split(",")
    assert len(set(header)) == len(header)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["x n"] for row in rows] == ["10", "12", "", ""]
    assert (rows[1]["x value"], rows[1]["x low"], rows[2]["x"]) == ("9.5", "8.0", "7")
    assert set(rows[3].values()) == {"r3", ""}


def test_json_is_strict_and_says_what_each_cell_is() -> None:
    def refuse(name: str) -> Any:
        raise AssertionError(name)

    tree = json.loads(json_text(document(Paragraph("Text."), SAMPLE)), parse_constant=refuse)
    assert tree["format"] == "ragtester-tables/1"
    assert tree["sections"][0]["parts"][0] == {"kind": "paragraph", "text": "Text."}
    table = tree["sections"][0]["parts"][1]
    assert table["columns"] == list(SAMPLE.columns)
    first = table["rows"][0]
    assert first[1] | {"low": 0, "high": 0} == {
        "kind": "rate",
        "successes": 3,
        "n": 10,
        "share": 0.3,
        "low": 0,
        "high": 0,
    }
    assert first[2] == {"kind": "estimate", "value": 6.2, "n": 240, "low": -1.0, "high": 11.3, "unit": "points"}
    assert first[3] == {"kind": "p", "value": 0.0345}
    assert table["rows"][1][1]["share"] is None
    assert table["rows"][1][2] is None


cells = st.one_of(
    st.integers(-99999, 99999),
    st.floats(-1e6, 1e6, allow_nan=False),
    st.tuples(st.integers(0, 500), st.integers(0, 500)).map(lambda pair: Rate(pair[0], pair[0] + pair[1])),
    st.builds(
        Estimate,
        st.floats(-100, 100, allow_nan=False),
        st.integers(1, 999),
        st.one_of(st.none(), st.builds(Interval, st.floats(-100, 0), st.floats(0, 100))),
        st.sampled_from(["", "points", "$", "s"]),
    ),
    st.builds(PValue, st.floats(0, 1)),
    st.none(),
)


def numbers(text: str) -> list[float]:
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", plain)]


def test_counts_have_separators_for_people_and_none_in_files() -> None:
    table = Table("t", "T", ("name", "tokens"), (("in", 666856), ("out", -1234)))
    assert "| 666,856 |" in markdown_table(table)
    assert "666,856" in latex_table(table, "t")
    assert "666856" in csv_text(table)
    assert "-1,234" in markdown_table(table)


def raw(cell: Any) -> list[float]:
    """The numbers of a JSON cell in the order people read them; percentages as such."""
    if cell is None:
        return []
    if not isinstance(cell, dict):
        return [cell]
    if cell["kind"] == "rate":
        shares = [cell["share"], cell["low"], cell["high"]]
        return [cell["successes"], cell["n"], *(100 * share for share in shares if share is not None)]
    if cell["kind"] == "p":
        return [max(cell["value"], 0.001)]
    ends = [cell["low"], cell["high"]] if cell["low"] is not None else []
    return [cell["value"], *ends, cell["n"]]


def said_counts(row: list[Any]) -> set[int]:
    """Counts of the rates of a row, and their sums two by two."""
    counts = [cell["n"] for cell in row if isinstance(cell, dict) and cell["kind"] == "rate"]
    pairs = [a + b for place, a in enumerate(counts) for b in counts[place + 1 :]]
    return {*counts, *pairs}


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=4))
def test_the_same_numbers_in_every_format(rows: list[tuple[Cell, Cell, Cell]]) -> None:
    named = tuple((f"row {'abcd'[place]}", *row) for place, row in enumerate(rows))
    table = Table("t", "T", ("name", "x", "y", "z"), named)
    truth = json.loads(json_text(document(table)))["sections"][0]["parts"][0]["rows"]
    in_markdown = markdown_cells(markdown_table(table))[1:]
    in_latex = latex_cells(latex_table(table, "t"))[1:]
    in_csv = list(csv.reader(io.StringIO(csv_text(table))))[1:]
    for place, row in enumerate(truth):
        for column, cell in enumerate(row[1:], start=1):
            for shown in (in_markdown[place][column], in_latex[place][column]):
                expected = raw(cell)
                if isinstance(cell, dict) and cell["kind"] == "estimate" and ", n " not in shown:
                    assert expected.pop() in said_counts(row)  # the count stands in the row's rates
                assert numbers(shown) == pytest.approx(expected, rel=0.006, abs=0.06), shown
        line = " ".join(in_csv[place][1:])
        for cell in row[1:]:
            for value in [cell] if not isinstance(cell, dict) else [cell.get("value", cell.get("share"))]:
                assert value is None or str(value) in line
    for width in (60, 400):
        shown = printed(table, width)
        for cell in (cell for row in named for cell in row[1:]):
            whole = show(cell).partition(", n ")[0]
            for piece in whole.split(" = ") if isinstance(cell, Rate) and cell.n else [whole]:
                assert piece in shown  # whole, never cut or broken


def hostile_table() -> Table:
    rows = tuple((name, name, Rate(1, 2)) for name in HOSTILE)
    return Table("hostile", "Title <b>|\\input{x}", ("na|me", "=cell", "rate"), rows, ("note <i> | \\x",))


def test_hostile_names_in_markdown() -> None:
    text = markdown(Document("<h1>", (Section("s", "# | <b>", (Paragraph("<script> | [a](b)"), hostile_table())),)))
    tree = html.fromstring(f"<div>{MarkdownIt().enable('table').render(text)}</div>")
    allowed = {"div", "h1", "h2", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    assert {element.tag for element in tree.iter()} <= allowed
    rows = [[cell.text_content() for cell in row] for row in tree.iter("tr")]
    assert len(rows) == len(HOSTILE) + 1
    assert all(len(row) == 3 for row in rows)
    for row, name in zip(rows[1:], HOSTILE, strict=True):
        # python-markdown keeps an escaped "www\." as it is; GitHub shows the dot alone.
        shown = row[0].replace("www\\", "www").replace("\u200b", "")  # what breaks a mention is not seen
        assert shown == show(name).strip()
        assert row[2] == "1/2 = 50.0 % [9.5, 90.5]"
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800]", text)


def test_hostile_names_in_csv() -> None:
    rows = list(csv.reader(io.StringIO(csv_files(document(hostile_table()))["hostile.csv"])))
    assert rows[0] == ["na|me", "'=cell", "rate successes", "rate n", "rate share", "rate low", "rate high"]
    for row, name in zip(rows[1:], HOSTILE, strict=True):
        assert len(row) == 7
        assert not row[0].strip().startswith(("=", "+", "-", "@"))
        assert row[0].removeprefix("'") == show(name)
        assert row[2:5] == ["1", "2", "0.5"]


def latex_faults(text: str) -> list[str]:
    """What a TeX engine would stumble over: unbalanced braces or environments, bare specials, unknown commands."""
    faults = []
    text = re.sub(r"(?m)^%.*$", "", text)
    faults += [name for name in re.findall(r"\\([A-Za-z]+)", text) if name not in KNOWN_COMMANDS]
    depth = 0
    for mark in re.findall(r"\\.|[{}]", text):
        depth += {"{": 1, "}": -1}.get(mark, 0)
        if depth < 0:
            faults.append("closing brace")
    opened = re.findall(r"\\begin\{(\w+)\}", text)
    if depth or sorted(opened) != sorted(re.findall(r"\\end\{(\w+)\}", text)):
        faults.append("unbalanced")
    without = re.sub(r"\\[A-Za-z]+|\\.", "", text)
    without = without.replace("{2}", "").replace("#2", "").replace("#1", "").replace("$$", "")
    faults += re.findall(r"[#%^~$]", without)
    return faults


def test_hostile_names_in_latex() -> None:
    table = hostile_table()
    text = latex(Document("\\x{", (Section("s", "%", (Paragraph("50 % \\input{a} $x"), table)),)))
    assert latex_faults(text) == []
    rows = latex_cells(latex_table(table, "hostile"))
    assert [len(row) for row in rows] == [3] * (len(HOSTILE) + 1)
    assert not any(row[0].startswith(("[", "*")) for row in rows)
    outside = re.sub(r"\\ragtesterchar\{[0-9A-F]+\}\{.\}", "", text)
    assert outside.isascii()
    assert list(latex_files(document(table, SAMPLE))) == ["hostile.tex", "sample.tex"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX on this machine")
def test_pdflatex_compiles_hostile_names(tmp_path: Path) -> None:
    long: tuple[tuple[Cell, ...], ...] = tuple(
        (name, name, *(Rate(1, 2 + place) for place in range(5))) for name in HOSTILE
    )
    wide = Table("wide", "Wide", ("name", "again", *"abcde"), long)
    tall = replace(wide, id="tall", rows=long * 4)
    parts = (Paragraph("50 % \\input{a} $x"), hostile_table(), wide, tall)
    body = latex(Document("\\x{", (Section("s", "%", parts),)))
    packages = "booktabs,graphicx,longtable,pdflscape"
    head = f"\\documentclass{{article}}\\usepackage{{{packages}}}\\begin{{document}}\n"
    (tmp_path / "paper.tex").write_text(f"{head}{body}\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-no-shell-escape", "-halt-on-error", "-interaction=nonstopmode", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]
    assert b"Missing character" not in done.stdout
    assert b"too large" not in done.stdout


def test_all_parts_of_a_latex_table_are_scaled_as_one() -> None:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (f"provider:llm-{n} × provider:embedding-{n}", *(Rate(n, 9) for _ in range(9))) for n in range(5)
    )
    text = latex_table(Table("wide", "Wide", ("system", *(f"c{n}" for n in range(9))), rows), "wide")
    assert (text.count("\\toprule"), text.count("\\resizebox")) == (3, 1)
    assert latex_faults(text) == []


def test_a_latex_table_taller_than_a_page_goes_over_pages() -> None:
    rows = tuple((f"row {n}", n) for n in range(40))
    text = latex_table(Table("tall", "Tall", ("a", "b"), rows), "tall")
    assert "\\begin{longtable}{lr}" in text
    assert "\\begin{table}" not in text
    assert all(f"row {n} & {n} " in text for n in range(40))
    short = latex_table(Table("short", "Short", ("a", "b"), rows[:30]), "short")
    assert "longtable" not in short


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gpt_4 & 50 %", r"gpt\_4 \& 50 \%"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("é ü í ß ç ň", "\\'{e} \\\"{u} \\'{\\i} \\ss{} \\c{c} \\v{n}"),
        ("a--b", "a-{}-b"),
        ("llm × emb", r"llm $\times$ emb"),
        ("中", r"\ragtesterchar{4E2D}{中}"),
    ],
)
def test_latex_escapes(text: str, expected: str) -> None:
    assert latex_escape(text) == expected


def test_the_check_for_latex_finds_faults() -> None:
    for bad in ("\\input{x}", "50 % of", "a_b^c", "{", "\\begin{table}", "cost $5"):
        assert latex_faults(bad), bad


@pytest.mark.parametrize("width", [48, 60, 120])
def test_hostile_names_on_a_terminal(width: int) -> None:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    print_document(Document("\x1b[2J", (Section("s", "\x07", (Paragraph("\x1b]0;x\x07"), hostile_table())),)), console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800]", text)
    assert text.count("50.0 % [9.5, 90.5]") == len(HOSTILE)
    assert max(map(cell_len, text.splitlines())) <= width


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_wide_table_is_split_and_nothing_is_lost(width: int) -> None:
    columns: tuple[str, ...] = ("system", *(f"openai:text-embedding-{place}-small" for place in range(6)), "reason")
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            f"openai:a-very-long-model-name-{place}",
            *(Rate(place + extra, 1000) for extra in range(6)),
            "some words to wrap " * 3,
        )
        for place in range(1, 4)
    )
    text = printed(Table("wide", "Wide", columns, rows), width)
    assert max(map(cell_len, text.splitlines())) <= width
    for row in rows:
        for cell in row[1:-1]:
            for piece in show(cell).split(" = "):
                assert piece in text


@pytest.mark.parametrize("width", [60, 70, 80, 90, 100, 120])
def test_a_name_has_one_form_in_all_parts_and_columns_of_a_table(width: int) -> None:
    names = ("embedded:rules × embedded:wordllama", "embedded:eager × embedded:hashing")
    rows: tuple[tuple[Cell, ...], ...] = tuple((name, *(Rate(1, 9),) * 4, names[0]) for name in names)
    text = printed(Table("wide", "Wide", ("system", *"abcd", "dominated by"), rows), width)
    # Four rates and two names never fit beside each other: the names stand in every part.
    assert text.count("─\n") > 1 or width == 120
    assert text.count("embedded:rules × embedded:wordllama") in (0, text.count("rules × "))
    assert text.count("rules × ") >= 3


def test_no_two_rows_read_the_same_where_names_are_texts() -> None:
    names = ("mean (relevance, keyword match)", "mean (relevance, clarity and keyword match)")
    rows: tuple[tuple[Cell, ...], ...] = tuple((name, *(Rate(1, 9),) * 4) for name in names)
    text = printed(Table("wide", "Wide", ("criterion", *"abcd"), rows), 60)
    assert "…" not in text
    assert text.count("clarity and") == 2


@given(
    st.lists(st.text("ab:- ", min_size=1, max_size=30), min_size=1, max_size=6, unique_by=lambda name: name.strip()),
    st.integers(8, 30),
)
@example([":a", "a ", ":::::::::"], 8)
def test_forms_of_names_stay_distinct(names: list[str], width: int) -> None:
    forms = common_names([(names, width), (names[:2], width + 5)])
    assert set(forms) == set(names)
    lines = [line for form in forms.values() for line in form.split("\n")]
    assert max(map(cell_len, lines)) <= width
    joined = {re.sub(r"\s", "", form) for form in forms.values()}
    assert len(joined) >= len({re.sub(r"\s", "", name) for name in names})


def test_a_count_that_the_row_says_already_is_not_repeated() -> None:
    def shown(n: int) -> str:
        return show_row(("a", Rate(3, 10), Rate(1, 5), Estimate(1.5, n, Interval(-1.0, 2.0), "points")))[3]

    assert shown(10) == shown(5) == shown(15) == "+1.50 points [-1.00, 2.00]"
    assert shown(11) == "+1.50 points [-1.00, 2.00], n 11"


def test_numbers_in_sentences_are_not_broken() -> None:
    text = "of the answers 3/10 = 30.0 % [10.8, 60.3] failed (p = 0.012, Holm p < 0.001) " * 3
    for width in range(30, 60):
        lines = folded(text.strip(), width)
        joined = "\n".join(lines)
        assert joined.count("30.0 % [10.8, 60.3]") == 3
        assert joined.count("p = 0.012") == 3
        assert joined.count("p < 0.001") == 3
        assert max(map(len, lines)) <= width


def test_an_empty_table_says_so() -> None:
    empty = Table("empty", "Nothing", ("a", "b"), ())
    assert "no rows" in printed(empty, 60)
    assert "No rows." in markdown_table(empty)
    assert csv_text(empty) == "a,b\n"
    assert latex_faults(latex_table(empty, "empty")) == []


def test_names_are_shortened_only_where_they_stay_distinct() -> None:
    assert short_names(["openai:gpt", "ollama:llama"], 40) == ["openai:gpt", "ollama:llama"]
    assert short_names(["openai:gpt-4.1", "ollama:llama3.2"], 10) == ["gpt-4.1", "llama3.2"]
    assert short_names(["a:same-name", "b:same-name"], 10) == ["a:sa…-name", "b:sa…-name"]
    alike = short_names(["x" * 20 + "1" + "y" * 20, "x" * 20 + "2" + "y" * 20], 11)
    assert alike[0] != alike[1]
    assert all(len(line) <= 11 for name in alike for line in name.split("\n"))


@given(st.text(max_size=60), st.integers(2, 30))
def test_folding_keeps_every_character(text: str, width: int) -> None:
    lines = folded(text, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(cell_len(line) <= width for line in lines)


def test_file_names_are_safe_and_distinct() -> None:
    assert file_names(["a", "a", "../x", "", "Ä b"]) == ["a", "a-2", "x", "table", "a-b"]


def test_several_names_of_a_row_stand_below_each_other_where_there_is_little_room() -> None:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (f"first-name-of-row-{place}", f"second-name-of-row-{place}", Rate(place, 9), Rate(1, 9)) for place in range(3)
    )
    table = Table("keys", "Keys", ("first", "second", "a", "b"), rows, keys=2)
    wide, narrow = printed(table, 120), printed(table, 52)
    assert "first-name-of-row-1  second-name-of-row-1  1/9 = 11.1 %" in wide
    assert "first / second" in narrow
    assert max(map(cell_len, narrow.splitlines())) <= 52
    for place in range(3):
        assert any(line.startswith(f"first-name-of-row-{place}") for line in narrow.splitlines())
        assert any(line.startswith(f"second-name-of-row-{place}") for line in narrow.splitlines())
    assert printed(table, 88).count("second-name-of-row-2") == 1  # fits, rates over two lines


def test_what_rounds_to_nothing_has_no_minus_and_dollars_have_their_sign_first() -> None:
    assert show(Estimate(-0.01, 476, Interval(-0.1, -0.02), unit="points", decimals=1)) == (
        "+0.0 points [-0.1, 0.0], n 476"
    )
    assert show(Estimate(0.0021, 12, unit="$", signed=True)) == "+$0.00210, n 12"
    assert show(Estimate(-0.0021, 12, unit="$", signed=True)) == "-$0.00210, n 12"
    assert show(Estimate(0.0021, 12, unit="$")) == "$0.00210, n 12"


def test_decimals_may_be_asked_for() -> None:
    ends = Interval(0.0099, 0.0693)
    assert show(Estimate(0.0396, 101, ends, signed=True)) == "+0.0396 [0.0099, 0.0693], n 101"
    assert show(Estimate(0.0396, 101, ends, signed=True, decimals=3)) == "+0.040 [0.010, 0.069], n 101"
    assert show(Estimate(1.0, 3, decimals=3)) == "1.000, n 3"
