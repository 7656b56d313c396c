"""What an experiment has to make, what of it stands, and what that will take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragtester.errors import ChangedInputsError, UsageError
from ragtester.progress import Progress
from ragtester.provenance import begin_manifest, flat, sha256_file
from ragtester.rag.rerankers import retrieval_prompts
from ragtester.records import Manifest
from ragtester.searching.suite import Suite, case_files, open_suite
from ragtester.settings import Settings
from ragtester.stages.experiment.points import Point, Points, variant_runs
from ragtester.stages.experiment.rows import Keys, Line, PointRows, read_rows_of
from ragtester.stages.experiment.syntax import Experiment
from ragtester.storage import read_json
from ragtester.tasks import Models
from ragtester.workspace import Workspace, slug

STAGE = "experiment"
TOLD = 6
"""Changes that one message names."""


@dataclass(frozen=True)
class Wanted:
    """What is asked for: the experiment, its points, and whether rows of other inputs may be replaced."""

    experiment: Experiment
    points: Points
    overwrite: bool = False
    no_models: bool = False

    @property
    def baseline(self) -> Settings:
        """The settings that the suite and the models come from."""
        return self.points.points[0].settings


@dataclass
class Plan:
    """The experiment over a suite. Of each point's rows only numbers are kept: a sweep has many.

    `missing` and `stale` count rows by the point's label: those to be made, and those made from other inputs.
    """

    folder: Path
    suite: Suite
    wanted: Wanted
    keys: Keys
    prompts: Callable[[Point], dict[str, str]]
    missing: dict[str, int] = field(default_factory=dict)
    stale: dict[str, int] = field(default_factory=dict)

    def rows(self, point: Point, *, settled: bool = False) -> PointRows:
        """A point's file as it stands; failed rows are open again unless the work on it is `settled`."""
        retry = point.settings.execute.retry_failed

        def again(line: Line) -> bool:
            return not settled and line.is_worth_another(retry)

        path = self.folder / "queries" / f"{slug(point.label)}.jsonl"
        return read_rows_of(path, self.keys.of_point(point, self.prompts(point)), again)


def make_plan(workspace: Workspace, models: Models, wanted: Wanted, progress: Progress) -> Plan:
    """Read the suite and what stands. Raises UsageError and DataError; nothing is asked or changed."""
    suite = open_suite(workspace, wanted.baseline)
    keys = Keys.of(suite)
    if not keys.cases:
        raise UsageError(f"{workspace.suite(suite.name)}: the suite holds no case to search for (ragtester cases)")

    def prompts(point: Point) -> dict[str, str]:
        return retrieval_prompts(point.settings, models, workspace.root)

    plan = Plan(workspace.experiment(wanted.experiment.name), suite, wanted, keys, prompts)
    known = set()
    for point in wanted.points.points:
        rows = plan.rows(point)
        plan.missing[point.label], plan.stale[point.label] = len(rows.missing), len(rows.stale)
        known.add(rows.path)
    for path in sorted((plan.folder / "queries").glob("*.jsonl")):
        if path not in known:
            progress.note(f"{path.name}: of a setting that left the experiment; its rows stay as they are")
    return plan


def refuse_stale(plan: Plan, made: Manifest) -> None:
    """Raise ChangedInputsError where rows were made from other inputs and may not be replaced."""
    stale = sum(plan.stale.values())
    if not stale or plan.wanted.overwrite:
        return
    old = read_json(plan.folder / "manifest.json", Manifest)
    changes = _changes(old, made) if old else []
    told = "; ".join(changes[:TOLD] + ["…"] * (len(changes) > TOLD)) or "their files say so"
    raise ChangedInputsError(
        f"{plan.folder}: {stale} row(s) were made from other inputs: {told}. "
        "Give the experiment another name, or replace these rows with --overwrite"
    )


def _changes(old: Manifest, new: Manifest) -> list[str]:
    """What differs between two manifests of one experiment."""
    lines = [f"{name} changed" for name in old.inputs if old.inputs[name] != new.inputs.get(name)]
    lines += [f"{name} is new" for name in new.inputs if name not in old.inputs]
    before, after = old.parameters.get("points", {}), new.parameters["points"]
    for point in after:
        was, now = dict(flat(before.get(point, {}), ".")), dict(flat(after[point], "."))
        lines += [
            f"{point}: {name} was {was[name]!r} and is {now[name]!r}"
            for name in was
            if name in now and was[name] != now[name]
        ]
    return lines


def begun(plan: Plan) -> Manifest:
    """The manifest without an end: the whole configuration of every point, and the runs that are executed for it."""
    wanted, suite = plan.wanted, plan.suite
    inputs = {f"text {document.id}": document.text_sha256 for document in suite.documents}
    for document in suite.documents:
        for path in case_files(suite.folders, document):
            inputs[f"cases {path.parent.name}/{document.id}"] = sha256_file(path)
    prompts: dict[str, str] = {}
    names: dict[str, None] = {}
    for point in wanted.points.points:
        prompts |= plan.prompts(point)
        names |= dict.fromkeys(name for name in (point.embedding, *point.models.values()) if name)
    runs = variant_runs(wanted.points, wanted.experiment.name) if wanted.experiment.generate else {}
    return begin_manifest(
        STAGE,
        wanted.experiment.name,
        seed=wanted.baseline.workspace.seed,
        models=names,
        inputs=inputs,
        prompts=prompts,
        parameters={
            "suite": suite.name,
            "technique": wanted.baseline.execute.technique,
            "points": {point.label: configuration(point) for point in wanted.points.points},
            "runs": [run for run, _ in runs.values()],
        },
    )


def configuration(point: Point) -> dict[str, Any]:
    """Everything about a point's query path, as settings are written."""
    execute = point.settings.execute
    return {
        "embedding": point.embedding,
        "execute": {
            "k": execute.k,
            "index": execute.index.model_dump(mode="json"),
            "retrieval": execute.retrieval.model_dump(mode="json"),
        },
    }
