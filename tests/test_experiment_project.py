"""Experiments and the canary as a user meets them: the command, the Python functions, the committed sample."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ragtester import Project
from ragtester.cli import app
from ragtester.errors import UsageError
from ragtester.models.gateway import Gateway
from ragtester.progress import SilentProgress
from ragtester.records import (
    Answer,
    Dropped,
    ExperimentResult,
    ExperimentTimes,
    Ledger,
    Manifest,
    Retrieved,
    Trace,
)
from ragtester.stages.experiment.canary import differences
from ragtester.storage import read_rows, write_json, write_rows
from ragtester.workspace import Workspace
from tests import builders
from tests.execute_fakes import World

HYBRID: dict[str, Any] = {
    "name": "hybrid",
    "embeddings": ["embedded:hashing"],
    "baseline": {"execute.technique": "ragtester"},
    "variants": [{"name": "both arms", "change": {"execute.retrieval.arms": ["dense", "bm25"]}}],
}
TOML = """
[execute]
k = 2
[[execute.groups]]
llms = ["embedded:rules"]
embeddings = ["embedded:hashing"]
[execute.index]
chunk_size = 120
chunk_overlap = 20
"""


def toy(root: Path) -> Path:
    """A workspace of two toy documents for the embedded engine."""
    World(root)
    (root / "ragtester.toml").write_text(TOML, encoding="utf-8")
    return root


@pytest.fixture
def no_llm(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(self: Gateway, model: str, task: Any, request: Any) -> Any:
        raise AssertionError(f"{model} was asked to {task.name}")

    monkeypatch.setattr(Gateway, "ask", ask)


@pytest.mark.usefixtures("no_llm")
def test_the_committed_sample_without_any_language_model(repository: Path, tmp_path: Path) -> None:
    for name in ("generated", "corpora"):
        shutil.copytree(repository / name, tmp_path / name)
    shutil.copy(repository / "ragtester.toml", tmp_path)
    project = Project(tmp_path)
    (done,) = project.experiment(HYBRID, no_models=True)
    assert done.exit_code == 0
    found = project.experiment_result("hybrid")
    assert found is not None
    result, times = found
    (one,) = result.comparisons
    # 59 cases of the technique, 18 of which must be refused: cases and counts are those of the committed suite.
    account = result.points[0].queries
    assert (account.planned, account.measured, account.no_gold) == (59, 41, 18)
    assert one.queries == 41
    assert one.same_gold
    assert one.generation is None
    # The metrics are checked letter by letter elsewhere; here: words find what hashed vectors miss.
    metrics = {metric.metric: metric for metric in one.metrics}
    assert (metrics["recall"].difference.value or 0) > 0
    assert (metrics["reciprocal_rank"].difference.value or 0) > 0
    assert sum(flip.won for flip in one.flips) > sum(not flip.won for flip in one.flips)
    assert all(point.query and point.build and point.embed for point in times.points)


def test_answers_and_verdicts_where_they_are_asked_for(tmp_path: Path) -> None:
    project = Project(toy(tmp_path))
    results = project.experiment({**HYBRID, "generate": True})
    assert [one.stage for one in results] == ["execute", "judge", "execute", "judge", "experiment"]
    runs = sorted(path.name for path in (tmp_path / "answers").iterdir())
    assert len(runs) == 2
    assert runs[0].startswith("main.hybrid.b")
    found = project.experiment_result("hybrid")
    assert found is not None
    change = found[0].comparisons[0].generation
    assert change is not None
    # One LLM and eight cases, each with a grade in both runs.
    assert change.before.n == change.after.n == 8
    assert (change.run_before, change.run_after) == ("main.hybrid.baseline", "main.hybrid.both arms")
    assert "answer" in found[0].comparisons[0].reading
    # What stands is not paid for again.
    assert [one.exit_code for one in project.experiment({**HYBRID, "generate": True})] == [0] * 5


def test_command_prints_the_reading_and_leaves_with_0(tmp_path: Path) -> None:
    toy(tmp_path)
    file = tmp_path / "hybrid.toml"
    file.write_text(
        'name = "hybrid"\n[[variants]]\nname = "both arms"\nchange = { execute.retrieval.arms = ["dense", "bm25"] }\n',
        encoding="utf-8",
    )
    ran = CliRunner().invoke(app, ["experiment", str(file), "-w", str(tmp_path), "-q", "--no-models"])
    assert ran.exit_code == 0, ran.output
    assert "both arms with embedded:hashing" in ran.output
    assert "experiment: 16 planned = 16" in ran.output
    ran = CliRunner().invoke(app, ["experiment", str(file), "-w", str(tmp_path), "--estimate"])
    assert ran.exit_code == 0
    assert "0 searches are left" in " ".join(ran.output.split())


def test_a_model_that_does_not_exist_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    project = Project(toy(tmp_path))
    change = {"execute.retrieval.rerank": "embedded:nonsense"}
    with pytest.raises(UsageError):
        project.experiment({**HYBRID, "variants": [{"name": "v", "change": change}]})
    with pytest.raises(UsageError, match="unknown embedding model"):
        project.experiment({**HYBRID, "variants": [{"name": "v", "change": {"embedding": "embedded:nonsense"}}]})
    faulty = {
        "name": "v v",
        "k": "two",
        "generate": True,
        "variants": [
            {"name": "a", "change": change},
            {"name": "b", "change": {"embedding": "embedded:nonsense"}},
            {"name": "c", "change": {"execute.retrieval.rewrite": "embedded:rules"}},
        ],
    }
    with pytest.raises(UsageError) as caught:
        project.experiment(faulty, no_models=True)
    told = str(caught.value)
    for part in (
        "k: Input should be",
        "unknown embedding model",
        "rerank",
        "c: rewrite asks embedded:rules",
        "generate = true asks for answers",
    ):
        assert part in told
    assert not (tmp_path / "experiments").exists()


def test_a_sweep_from_python_draws_its_front(tmp_path: Path) -> None:
    project = Project(toy(tmp_path))
    project.sweep("grid", {"execute.k": [1, 2], "execute.retrieval.arms": [["dense"], ["bm25"]]})
    folder = tmp_path / "experiments" / "grid"
    assert (folder / "pareto.png").read_bytes().startswith(b"\x89PNG")
    drawn = (folder / "pareto.svg").read_text(encoding="utf-8")
    assert "<svg" in drawn
    assert "Diamonds: the baseline." in drawn
    found = project.experiment_result("grid")
    assert found is not None
    assert found[1].front
    assert found[1].costs == ("index size", "query time", "context")


def test_without_matplotlib_all_but_the_plot_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.style", None)
    progress = SilentProgress()
    project = Project(toy(tmp_path), progress=progress)
    (done,) = project.sweep("grid", {"execute.k": [1, 2]})
    assert done.exit_code == 0
    assert sum("matplotlib is not installed" in note for note in progress.notes) == 1
    folder = tmp_path / "experiments" / "grid"
    assert (folder / "result.md").is_file()
    assert not (folder / "pareto.png").exists()


@pytest.mark.parametrize("count", [6, 60])
def test_numbers_of_the_front_lie_apart(tmp_path: Path, count: int) -> None:
    from ragtester.plots.sweep import MOST_NAMED, pareto

    result, times = many(count)
    figure = pareto(result, times)
    figure.draw_without_rendering()
    axes = figure.axes[0]
    numbers = [text for text in axes.texts if text.get_text().isdigit()]
    assert numbers[0].get_text() == "1"
    assert 3 <= len(numbers) <= MOST_NAMED
    boxes = [text.get_window_extent() for text in numbers]
    assert not any(one.overlaps(two) for at, one in enumerate(boxes) for two in boxes[:at])
    inside = axes.get_window_extent()
    assert all(inside.x0 <= box.x0 and box.x1 <= inside.x1 for box in boxes)
    assert all(inside.y0 <= box.y0 and box.y1 <= inside.y1 for box in boxes)


def many(count: int) -> tuple[ExperimentResult, ExperimentTimes]:
    """Points where every better one is larger, so that all are on the front."""
    from ragtester.records import PointTimes
    from tests.test_experiment import point, sweep

    points = [point(f"size={at}", 0.5 + at / (2.5 * count), 100_000 + 40_000 * at) for at in range(count)]
    times = tuple(PointTimes(name=one.name, embedding="", query=0.001) for one in points)
    names = tuple(one.name for one in reversed(points))
    found = ExperimentTimes(name="x", points=times, quality="evidence", costs=("index size", "query time"), front=names)
    return sweep(*points), found


def run_of(
    workspace: Workspace,
    name: str,
    started: str,
    arms: tuple[str, ...],
    sources: list[tuple[str, ...]],
    llms: int = 1,
    **parameters: Any,
) -> None:
    """A run of one query a source: its context is one chunk that these arms found."""
    for llm in range(llms):
        rows = [_answer(name, f"toy:{llm}", at, arms_of) for at, arms_of in enumerate(sources)]
        write_rows(workspace.answers_file(name, f"toy:{llm}", "toy:words", "doc"), rows)
    manifest = Manifest(
        stage="execute",
        name=name,
        seed=7,
        started=started,
        parameters={"retrieval": {"arms": [{"kind": arm} for arm in arms]}, **parameters},
        ledger=Ledger(planned=len(sources), ok=len(sources)),
    )
    write_json(workspace.answers(name) / "manifest.json", manifest)


def _answer(run: str, llm: str, at: int, arms: tuple[str, ...]) -> Answer:
    retrieved = tuple(Retrieved(id=f"doc:a:{at}", rank=1, score=0.5, arm=arm) for arm in arms)
    fused = [{"id": f"doc:a:{at}", "rank": 1, "score": 0.1, "sources": arms}] if arms else []
    trace = Trace.model_validate(
        {
            "query": "?",
            "index": "i",
            "embedding": "toy:words",
            "k": 1,
            "retrieved": retrieved,
            "fused": fused,
            "context_ids": [f"doc:a:{at}"] if arms else [],
        }
    )
    return builders.answer(f"q{at}", llm, "x", run=run, embedding="toy:words", trace=trace)


BOTH = ("dense", "bm25")


def healthy() -> list[tuple[str, ...]]:
    return [("dense",)] * 50 + [("bm25",)] * 20 + [BOTH] * 30


def test_canary_counts_each_context_once_whatever_the_llms(tmp_path: Path) -> None:
    run_of(Workspace(tmp_path), "monday", "2026-01-05T00:00:00Z", BOTH, healthy(), llms=3)
    (found,) = Project(tmp_path).audit_canary().periods
    assert (found.queries, found.chunks) == (100, 100)
    assert (found.dense_only.successes, found.bm25_only.successes, found.both.successes) == (50, 20, 30)
    assert found.hits == {"bm25": 50, "dense": 80}
    assert not found.alarm


def test_canary_command_leaves_with_1_where_bm25_falls_silent(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    # Named against the order of time: what counts is when they were started.
    run_of(workspace, "b", "2026-01-05T00:00:00Z", BOTH, healthy())
    ran = CliRunner().invoke(app, ["audit", "canary", "-w", str(tmp_path)])
    assert ran.exit_code == 0, ran.output
    run_of(workspace, "a", "2026-01-06T00:00:00Z", BOTH, [("dense",)] * 100)
    ran = CliRunner().invoke(app, ["audit", "canary", "-w", str(tmp_path)])
    assert ran.exit_code == 1, ran.output
    text = " ".join(ran.output.split())
    assert "Alarm in a: the bm25 arm gave nothing for any of 100 queries; no chunk comes from BM25 alone" in text
    assert CliRunner().invoke(app, ["audit", "canary", "b", "-w", str(tmp_path)]).exit_code == 0


def test_canary_puts_runs_of_a_day_together(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    for hour in range(3):
        run_of(workspace, f"r{hour}", f"2026-01-05T0{hour}:00:00Z", BOTH, healthy())
    run_of(workspace, "next", "2026-01-06T00:00:00Z", BOTH, healthy())
    project = Project(tmp_path)
    assert [one.period for one in project.audit_canary().periods] == ["r0", "r1", "r2", "next"]
    days = project.audit_canary(by_day=True).periods
    assert [(one.period, one.chunks) for one in days] == [("2026-01-05", 300), ("2026-01-06", 100)]


def test_canary_compares_runs_of_the_same_settings_alone(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    run_of(workspace, "old", "2026-01-05T00:00:00Z", BOTH, healthy(), k=4)
    run_of(workspace, "meant", "2026-01-06T00:00:00Z", ("dense",), [("dense",)] * 100, k=4)
    # The arms were changed on purpose: told as such, and no alarm.
    result = Project(tmp_path).audit_canary()
    assert [one.period for one in result.periods] == ["meant"]
    assert not result.alarm
    assert result.left_out == {"old": "arms: dense+bm25, now dense"}
    # The old settings are back, and BM25 is silent under them: that is an alarm, whatever was between.
    run_of(workspace, "back", "2026-01-07T00:00:00Z", BOTH, [("dense",)] * 100, k=4)
    result = Project(tmp_path).audit_canary()
    assert [one.period for one in result.periods] == ["old", "back"]
    assert "no chunk comes from BM25 alone" in result.alarm
    assert result.left_out == {"meant": "arms: dense, now dense+bm25"}
    run_of(workspace, "deep", "2026-01-08T00:00:00Z", BOTH, healthy(), k=8, embeddings={"toy:words": {}})
    ran = CliRunner().invoke(app, ["audit", "canary", "-w", str(tmp_path)])
    assert ran.exit_code == 0, ran.output
    assert "k: 4, now 8" in " ".join(ran.output.split())


def test_a_reason_to_leave_a_run_out_holds_no_hash() -> None:
    was = {"rerank": "flashrank:x", "reranker": "a" * 64, "models": {"m": {"temperature": 0.0}}, "version": "x-1"}
    now = {"rerank": "flashrank:y", "reranker": "b" * 64, "models": {}, "version": "x-1"}
    assert differences(was, now) == (
        "rerank: flashrank:x, now flashrank:y; the reranker's files changed; models on the query path changed"
    )


def test_canary_leaves_out_the_runs_of_experiments(tmp_path: Path) -> None:
    project = Project(toy(tmp_path))
    project.execute()
    project.experiment({**HYBRID, "baseline": {}, "generate": True})
    Project(tmp_path, overrides=["execute.run=one", 'execute.retrieval.arms=["dense", "bm25"]']).execute()
    result = project.audit_canary(["main", "one"])
    assert result.left_out == {"main": "arms: dense, now dense+bm25"}
    result = project.audit_canary(["main"])
    assert [one.period for one in result.periods] == ["main"]
    shutil.rmtree(tmp_path / "answers" / "one")
    result = project.audit_canary()
    assert [one.period for one in result.periods] == ["main"]
    assert result.left_out == {
        "main.hybrid.baseline": "made by the experiment hybrid",
        "main.hybrid.both arms": "made by the experiment hybrid",
    }


def test_canary_of_runs_with_one_arm_says_that_there_is_nothing_to_watch(tmp_path: Path) -> None:
    run_of(Workspace(tmp_path), "plain", "2026-01-05T00:00:00Z", ("dense",), [("dense",)] * 10)
    result = Project(tmp_path).audit_canary()
    assert not result.alarm
    assert result.notes == ("no run asks two arms: there are no fusion sources to watch",)


def test_canary_without_a_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ragtester.toml").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="no run to look at"):
        Project(tmp_path).audit_canary()
    with pytest.raises(UsageError, match="no answers"):
        Project(tmp_path).audit_canary(["none"])


def test_canary_alarms_within_one_run_where_a_floor_takes_all_hits_of_an_arm(tmp_path: Path) -> None:
    """BM25 finds chunks for every query, none is above its floor, and every context comes from the dense arm."""
    workspace = Workspace(tmp_path)
    run_of(workspace, "floor", "2026-01-05T07:11:34Z", BOTH, [BOTH] * 10)
    path = workspace.answers_file("floor", "toy:0", "toy:words", "doc")
    rows = []
    for row in read_rows(path, Answer):
        assert row.trace is not None
        fused = tuple(one.model_copy(update={"sources": ("dense",)}) for one in row.trace.fused)
        below = (Dropped(id=row.trace.context_ids[0], at="floor"),)
        rows.append(row.model_copy(update={"trace": row.trace.model_copy(update={"fused": fused, "dropped": below})}))
    write_rows(path, rows)
    (found,) = Project(tmp_path).audit_canary().periods
    assert (found.hits["bm25"], found.feeds, found.dense_only.successes) == (10, {"dense": 10}, 10)
    ran = CliRunner().invoke(app, ["audit", "canary", "-w", str(tmp_path)], env={"COLUMNS": "80"})
    assert ran.exit_code == 1, ran.output
    assert "Alarm in floor: the bm25 arm feeds no context, with hits for 10 of 10 queries" in " ".join(
        ran.output.split()
    )
    # Date and time stay whole, however narrow the terminal is.
    assert {"2026-01-05", "07:11"} <= set(ran.output.split())


def test_canary_reads_a_copied_run_under_the_name_of_its_folder(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    run_of(workspace, "first", "2026-01-05T00:00:00Z", BOTH, healthy())
    run_of(workspace, "odd name", "2026-01-06T00:00:00Z", BOTH, healthy())
    shutil.copytree(workspace.answers("first"), workspace.answers("second"))
    project = Project(tmp_path)
    assert {one.period for one in project.audit_canary().periods} == {"first", "second", "odd name"}
    # The folder of a run whose name is no file name is told by the run's name, as without an argument.
    assert [one.period for one in project.audit_canary([workspace.answers("odd name").name]).periods] == ["odd name"]
