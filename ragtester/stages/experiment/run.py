"""An experiment from its plan to its result: rows as they come, resumable; then figures, tables and times."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ragtester.progress import Progress, StageResult
from ragtester.provenance import end_manifest
from ragtester.records import Call, ExperimentResult, ExperimentTimes, IndexSize, Ledger, PointTimes
from ragtester.searching.remembering import RememberingModels
from ragtester.stages.experiment.asking import asked_models
from ragtester.stages.experiment.files import write_files
from ragtester.stages.experiment.front import cost_names, front, label, quality_of
from ragtester.stages.experiment.once import Once
from ragtester.stages.experiment.plan import STAGE, Plan, Wanted, begun, make_plan, refuse_stale
from ragtester.stages.experiment.points import Point
from ragtester.stages.experiment.result import make_result
from ragtester.stages.experiment.searching import Services, build, search_point
from ragtester.stages.experiment.sizes import Scales
from ragtester.stages.experiment.warming import warm_up
from ragtester.storage import read_json, write_json
from ragtester.tasks import Embedder, Models
from ragtester.workspace import Workspace

RESULT, TIMES, MANIFEST = "result.json", "times.json", "manifest.json"


@dataclass
class _Job:
    workspace: Workspace
    plan: Plan
    services: Services
    scales: Scales
    first: frozenset[str]
    times: dict[str, PointTimes] = field(default_factory=dict)
    stopped: str = ""
    cost: float = 0.0
    ok: int = 0
    failed: int = 0

    def take(self, calls: Iterable[Call]) -> None:
        """Count what requests have cost."""
        self.cost += sum(call.cost or 0.0 for call in calls)


async def run(
    workspace: Workspace,
    models: Models,
    embedders: Callable[[str], Embedder],
    progress: Progress,
    wanted: Wanted,
) -> StageResult:
    """Search every case under every point and write `experiments/<name>/`.

    Rows that stand under the planned key are kept. Raises UsageError, DataError, ChangedInputsError (unless
    `wanted.overwrite`) and StorageError; an embedding model that gives no vectors becomes rows.
    """
    plan = make_plan(workspace, models, wanted, progress)
    manifest = begun(plan)
    refuse_stale(plan, manifest)
    for line in asked_models(wanted.points):
        progress.note(line)
    services = Services(plan.suite, RememberingModels(models), embedders, Once(progress))
    firsts = {one.id: cases[0].id for one in plan.suite.documents if (cases := plan.suite.cases(one))}
    scales = Scales(plan.suite, frozenset(firsts))
    job = _Job(workspace, plan, services, scales, frozenset(firsts.values()))
    job.times = _known_times(job)
    write_json(plan.folder / MANIFEST, manifest)
    await _search_all(job)
    sizes = {point.label: _weighed(job, point) for point in wanted.points.points}
    result = make_result(workspace, plan, sizes)
    write_json(plan.folder / RESULT, result)
    times = _write_times(job, result)
    write_files(result, times, plan.folder)
    ledger = _ledger(job)
    write_json(plan.folder / MANIFEST, end_manifest(manifest, ledger=ledger, counts={"cost": round(job.cost, 6)}))
    return StageResult(STAGE, ledger, plan.folder, {}, job.stopped)


async def _search_all(job: _Job) -> None:
    """Point by point; a stop leaves the rest open for the next start."""
    plan, progress = job.plan, job.services.progress
    progress.start(STAGE, sum(plan.missing.values()))
    open_points = [point for point in plan.wanted.points.points if plan.rows(point).missing]
    if open_points:
        models = dict.fromkeys(point.embedding for point in open_points)
        languages = dict.fromkeys(document.language for document in plan.suite.documents)
        await warm_up(job.services.embedders, models, languages, progress)
    for point in plan.wanted.points.points:
        rows = plan.rows(point)
        if rows.stale or rows.again:
            rows.clear()
        if rows.missing and not job.stopped:
            if point.embedding and not job.scales.stores_stand(point):
                job.take(await build(job.services, point, job.first))
            done = await search_point(job.services, point, rows)
            job.times[point.label], job.stopped = done.times, done.stopped
            job.take(done.calls)
            _write_times(job, None)
        settled = plan.rows(point, settled=True)
        settled.clear()
        failed = sum(line.status == "unfinished" for line in settled.kept.values())
        job.ok, job.failed = job.ok + len(settled.kept) - failed, job.failed + failed
    progress.finish()


def _weighed(job: _Job, point: Point) -> IndexSize | None:
    size, build = job.scales.weigh(point)
    known = job.times.get(point.label, PointTimes(name=point.name, embedding=point.embedding))
    # Cutting and BM25 are timed at every start; that of the start that searched counts.
    job.times[point.label] = known if known.build is not None else known.model_copy(update={"build": build})
    return size


def _known_times(job: _Job) -> dict[str, PointTimes]:
    """Times of points whose rows an earlier start made."""
    old = read_json(job.plan.folder / TIMES, ExperimentTimes)
    return {label(one): one for one in old.points} if old else {}


def read_result(workspace: Workspace, name: str) -> tuple[ExperimentResult, ExperimentTimes] | None:
    """What an experiment found, and its times; None where it was never run. Raises DataError."""
    folder = workspace.experiment(name)
    result, times = read_json(folder / RESULT, ExperimentResult), read_json(folder / TIMES, ExperimentTimes)
    return None if result is None else (result, times or ExperimentTimes(name=name))


def _write_times(job: _Job, result: ExperimentResult | None) -> ExperimentTimes:
    points = [job.times[point.label] for point in job.plan.wanted.points.points if point.label in job.times]
    made = ExperimentTimes(name=job.plan.wanted.experiment.name, points=tuple(points))
    if result is not None:
        update = {
            "quality": quality_of(result.points),
            "costs": cost_names(result),
            "front": front(result, job.times),
        }
        made = made.model_copy(update=update)
    write_json(job.plan.folder / TIMES, made)
    return made


def _ledger(job: _Job) -> Ledger:
    """Searches: all cases under all points."""
    planned = len(job.plan.keys.cases) * len(job.plan.wanted.points.points)
    return Ledger(planned=planned, ok=job.ok, failed=job.failed, skipped=planned - job.ok - job.failed)
