"""An experiment on disk: rows and result, resumed, repeated, refused; no language model asked."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragtester.errors import ChangedInputsError, UsageError
from ragtester.progress import SilentProgress
from ragtester.rag.sparse import Sparse
from ragtester.records import (
    Call,
    Chunk,
    Comparison,
    ExperimentQuery,
    ExperimentResult,
    ExperimentTimes,
    Failure,
    Manifest,
    PointResult,
)
from ragtester.stages.experiment import (
    Wanted,
    estimate,
    make_plan,
    make_points,
    model_faults,
    parse_experiment,
    read_result,
)
from ragtester.stages.experiment.warming import warm_up
from ragtester.storage import read_json, read_rows
from ragtester.tables import Paragraph
from ragtester.tasks import Asked, QueryRewritten
from tests.conftest import run_environment
from tests.execute_fakes import WordEmbedder, World
from tests.experiment_driver import EXPERIMENT, NoModels, run_toy

ROOT = Path(__file__).parents[1]
SWEEP: dict[str, Any] = {"name": "sweep", "sweep": {"execute.k": [1, 2], "execute.index.chunk_size": [120, 240]}}


def compared(folder: Path) -> dict[str, bytes]:
    """Everything of an experiment that is the same for the same inputs: its rows and its result."""
    names = [*sorted((folder / "queries").glob("*.jsonl")), folder / "result.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in names}


def found(world: World, name: str = "toy") -> tuple[dict[str, PointResult], dict[str, Comparison], ExperimentTimes]:
    read = read_result(world.workspace, name)
    assert read is not None
    result, times = read
    points = {point.name: point for point in result.points}
    return points, {one.variant: one for one in result.comparisons}, times


def test_every_case_is_a_row_under_every_setting(tmp_path: Path) -> None:
    world = World(tmp_path, documents=3, cases=8)
    done = run_toy(world.workspace, world.settings)
    # 3 documents × 8 cases, under the baseline and three variants.
    assert (done.ledger.planned, done.ledger.ok, done.exit_code) == (96, 96, 0)
    folder = world.workspace.experiment("toy")
    files = sorted(path.name for path in (folder / "queries").glob("*.jsonl"))
    assert len(files) == 4
    for path in (folder / "queries").glob("*.jsonl"):
        rows = read_rows(path, ExperimentQuery)
        assert [row.query_id for row in rows] == [f"manual-{d}-{n}" for d in range(3) for n in range(8)]
        assert all(row.k == 2 and len(row.context_ids) <= 2 for row in rows)
    points, comparisons, times = found(world)
    # Every fourth case must be refused and has no gold.
    assert {(one.queries.measured, one.queries.no_gold) for one in points.values()} == {(18, 6)}
    assert list(comparisons) == ["hybrid", "words", "long"]
    assert all(one.queries == 18 for one in comparisons.values())
    assert [one.query is not None and one.build is not None for one in times.points] == [True] * 4


def test_a_hit_that_a_reader_can_find(tmp_path: Path) -> None:
    """The question names the word of exactly one part: its chunk is first for words and for vectors alike."""
    world = World(tmp_path, documents=1, cases=2)
    run_toy(world.workspace, world.settings)
    points, _, _ = found(world)
    assert points["baseline"].hit.successes == points["baseline"].hit.n == 2
    assert points["baseline"].metrics["reciprocal_rank"].value == 1.0


def test_index_sizes_add_up(tmp_path: Path) -> None:
    world = World(tmp_path, documents=2, cases=2)
    run_toy(world.workspace, world.settings)
    points, _, _ = found(world)
    dense, both, words = (points[name].index for name in ("baseline", "hybrid", "words"))
    assert dense and both and words
    # Eight dimensions, one a known word, in four bytes each.
    assert (dense.dimension, dense.vectors, dense.sparse) == (8, dense.chunks * 8 * 4, 0)
    assert (words.dimension, words.vectors) == (0, 0)
    assert both.sparse == words.sparse > 0
    assert both.total == dense.vectors + words.sparse + dense.texts
    text = world.workspace.text_file("main", "manual-0").read_text(encoding="utf-8")
    # Two documents of one length; chunks overlap a little and drop blank lines.
    assert 0.9 * 2 * len(text) < dense.texts < 1.4 * 2 * len(text)


def test_bytes_of_a_bm25_index_by_hand() -> None:
    texts = ("pump oil", "pump")
    chunks = [
        Chunk(id=f"d:a:{at}", document_id="d", ordinal=at, start=0, end=1, text=text) for at, text in enumerate(texts)
    ]
    # Three weights of 8 bytes with places of 4, three ends of 8, and the letters of two words.
    assert Sparse(chunks, {"d": "en"}).size == 3 * 8 + 3 * 4 + 3 * 8 + len("pumpoil")
    assert Sparse([], {}).size == 0


def test_a_second_start_asks_and_writes_nothing_anew(tmp_path: Path) -> None:
    world = World(tmp_path)
    run_toy(world.workspace, world.settings)
    folder = world.workspace.experiment("toy")
    before, times = compared(folder), read_json(folder / "times.json", ExperimentTimes)
    embedder = WordEmbedder()
    run_toy(world.workspace, world.settings, embedder=embedder)
    assert embedder.calls == 0
    assert compared(folder) == before
    assert read_json(folder / "times.json", ExperimentTimes) == times


def test_another_experiment_shares_the_stores(tmp_path: Path) -> None:
    world = World(tmp_path)
    run_toy(world.workspace, world.settings)
    embedder = WordEmbedder()
    run_toy(world.workspace, world.settings, {**EXPERIMENT, "name": "other"}, embedder=embedder)
    assert embedder.calls == 0


def test_two_hash_seeds_give_the_same_bytes(tmp_path: Path) -> None:
    made = []
    for seed in ("1", "2"):
        drive(tmp_path / seed, "never", PYTHONHASHSEED=seed)
        made.append(compared(tmp_path / seed / "experiments" / "toy"))
    assert made[0] == made[1]


def drive(root: Path, when: str, **environment: str) -> int:
    command = [sys.executable, "-m", "tests.experiment_driver", str(root), when]
    return subprocess.run(command, cwd=ROOT, env=run_environment() | environment, check=False).returncode


def test_killed_again_and_again_it_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    whole = World(tmp_path / "whole")
    run_toy(whole.workspace, whole.settings)
    root = tmp_path / "killed"
    # Each start goes further than the one before: into the first stores, the first rows, the last ones.
    for moment in (9, 30, 61):
        assert drive(root, f"event:{moment}") == -9
    left = World(root, build=False)
    run_toy(left.workspace, left.settings)
    assert compared(root / "experiments" / "toy") == compared(whole.workspace.experiment("toy"))


def test_an_interrupted_line_is_made_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    run_toy(world.workspace, world.settings)
    folder = world.workspace.experiment("toy")
    before = compared(folder)
    path = sorted((folder / "queries").glob("*.jsonl"))[0]
    path.write_bytes(path.read_bytes()[:-40])
    run_toy(world.workspace, world.settings)
    assert compared(folder) == before


def test_changed_settings_are_refused_with_what_changed(tmp_path: Path) -> None:
    world = World(tmp_path)
    run_toy(world.workspace, world.settings)
    folder = world.workspace.experiment("toy")
    before = compared(folder)
    world.set(index={"chunk_size": 160, "chunk_overlap": 20})
    with pytest.raises(ChangedInputsError) as caught:
        run_toy(world.workspace, world.settings)
    assert "baseline × toy:words: execute.index.chunk_size was 120 and is 160" in str(caught.value)
    assert "--overwrite" in str(caught.value)
    assert compared(folder) == before
    run_toy(world.workspace, world.settings, overwrite=True)
    rows = [row for path in (folder / "queries").glob("*.jsonl") for row in read_rows(path, ExperimentQuery)]
    assert len(rows) == 32
    assert not {row.key for row in rows} & {json.loads(line)["key"] for line in before[_baseline(before)].splitlines()}


def _baseline(files: dict[str, bytes]) -> str:
    return next(name for name in files if "baseline" in name)


def test_a_changed_case_is_refused_with_its_file(tmp_path: Path) -> None:
    world = World(tmp_path)
    run_toy(world.workspace, world.settings)
    path = world.workspace.cases_file("main", "ragtester", "manual-0")
    path.write_text(path.read_text(encoding="utf-8").replace("How many marks", "How often"), encoding="utf-8")
    with pytest.raises(ChangedInputsError, match="cases ragtester/manual-0 changed"):
        run_toy(world.workspace, world.settings)


def test_an_embedding_model_that_fails_becomes_rows_that_are_made_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    broken = WordEmbedder()
    broken.fail_after = 0
    tree = {"name": "toy", "variants": [EXPERIMENT["variants"][0]]}
    done = run_toy(world.workspace, world.settings, tree, embedder=broken)
    assert (done.ledger.planned, done.ledger.failed, done.exit_code) == (16, 16, 3)
    points, comparisons, _ = found(world)
    assert points["baseline"].queries.unfinished == 8
    assert points["baseline"].index is None
    assert points["baseline"].metrics["recall"].value is None
    assert comparisons["hybrid"].reading.startswith("Nothing can be said")
    again = run_toy(world.workspace, world.settings, tree)
    assert (again.ledger.ok, again.exit_code) == (16, 0)
    whole = World(tmp_path / "whole")
    run_toy(whole.workspace, whole.settings, tree)
    assert compared(world.workspace.experiment("toy")) == compared(whole.workspace.experiment("toy"))
    # Stores that were begun by an earlier start have no time of their own.
    assert [one.build is None for one in found(world)[2].points] == [True, True]
    assert [one.build is None for one in found(whole)[2].points] == [False, False]


def test_a_model_that_takes_no_more_requests_leaves_rows_open(tmp_path: Path) -> None:
    world = World(tmp_path)
    broken = WordEmbedder()
    broken.fail_after, broken.failure = 0, Failure(type="quota", message="used up")
    done = run_toy(world.workspace, world.settings, embedder=broken)
    assert done.stopped == "quota: used up"
    assert (done.ledger.ok, done.ledger.skipped) == (0, done.ledger.planned)
    assert run_toy(world.workspace, world.settings).ledger.ok == done.ledger.planned


class Rewriter(NoModels):
    """Rewrites every question to itself, and counts."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def ask(self, model: str, task: Any, request: Any) -> Any:
        self.asked.append(request.question)
        return Asked(QueryRewritten(query=request.question), Call(model=model, cost=0.5))

    def prompt_sha256(self, task: Any) -> str:
        return "p"


