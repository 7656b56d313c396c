"""Commands that ask how stable the oracle is, and how well it agrees with people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragtester.cli import options

if TYPE_CHECKING:
    from ragtester.api import Project
    from ragtester.progress import StageResult

app = typer.Typer()
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Seed of every draw. Left out, the workspace's.")]


@app.command()
def stability(
    workspace: options.Folder = Path(),
    repeat: Annotated[int, typer.Option("--repeat", help="How often each answer is judged.")] = 5,
    run: options.RunName = "",
    sample: Annotated[
        str, typer.Option("--sample", help="How many answers, or all. Left out, Cochran's size (95 %, 5 %).")
    ] = "",
    seed: Seed = None,
    overrides: options.Overrides = options.NONE,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print how many judgements, and their price; ask nothing.")
    ] = False,
    max_cost: options.MaxCost = 0,
    max_calls: options.MaxCalls = 0,
    quiet: options.Quiet = False,
    overwrite: options.Overwrite = False,
    retry_failed: options.RetryFailed = False,
) -> None:
    """Judge the same answers several times: how often does the verdict change?"""
    extra = options.run_settings(run, retry_failed) + options.limits(max_cost, max_calls)
    project = options.open_project(workspace, [*overrides, *extra], quiet)
    size = _size(sample)
    if estimate:
        typer.echo(project.plan_stability(repeat, sample=size, seed=seed))
        return
    _finish_stability(project.audit_stability(repeat, sample=size, seed=seed, overwrite=overwrite), project)


def _size(sample: str) -> int | None:
    """None for Cochran's size, 0 for all."""
    if not sample:
        return None
    if sample == "all":
        return 0
    if not sample.isdecimal() or int(sample) == 0:
        raise typer.BadParameter(f"{sample!r} is neither a number of answers nor all", param_hint="--sample")
    return int(sample)


def _finish_stability(result: StageResult, project: Project) -> None:
    from ragtester.stages.stability import stability_document
    from ragtester.tables.terminal import print_document

    found = project.stability_result()
    assert found is not None
    project.progress.finish()
    print_document(stability_document(found), options.stdout())
    options.finish([result], project)


@app.command()
def calibrate(
    labels: Annotated[
        Path | None, typer.Option("--labels", help="CSV or JSON Lines: case_id, llm, embedding, label, annotator.")
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option("--sheet", help="Write answers, drawn at random, to a new CSV file to be labelled.")
    ] = None,
    workspace: options.Folder = Path(),
    run: options.RunName = "",
    sample: Annotated[
        int, typer.Option("--sample", min=0, help="Answers on the sheet. Left out, Cochran's size (95 %, 5 %).")
    ] = 0,
    folds: Annotated[int, typer.Option("--folds", help="Folds of whole documents for the thresholds.")] = 5,
    seed: Seed = None,
    overrides: options.Overrides = options.NONE,
) -> None:
    """Compare the verdicts with people's labels, and which pass_mean would have agreed best."""
    project = options.open_project(workspace, [*overrides, *options.run_settings(run, False)], quiet=True)
    if sheet is not None and labels is None:
        count = project.label_sheet(sheet, sample=sample or None, seed=seed)
        typer.echo(f"{count} answers -> {sheet}; fill in the column label, then: ragtester audit calibrate --labels")
    elif labels is not None and sheet is None:
        _calibrate(project, labels, folds, seed)
    else:
        raise typer.BadParameter("give one of the two", param_hint="--labels, --sheet")


def _calibrate(project: Project, labels: Path, folds: int, seed: int | None) -> None:
    from ragtester.stages.calibration import calibration_document
    from ragtester.summary import shown
    from ragtester.tables.terminal import print_document

    result = project.audit_calibrate(labels, folds=folds, seed=seed)
    print_document(calibration_document(result), options.stdout())
    folder = project.workspace.audits(project.settings.execute.run) / "calibration"
    typer.echo(f"calibration -> {shown(folder)}")
    if result.unmatched or result.other_answer:
        raise typer.Exit(3)
