"""Plots show the numbers of the rows, say what they leave out, and draw whatever a name contains."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from ragtester import plots
from ragtester.plots import counts, style
from ragtester.plots.coverage import covered
from ragtester.plots.export import image
from ragtester.plots.flesch import _bins
from ragtester.plots.pareto import Point, front
from ragtester.records import (
    NO_RETRIEVAL,
    Evidence,
    Rating,
    Ratings,
    Share,
)
from ragtester.results import Result, Results, RunInfo
from ragtester.results.rows import Status
from ragtester.tables import Rate
from tests.builders import case, document, precision_figures, precision_result

HOSTILE = 'openai:$x_{"<b>&日本\x1b[31m\u202e\ud800 ' + "long-" * 20
RATINGS: dict[str, Rating] = {"pass": "true", "fail": "false"}


def row(system: tuple[str, str], number: int, status: Status, **more: object) -> Result:
    rating = RATINGS.get(status)
    values: dict[str, object] = {
        "run": "main",
        "case_id": f"c{number}",
        "document_id": f"d{number % 3}",
        "source": "manual",
        "technique": "ragtester",
        "type": ("complexity", "rejection", "coverage")[number % 3],
        "subtype": ("", "invented", "multi")[number % 3],
        "language": "en",
        "llm": system[0],
        "embedding": system[1],
        "status": status,
        "outcome": "answered",
        "judge": "openai:gpt",
        "mean": {"pass": 1.0, "fail": 0.2}.get(status),
        "ratings": Ratings(**dict.fromkeys(Ratings.model_fields, rating)) if rating else None,
        "cost": 0.001 * (1 + len(system[0])),
        "seconds": 0.5,
    }
    return Result(**values | more)  # type: ignore[arg-type]


def run(systems: list[tuple[str, str]], cases: int = 30, seed: int = 1) -> Results:
    draw = random.Random(seed)
    statuses: list[Status] = ["pass", "pass", "pass", "fail", "fail", "ungraded", "missing"]
    rows = [row(system, number, draw.choice(statuses)) for system in systems for number in range(cases)]
    found = Results(runs=[RunInfo("main", "s", None, None)], rows=rows)
    for number in range(cases):
        found.cases["s", f"c{number}"] = case(
            f"c{number}",
            document_id=f"d{number % 3}",
            type=("complexity", "rejection", "coverage")[number % 3],
            evidence=(Evidence(start=number * 10, end=number * 10 + 30),) if number % 3 != 1 else (),
            flesch=float(number),
        )
    for number in range(3):
        found.documents["s", f"d{number}"] = document(f"d{number}", page_starts=(0, 400))
    return found


def texts(figure: Figure) -> str:
    """Everything that is written in a figure."""
    from matplotlib.text import Text

    figure.canvas.draw()
    return "\n".join(found.get_text() for found in figure.findobj(Text))


TWO = [("openai:a", "openai:e"), ("openai:b", "openai:e")]


def test_pass_rates_are_those_of_the_graded_rows() -> None:
    statuses: list[Status] = ["pass", "pass", "pass", "fail", "ungraded", "missing"]
    results = Results(rows=[row(TWO[0], number, status) for number, status in enumerate(statuses)])
    results.rows += [row(TWO[1], number, "ungraded") for number in range(2)]
    written = texts(plots.pass_rates(results))
    assert "3/4 = 75.0 %" in written
    assert "0/0 = n/a" in written
    assert "Left out: 3 ungraded and 1 missing rows." in written
    matrix = texts(plots.matrix(results))
    assert "75.0 %\n(4)" in matrix
    assert "n/a" in matrix
    assert "4/4 = 100.0 %" not in written


def test_dots_and_whiskers_stand_where_the_interval_says() -> None:
    # Wilson's interval of 30 of 40 at 95 %: 59.8 % to 85.8 % (computed with statsmodels' proportion_confint).
    with style.drawing():
        axes = style.new_figure(2).subplots()
        style.whisker(axes, Rate(30, 40), 0.0)
    dot: Any = axes.lines[0]
    line: Any = axes.collections[0]
    assert list(dot.get_xdata()) == [75.0]
    ((low, _), (high, _)) = line.get_segments()[0]
    assert (round(low, 1), round(high, 1)) == (59.8, 85.8)


def test_the_closed_book_control_is_drawn_apart() -> None:
    results = run(TWO)
    results.rows += [row(("openai:a", NO_RETRIEVAL), number, "pass" if number < 3 else "fail") for number in range(30)]
    written = texts(plots.pass_rates(results))
    assert "no retrieval" in written
    assert "2/20 = 10.0 %" in written  # a third of the cases are to be refused, which proves nothing of memory
    assert "no rejection cases" in written
    assert NO_RETRIEVAL not in texts(plots.matrix(results)).split("\n")


def test_the_control_of_the_embedded_engine_is_not_drawn() -> None:
    system = ("embedded:rules", "embedded:hashing")
    results = run([system])
    results.rows += [row((system[0], NO_RETRIEVAL), number, "pass") for number in range(30)]
    assert "no retrieval" not in texts(plots.pass_rates(results))


def test_failures_by_type_and_document_count_every_graded_row() -> None:
    results = run(TWO)
    graded = [row for row in results.rows if row.graded and row.document_id == "d2"]
    failed = sum(row.status == "fail" for row in graded)
    expected = f"{failed}/{len(graded)} = {100 * failed / len(graded):.1f} %"
    assert expected in texts(plots.failures_by_document(results))
    assert expected in texts(plots.failures_by_type(results))
    assert "coverage (multi)" in texts(plots.failures_by_type(results))
    assert "The 2 of 3 documents" in texts(plots.failures_by_document(results, most=2))


def test_techniques_and_sources_stand_side_by_side() -> None:
    results = Results(rows=[row(TWO[0], n, "fail" if n < 3 else "pass", technique="baseline") for n in range(8)])
    results.rows += [row(TWO[0], n, "fail", source="generated") for n in range(4)]
    results.rows.append(row(TWO[1], 0, "ungraded"))
    techniques = texts(plots.failures_by_technique(results))
    assert {"3/8 = 37.5 %", "4/4 = 100.0 %", "0/0 = n/a", "baseline", "ragtester"} <= set(techniques.split("\n"))
    sources = set(texts(plots.failures_by_source(results)).split("\n"))
    assert {"3/8 = 37.5 %", "4/4 = 100.0 %", "manual", "generated"} <= sources


def test_precision_of_the_papers_own_audit() -> None:
    # 308 of 382 sampled failures were confirmed: 80.6 %.
    figures = precision_figures(308, 74, ambiguous=1, open=2, by_person=6)
    audit = precision_result(figures)
    written = texts(plots.oracle_precision(audit)).replace("\n", " ")
    assert "308/382 = 80.6 %" in written
    assert "Left out: 1 ambiguous and 2 open cases." in written
    undecided = figures.model_copy(update={"tp": 0, "fp": 0, "precision": Share(value=None, n=0)})
    audit = precision_result(undecided)
    assert "No sampled failure has been decided." in texts(plots.oracle_precision(audit))


def test_front_is_what_no_other_beats() -> None:
    def point(name: str, price: float, passed: int) -> Point:
        return Point((name, "e"), price, Rate(passed, 10))

    points = [
        point("a", 3, 9),
        point("b", 1, 5),
        point("c", 2, 5),
        point("d", 2, 8),
        point("e", 1, 5),
        point("f", 4, 9),
    ]
    assert [found.system[0] for found in front(points)] == ["b", "e", "d", "a"]


def test_unknown_and_zero_costs_are_said() -> None:
    results = run(TWO)
    results.rows = [row(TWO[0], n, "pass", cost=0.5) for n in range(4)] + [row(TWO[1], n, "pass") for n in range(4)]
    results.rows += [row(("ollama:c", "openai:e"), n, "pass", cost=None) for n in range(4)]
    results.rows.append(row(TWO[0], 9, "pass", cost=None))
    written = texts(plots.cost_against_pass_rate(results)).replace("\n", " ")
    assert "Without a known cost, not shown: ollama:c × openai:e." in written
    assert "The cost of 1 of 9 answers is unknown." in written
    free = Results(rows=[row(TWO[0], n, "pass", cost=0.0, seconds=None) for n in range(4)])
    assert "The cost of all 1 systems that have one is 0." in texts(plots.cost_against_pass_rate(free))
    assert "Of none of the 1 systems are both a latency and a grade known." in texts(
        plots.latency_against_pass_rate(free)
    )


def test_bins_hold_equal_scores_together_and_every_case_once() -> None:
    cases: list[tuple[float, str, list[Result]]] = [(float(number // 7), f"c{number}", []) for number in range(100)]
    bins = _bins(cases)
    assert [case for group in bins for case in group] == cases
    assert all(len(group) >= 8 for group in bins)
    assert len({score for group in bins for score in {case[0] for case in group}}) == sum(
        len({case[0] for case in group}) for group in bins
    )
    assert [len(group) for group in _bins(cases[:9])] == [9]


def test_overlap_counts_cases_that_both_graded() -> None:
    a = [row(TWO[0], number, "fail" if number < 3 else "pass") for number in range(6)]
    b = [row(TWO[1], number, "fail" if number in (1, 2, 3) else "pass") for number in range(5)]
    b.append(row(TWO[1], 5, "ungraded"))
    # Both failed 1 and 2; either failed 0, 1, 2, 3: 2 of 4.
    assert "\n50\n" in texts(plots.overlap(Results(rows=a + b)))


def test_covered_joins_overlapping_spans() -> None:
    results = run(TWO, cases=1)
    case = results.cases["s", "c0"].model_copy(
        update={"evidence": (Evidence(start=0, end=100), Evidence(start=50, end=150), Evidence(start=900, end=1200))}
    )
    assert covered(document("d"), [case, case]) == pytest.approx(0.25)  # 150 + 100 of 1000
    assert covered(document("d"), []) == 0


def test_scores_draw_each_mean_once() -> None:
    results = Results(rows=[row(TWO[0], n, "pass") for n in range(3)] + [row(TWO[0], 3, "fail")])
    bars: list[Any] = list(plots.scores(results).axes[0].patches)
    heights = {(round(bar.get_x() + 0.04, 1), round(bar.get_height(), 1)) for bar in bars if bar.get_height() > 0}
    assert heights == {(0.2, 25.0), (1.0, 75.0)}


@pytest.mark.parametrize("name", list(plots.PLOTS))
def test_every_plot_draws_empty_single_hostile_and_many(name: str) -> None:
    many = [(f"openai:model-{HOSTILE}-{number}", f"embedded:e{place}") for number in range(4) for place in range(3)]
    hostile = run([(HOSTILE, HOSTILE), (HOSTILE + "1", "b")], cases=9)
    for found in hostile.rows:
        object.__setattr__(found, "document_id", HOSTILE + found.document_id)
    hostile.documents = {("s", HOSTILE + key[1]): value for key, value in hostile.documents.items()}
    ungraded = Results(rows=[row(TWO[0], number, "ungraded") for number in range(3)])
    for results in (Results(), ungraded, run(TWO[:1]), hostile, run(many, cases=12)):
        data = image(plots.PLOTS[name](results), "svg")
        ElementTree.fromstring(data)  # well-formed
        assert b"<script" not in data


def test_drawing_leaves_the_settings_alone_and_opens_no_window() -> None:
    code = (
        "import sys, matplotlib as mpl\n"
        "def settings(): return {name: mpl.rcParams[name] for name in mpl.rcParams if name != 'backend'}\n"
        "before = settings()\n"
        "from ragtester import plots; from ragtester.results import Results\n"
        "plots.pass_rates(Results()); plots.matrix(Results())\n"
        "assert settings() == before, 'settings changed'\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)


def test_users_settings_do_not_reach_the_plots() -> None:
    results = run(TWO)
    plain = image(plots.pass_rates(results), "png")
    with mpl.rc_context({"font.size": 30, "text.usetex": False, "axes.facecolor": "black", "savefig.dpi": 20}):
        assert image(plots.pass_rates(results), "png") == plain


def test_export_writes_every_plot_twice_and_the_same_bytes_again(tmp_path: Path) -> None:
    written = plots.export_all(run(TWO), tmp_path / "plots")
    assert [path.name for path in written] == [f"{name}.{end}" for name in plots.PLOTS for end in ("png", "svg")]
    assert sorted(path.name for path in (tmp_path / "plots").iterdir()) == sorted(path.name for path in written)
    before = {path: path.read_bytes() for path in written}
    plots.export_all(run(TWO), tmp_path / "plots")
    assert {path: path.read_bytes() for path in written} == before
    assert b"<dc:date>" not in (tmp_path / "plots" / "matrix.svg").read_bytes()


def test_rates_keep_groups_without_grades() -> None:
    rows = [row(TWO[0], 1, "missing"), row(TWO[1], 1, "pass"), row(TWO[1], 2, "fail"), row(TWO[1], 3, "ungraded")]
    assert counts.rates(rows, lambda row: row.llm, "pass") == {"openai:a": Rate(0, 0), "openai:b": Rate(1, 2)}


def test_names_in_other_scripts_use_a_font_of_the_machine_that_has_them(tmp_path: Path) -> None:
    from matplotlib.font_manager import fontManager

    with style.drawing(["日本"]) as lettered:
        before = lettered("日本 a")
    fontManager.addfont(tiny_font(tmp_path / "tiny.ttf", "日"))
    caches = (style._fonts, style._characters)
    try:
        for cache in caches:
            cache.cache_clear()
        with style.drawing(["日本"]) as lettered:
            assert lettered("日本 a") == "日" + before[1:]
            figure = style.nothing("x", lettered("日本 a"))
        image(figure, "png")  # a missing glyph would be a warning, and so an error here
    finally:
        fontManager.ttflist = [entry for entry in fontManager.ttflist if entry.name != "Noto Sans Tiny"]
        for cache in caches:
            cache.cache_clear()


def tiny_font(path: Path, character: str) -> Path:
    """A font that draws one character as a square."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    for point in ((0, 500), (500, 500), (500, 0)):
        pen.lineTo(point)
    pen.closePath()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", "box"])
    builder.setupCharacterMap({ord(character): "box"})
    builder.setupGlyf({".notdef": pen.glyph(), "box": pen.glyph()})
    builder.setupHorizontalMetrics({".notdef": (600, 0), "box": (600, 0)})
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Noto Sans Tiny", "styleName": "Regular"})
    builder.setupOS2(usWeightClass=400)
    builder.setupPost()
    builder.save(path)
    return path