REWRITE: dict[str, Any] = {
    "name": "toy",
    "variants": [
        {"name": "rewrite", "change": {"execute.retrieval.rewrite": "toy:writer"}},
        {
            "name": "both",
            "combination": True,
            "change": {"execute.retrieval.rewrite": "toy:writer", "execute.retrieval.arms": ["bm25"]},
        },
    ],
}


def test_a_rewrite_is_asked_once_for_all_settings_and_said_before(tmp_path: Path) -> None:
    world, models, progress = World(tmp_path), Rewriter(), SilentProgress()
    run_toy(world.workspace, world.settings, REWRITE, models=models, progress=progress)
    assert sorted(models.asked) == sorted(set(models.asked))
    assert len(models.asked) == 8
    assert "rewrite × toy:words: rewrite asks toy:writer" in progress.notes
    manifest = read_json(world.workspace.experiment("toy") / "manifest.json", Manifest)
    assert manifest is not None
    assert manifest.counts["cost"] == 4.0
    _, comparisons, _ = found(world)
    assert comparisons["rewrite"].reading == (
        'Recall and MRR are the same for every query. Changed: rewrite = "toy:writer".'
    )


def test_what_the_baseline_asks_is_in_the_account(tmp_path: Path) -> None:
    world, models = World(tmp_path, retrieval={"rewrite": "toy:writer"}), Rewriter()
    run_toy(world.workspace, world.settings, models=models)
    manifest = read_json(world.workspace.experiment("toy") / "manifest.json", Manifest)
    assert manifest is not None
    assert manifest.counts["cost"] == 0.5 * len(models.asked) == 4.0


