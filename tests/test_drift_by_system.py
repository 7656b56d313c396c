"""A threshold of drift holds for each system by itself: four together hide one that got worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ragtester.records import DriftResult, Moved
from ragtester.settings import load_settings
from ragtester.stages.drift import compare_runs, drift_document, history_document, read_history
from ragtester.tables import Paragraph
from ragtester.tables.markdown import markdown
from ragtester.workspace import Workspace
from tests.drift_runs import EMBEDDING, Asked, Made, write_run

ALPHA, BETA, GAMMA, DELTA = (f"openai:{name}-2025-01-01" for name in ("alpha", "beta", "gamma", "delta"))
TWELVE = tuple(Asked(f"q{number}") for number in range(12))
Run = Mapping[str, Sequence[Asked]]


def write(root: Path, name: str, run: Run) -> Workspace:
    """A run of several systems, each with its own answers."""
    workspace, llms = Workspace(root), {llm: {"temperature": 0} for llm in run}
    started = f"2026-01-0{ord(name[0]) - ord('a') + 1}T10:00:00Z"
    for llm, asked in run.items():
        workspace = write_run(root, name, asked, Made(llm=llm, parameters={"llms": llms}, started=started))
    return workspace


def drift(root: Path, before: Run, after: Run, *overrides: str) -> DriftResult:
    write(root, "a", before)
    return compare_runs(write(root, "b", after), load_settings(root, overrides), "a", "b")


def failed(*numbers: int) -> list[Asked]:
    return [replace(one, status="fail") if number in numbers else one for number, one in enumerate(TWELVE)]


def figure(result: DriftResult, name: str) -> Moved:
    return {one.name: one for one in result.moved}[name]


def text(result: DriftResult) -> str:
    return " ".join(markdown(drift_document(result)).replace("\\", "").split())


FOUR: Run = {ALPHA: TWELVE, BETA: failed(0, 1), GAMMA: TWELVE, DELTA: TWELVE}


def test_one_of_four_systems_breaches_alone(tmp_path: Path) -> None:
    result = drift(tmp_path, FOUR, {**FOUR, ALPHA: failed(3, 4, 5)}, "drift.pass_rate=0.1")
    found = figure(result, "pass_rate")
    # Together 46 of 48 to 43 of 48, 6.25 points; alpha 12 of 12 to 9 of 12, 25 points.
    assert found.difference == pytest.approx(-3 / 48)
    assert not found.exceeded
    assert found.breach
    assert result.breached
    assert len(found.systems) == 4
    first, *rest = found.systems
    assert first.system == f"{ALPHA} × {EMBEDDING}"
    assert (first.before, first.after, first.before_n, first.pairs) == (1.0, 0.75, 12, 12)
    assert (first.threshold, first.exceeded, first.breach) == (0.1, True, True)
    assert all(one.difference == 0 and not one.breach for one in rest)
    assert (
        f"Drift: pass rate of {ALPHA} × {EMBEDDING} -25.0 points (100.0 %, n 12 to 75.0 %, n 12; the farthest of 4 "
        "systems, which are -6.2 points together), allowed is 10.0 points."
    ) in text(result)


def test_within_the_threshold_of_each_nothing_breaches(tmp_path: Path) -> None:
    result = drift(tmp_path, FOUR, {**FOUR, ALPHA: failed(3)}, "drift.pass_rate=0.1")
    assert figure(result, "pass_rate").systems[0].difference == pytest.approx(-1 / 12)
    assert not result.breached
    assert "No threshold was passed" in text(result)


def test_a_system_is_measured_against_its_own_noise(tmp_path: Path) -> None:
    """Alpha's repeat differs by 3 of 12, which excuses 3 of 12 of alpha and none of beta."""
    write(tmp_path, "a.repeat-2", {**FOUR, ALPHA: failed(0, 1, 2)})
    result = drift(tmp_path, FOUR, {**FOUR, ALPHA: failed(3, 4, 5)}, "drift.pass_rate=0.1")
    first = figure(result, "pass_rate").systems[0]
    assert first.band == pytest.approx(3 / 12)
    assert (first.exceeded, first.within_noise, first.breach) == (True, True, False)
    assert not result.breached
    assert f"The pass rate of {ALPHA} × {EMBEDDING}, -25.0 points, passed the threshold" in text(result)
    write(tmp_path, "b", {**FOUR, BETA: failed(0, 1, 3, 4, 5)})
    again = compare_runs(Workspace(tmp_path), load_settings(tmp_path, ("drift.pass_rate=0.1",)), "a", "b")
    first = figure(again, "pass_rate").systems[0]
    assert (first.system, first.band, first.breach) == (f"{BETA} × {EMBEDDING}", 0.0, True)


