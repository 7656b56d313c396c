"""An experiment from its file to its folder: the searches, the answers where they are wanted, the plots."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING

from ragtester.errors import MissingPackageError, UsageError
from ragtester.model_checks import AUDIT, check_models
from ragtester.pipeline import Options, Spent, open_gateway, run_audit, run_steps
from ragtester.progress import Progress, StageResult
from ragtester.settings import GroupSettings, RetrievalAuditSettings, Settings
from ragtester.stages import experiment as stage
from ragtester.stages.experiment import Experiment, Points, Wanted
from ragtester.workspace import Workspace

if TYPE_CHECKING:
    from ragtester.models.gateway import Gateway
    from ragtester.stages.experiment.points import Point
    from ragtester.tables import Document


def prepare(
    workspace: Workspace,
    settings: Settings,
    experiment: Experiment,
    *,
    overwrite: bool = False,
    no_models: bool = False,
    keys: bool = True,
) -> Wanted:
    """What is asked for, with every model checked. Raises UsageError with all faults, and MissingPackageError."""
    points, faults = stage.lay_points(settings, experiment)
    wanted = Wanted(experiment, points, overwrite, no_models)
    faults += stage.model_faults(wanted)
    checks: list[tuple[Settings, tuple[str, ...]]] = [(_searched(point), (AUDIT,)) for point in points.points]
    checks += [(own, ("execute", "judge")) for own in _generated(points, experiment)]
    for own, stages in checks:
        try:
            check_models(own, stages, keys=keys, root=workspace.root)
        except UsageError as error:
            faults.append(str(error))
    stage.refuse(experiment, list(dict.fromkeys(faults)))
    return wanted


async def run_experiment(workspace: Workspace, progress: Progress, wanted: Wanted) -> list[StageResult]:
    """Search, execute and judge the variants where the file says so, and compare. Raises as the stages do."""
    spent, experiment = Spent(), wanted.experiment

    async def search() -> StageResult:
        def work(gateway: Gateway) -> Awaitable[StageResult]:
            return stage.run(workspace, gateway, gateway.embedder, progress, wanted)

        return await run_audit(workspace, wanted.baseline, progress, f"{stage.STAGE} {experiment.name}", work, spent)

    results = [await search()]
    runs = _generated(wanted.points, experiment)
    if runs and not results[0].stopped:
        steps = [(name, own) for own in runs for name in ("execute", "judge")]
        results += await run_steps(workspace, steps, progress, Options(wanted.overwrite), spent)
        results = [*results[1:], await search()]
    _plot(workspace, progress, experiment.name)
    return results


def estimate_experiment(workspace: Workspace, progress: Progress, wanted: Wanted) -> Document:
    """What the experiment would still ask; asks nothing."""
    with workspace.lock():
        models = open_gateway(workspace, wanted.baseline, stage.STAGE)
        return stage.estimate(stage.make_plan(workspace, models, wanted, progress))


def _searched(point: Point) -> Settings:
    """A point's settings with nothing but what its search needs."""
    execute = point.settings.execute
    llms = execute.groups[0].llms
    groups = (GroupSettings(llms=llms, embeddings=(point.embedding,)),) if point.embedding else ()
    update = {
        "execute": execute.model_copy(update={"groups": groups}),
        "audit_retrieval": RetrievalAuditSettings(),
    }
    return point.settings.model_copy(update=update)


def _generated(points: Points, experiment: Experiment) -> list[Settings]:
    return stage.run_settings(points, experiment.name) if experiment.generate else []


def _plot(workspace: Workspace, progress: Progress, name: str) -> None:
    """The Pareto plot of a sweep; without matplotlib everything else stands, and one line says what is missing."""
    from ragtester.plots.sweep import export_sweep

    found = stage.read_result(workspace, name)
    if found is None or not found[0].axes:
        return
    try:
        export_sweep(*found, workspace.experiment(name))
    except MissingPackageError as error:
        progress.note(str(error))