def test_no_models_refuses_what_would_ask_one(tmp_path: Path) -> None:
    settings = World(tmp_path, build=False).settings
    for tree, told in (
        (REWRITE, "rewrite asks toy:writer"),
        ({**EXPERIMENT, "generate": True}, "generate = true asks for answers"),
    ):
        experiment = parse_experiment(tree, "toy.toml")
        (fault,) = model_faults(Wanted(experiment, make_points(settings, experiment), no_models=True))
        assert told in fault
    experiment = parse_experiment(EXPERIMENT, "toy.toml")
    assert not list(model_faults(Wanted(experiment, make_points(settings, experiment), no_models=True)))


def test_estimate_counts_what_is_left(tmp_path: Path) -> None:
    world = World(tmp_path)
    experiment = parse_experiment(REWRITE, "toy.toml")
    wanted = Wanted(experiment, make_points(world.settings, experiment))
    plan = make_plan(world.workspace, Rewriter(), wanted, SilentProgress())
    rows = {row[0]: row[2:] for row in estimate(plan).table("estimate").rows}
    assert rows["baseline"] == (8, 0, "none")
    assert rows["rewrite"] == (8, 8, "rewrite asks toy:writer")


def test_estimate_counts_answers_and_verdicts_too(tmp_path: Path) -> None:
    world = World(tmp_path)
    experiment = parse_experiment({**EXPERIMENT, "generate": True}, "toy.toml")
    wanted = Wanted(experiment, make_points(world.settings, experiment))
    (section,) = estimate(make_plan(world.workspace, NoModels(), wanted, SilentProgress())).sections
    # The baseline and three variants, two LLMs, eight cases.
    said = " ".join(part.text for part in section.parts if isinstance(part, Paragraph))
    assert "at most 64 answers of 4 runs and 64 judgements by embedded:judge" in said


