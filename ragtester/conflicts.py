"""The A/B of the output audit: a suite with and without the instruction to surface contradicting evidence."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtester.errors import UsageError
from ragtester.model_checks import check_model, check_models
from ragtester.pipeline import Options, Spent, run_audit, run_steps
from ragtester.progress import Progress, StageResult
from ragtester.records import CONFLICTS_SUFFIX, AnswerCoverage
from ragtester.settings import Settings
from ragtester.stages import claims, coverage
from ragtester.stages.coverage import contrast, contrast_document
from ragtester.storage import read_rows, write_json, write_text
from ragtester.tables.markdown import markdown
from ragtester.workspace import Workspace

if TYPE_CHECKING:
    from ragtester.models.gateway import Gateway

SUFFIX = CONFLICTS_SUFFIX


def instructed(settings: Settings) -> Settings:
    """The settings of the run under the instruction: nothing else differs."""
    execute = settings.execute
    update = {"run": execute.run + SUFFIX, "surface_conflicts": True}
    return settings.model_copy(update={"execute": execute.model_copy(update=update)})


async def run_contrast(
    workspace: Workspace, settings: Settings, progress: Progress, *, overwrite: bool = False
) -> list[StageResult]:
    """Execute, split and audit both runs as far as they do not stand, compare them, and write the comparison.

    A stage that stops at a limit ends it: the same call goes on from there. Raises as the stages do, and UsageError
    where the settings are those of the instructed run already, or of a system that does not read our prompt.
    """
    _check(workspace, settings)
    spent, results = Spent(), []
    split = _splits(workspace, settings.execute.run)
    for own in (settings, instructed(settings)):
        results += await _run(workspace, own, progress, _How(spent, overwrite, split))
        if any(result.stopped for result in results):
            return results
    before, after = (_rows(workspace, own) for own in (settings, instructed(settings)))
    names = settings.execute.run, instructed(settings).execute.run
    found = contrast(before, after, names, settings.workspace.seed)
    folder = workspace.coverage_audit(settings.execute.run)
    write_json(folder / coverage.CONTRAST, found)
    write_text(folder / "conflicts.md", [markdown(contrast_document(found))])
    return results


@dataclass(frozen=True)
class _How:
    """What both runs share: what was spent, whether rows are replaced, whether the claims audit is made first."""

    spent: Spent
    overwrite: bool
    split: bool


def _splits(workspace: Workspace, run: str) -> bool:
    """Whether the claims audit comes first: unless the run's output audit stands already and split answers itself.

    Both runs are split in the same way, and rows that were paid for stay.
    """
    stands = (workspace.coverage_audit(run) / "manifest.json").is_file()
    return not stands or (workspace.claims_audit(run) / "manifest.json").is_file()


async def _run(workspace: Workspace, settings: Settings, progress: Progress, how: _How) -> list[StageResult]:
    """One of the two runs: its answers, their claims, the output audit."""
    results = await run_steps(workspace, [("execute", settings)], progress, Options(how.overwrite), how.spent)
    wanted = coverage.Wanted(overwrite=how.overwrite)
    steps: list[tuple[str, Callable[[Gateway], Awaitable[StageResult]]]] = [
        (coverage.STAGE, lambda gateway: coverage.run(workspace, settings, gateway, progress, wanted))
    ]
    if how.split:
        overwrite = how.overwrite
        steps.insert(
            0,
            (claims.STAGE, lambda gateway: claims.run(workspace, settings, gateway, progress, overwrite=overwrite)),
        )
    for name, work in steps:
        if results[-1].stopped:
            break
        results.append(await run_audit(workspace, settings, progress, name, work, how.spent))
    return results


def _check(workspace: Workspace, settings: Settings) -> None:
    from ragtester.claiming import claims_model, coverage_model

    if settings.execute.surface_conflicts:
        raise UsageError("execute.surface_conflicts is true: --ab sets it by itself; leave it out for the comparison")
    if settings.target.name:
        raise UsageError(
            f"{settings.target.name}: a target has a prompt of its own; compare two runs with `ragtester drift`"
        )
    check_models(settings, ("execute",), root=workspace.root)
    for name in {claims_model(settings), coverage_model(settings)}:
        check_model(name, settings, embedding=False)


def _rows(workspace: Workspace, settings: Settings) -> list[AnswerCoverage]:
    return read_rows(workspace.coverage_audit(settings.execute.run) / "answers.jsonl", AnswerCoverage)