def test_seconds_are_relative_to_the_systems_own(tmp_path: Path) -> None:
    def timed(quick: float, slow: float) -> Run:
        return {llm: [replace(one, seconds=s) for one in TWELVE] for llm, s in ((ALPHA, quick), (BETA, slow))}

    result = drift(tmp_path, timed(1.0, 9.0), timed(2.0, 9.5), "drift.latency=0.5")
    found = figure(result, "latency")
    # Together 5 s to 5.75 s, 15 % more; alpha twice as long, beta 0.5 / 9 more.
    assert (found.before, found.after, found.exceeded) == (5.0, 5.75, False)
    assert [(one.system.split(" ")[0], one.breach) for one in found.systems] == [(ALPHA, True), (BETA, False)]
    assert result.breached


def test_a_system_without_the_figure_in_one_run_is_said(tmp_path: Path) -> None:
    lost = [replace(one, status="ungraded") for one in TWELVE]
    result = drift(tmp_path, {ALPHA: TWELVE, BETA: TWELVE}, {ALPHA: TWELVE, BETA: lost}, "drift.pass_rate=0.1")
    first = figure(result, "pass_rate").systems[0]
    assert (first.system, first.difference, first.breach) == (f"{BETA} × {EMBEDDING}", None, False)
    assert f"pass rate of {BETA} × {EMBEDDING}" in text(result).partition("though there is a threshold: ")[2]


def test_a_system_that_never_had_the_figure_is_no_fault(tmp_path: Path) -> None:
    before = {ALPHA: [replace(one, cost=0.01) for one in TWELVE], BETA: TWELVE}
    found = figure(drift(tmp_path, before, before, "drift.cost=0.1"), "cost")
    assert found.systems == ()
    assert found.deciding is found


def test_one_system_and_figures_without_a_threshold_have_none(tmp_path: Path) -> None:
    assert figure(drift(tmp_path, FOUR, FOUR), "pass_rate").systems == ()
    alone_in = tmp_path / "alone"
    alone_in.mkdir()
    alone = drift(alone_in, {ALPHA: TWELVE}, {ALPHA: failed(0)}, "drift.pass_rate=0.01")
    assert figure(alone, "pass_rate").systems == ()
    assert alone.breached


def test_each_system_is_listed_in_full(tmp_path: Path) -> None:
    result = drift(tmp_path, FOUR, {**FOUR, ALPHA: failed(3, 4, 5)}, "drift.pass_rate=0.1")
    table = drift_document(result, full=True).table("systems")
    assert (table.rows[0][1], table.rows[0][-1]) == (f"{ALPHA} × {EMBEDDING}", "DRIFT")
    assert len(table.rows) == 4
    assert "Each system by itself" not in text(result)


def test_what_was_asked_is_listed_once(tmp_path: Path) -> None:
    """Three systems flip the same two questions."""
    write(tmp_path, "a", FOUR)
    lost = {llm: failed(0, 1, 3, 4) for llm in FOUR}
    workspace = write(tmp_path, "b", lost)
    settings = load_settings(tmp_path)
    asked = [("q3", "What is said about q3?"), ("q4", "What is said about q4?")]
    drifted = drift_document(compare_runs(workspace, settings, "a", "b"), full=True)
    told = history_document(read_history(workspace, settings).history, full=True)
    for document, table, rows in ((drifted, "flips", 14), (told, "strips", 14)):
        assert len(document.table(table).rows) == rows, "q0 and q1 of three systems, q3 and q4 of four"
        texts = document.table("texts").rows
        assert [row for row in texts if row[0] in ("q3", "q4")] == asked
        assert len(texts) == 4
        assert "What is said" not in str(document.table(table).rows)


def test_figures_of_one_run_stand_in_a_line(tmp_path: Path) -> None:
    write(tmp_path, "a", {ALPHA: [replace(one, recall=0.5, seconds=1.0) for one in TWELVE]})
    workspace = write(tmp_path, "b", {ALPHA: [replace(one, seconds=1.0) for one in TWELVE]})
    document = history_document(read_history(workspace, load_settings(tmp_path)).history)
    (figures,) = [section for section in document.sections if section.id == "figures"]
    assert [table.id for table in figures.tables] == ["pass_rate", "latency"]
    line = figures.parts[-1]
    assert isinstance(line, Paragraph)
    assert line.text.startswith("In one run only: hit rate 100.0 %")
    assert "recall 0.500" in line.text and line.text.endswith("n 12 (a).")


def test_the_newest_run_of_a_history_names_the_system(tmp_path: Path) -> None:
    write(tmp_path, "a", FOUR)
    workspace = write(tmp_path, "b", {**FOUR, ALPHA: failed(3, 4, 5)})
    history = read_history(workspace, load_settings(tmp_path, ("drift.pass_rate=0.1",))).history
    assert history.breached
    assert f"Drift in b, the newest run, since a: pass rate of {ALPHA} × {EMBEDDING} -25.0 points" in " ".join(
        markdown(history_document(history)).replace("\\", "").split()
    )