def test_a_sweep_has_all_points_and_a_front(tmp_path: Path) -> None:
    world = World(tmp_path)
    run_toy(world.workspace, world.settings, SWEEP)
    points, comparisons, times = found(world, "sweep")
    assert list(points) == ["baseline", "k=1 chunk_size=120", "k=1 chunk_size=240", "k=2 chunk_size=240"]
    assert points["baseline"].also == "k=2 chunk_size=120"
    assert [point.k for point in points.values()] == [2, 1, 1, 2]
    assert not comparisons
    assert times.front
    page = (world.workspace.experiment("sweep") / "result.md").read_text(encoding="utf-8")
    assert "baseline (k=2 chunk\\_size=120)" in page or "baseline (k=2 chunk_size=120)" in page
    assert "Settings that no other beats" in page


def test_page_and_tables_say_what_the_result_says(tmp_path: Path) -> None:
    world = World(tmp_path)
    run_toy(world.workspace, world.settings)
    folder = world.workspace.experiment("toy")
    page = (folder / "result.md").read_text(encoding="utf-8")
    _, comparisons, _ = found(world)
    for one in comparisons.values():
        assert one.reading.partition(" Changed: ")[0] in page
    # With longer chunks other chunks are gold, and the page says what can be compared.
    assert not comparisons["long"].same_gold
    assert "compare the share of the evidence" in page
    names = {path.name for path in (folder / "tables").glob("*.csv")}
    assert {"metrics.csv", "differences.csv", "before-after-1.csv", "costs.csv"} <= names
    raw = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    assert ExperimentResult.model_validate(raw).family == 21


def test_what_the_budget_drops_is_put_down_to_packing(tmp_path: Path) -> None:
    """Chunks of 120 characters are ranked within K, and none of them fits into 60."""
    world = World(tmp_path, documents=3, cases=8)
    tree = {"name": "toy", "variants": [{"name": "tight", "change": {"execute.retrieval.budget": 60}}]}
    run_toy(world.workspace, world.settings, tree)
    _, comparisons, _ = found(world)
    tight = comparisons["tight"]
    recall = next(one for one in tight.metrics if one.metric == "recall")
    assert (recall.before, recall.after, recall.steps) == (1.0, 0.0, {"packing": 18})
    assert "look at packing" in tight.reading
    assert tight.reading.endswith("Changed: budget = 60.")
    assert {flip.step for flip in tight.flips} == {"packing"}
    page = (world.workspace.experiment("toy") / "result.md").read_text(encoding="utf-8")
    assert "Flips: 18 hits lost, 0 won" in page
    assert "1 → 0" in page


def test_what_is_slow_the_first_time_is_done_before_and_asks_no_server(tmp_path: Path) -> None:
    asked: list[str] = []

    class Noted(WordEmbedder):
        async def embed_documents(self, texts: list[str]) -> list[list[float]]:
            asked.append(self.model)
            return await super().embed_documents(texts)

    names = ["toy:words", "embedded:toy", ""]
    asyncio.run(warm_up(Noted, names, ["en", "de"], SilentProgress()))
    assert asked == ["embedded:toy"]
    assert not list(tmp_path.iterdir())


def test_rows_of_a_variant_that_left_are_named_and_kept(tmp_path: Path) -> None:
    world, progress = World(tmp_path), SilentProgress()
    run_toy(world.workspace, world.settings)
    fewer = {**EXPERIMENT, "variants": EXPERIMENT["variants"][:1]}
    run_toy(world.workspace, world.settings, fewer, progress=progress)
    assert sum("left the experiment" in note for note in progress.notes) == 2
    assert len(list((world.workspace.experiment("toy") / "queries").glob("*.jsonl"))) == 4


def test_a_suite_without_cases_is_refused(tmp_path: Path) -> None:
    world = World(tmp_path, build=False)
    with pytest.raises(UsageError, match="make cases first"):
        run_toy(world.workspace, world.settings)


def test_one_store_for_the_corpus_gives_the_same_rows_whatever_is_left(tmp_path: Path) -> None:
    world = World(tmp_path, index={"chunk_size": 120, "chunk_overlap": 20, "scope": "corpus"})
    run_toy(world.workspace, world.settings)
    points, _, _ = found(world)
    assert points["baseline"].index is not None
    folder = world.workspace.experiment("toy")
    before = compared(folder)
    for path in (folder / "queries").glob("*.jsonl"):
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:3]))
    run_toy(world.workspace, world.settings)
    assert compared(folder) == before
